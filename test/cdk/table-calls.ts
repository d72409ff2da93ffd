/** Converts calls of a DynamoDB client to requests that a policy allows or denies. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Request } from './policy.ts';

type Attributes = Record<string, unknown>;

/** What a call is made with, before the client encodes it. */
interface Input {
  Key?: Attributes;
  Item?: Attributes;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
  RequestItems?: Record<string, BatchWrite[] | { Keys: Attributes[] }>;
  TransactItems?: { Put?: Input; Update?: Input; Delete?: Input; ConditionCheck?: Input }[];
}

interface BatchWrite {
  PutRequest?: { Item: Attributes };
  DeleteRequest?: { Key: Attributes };
}

/** @returns the requests, which grow as calls are made */
export function recordCalls(client: DynamoDBClient, resource: string): Request[] {
  const requests: Request[] = [];
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) => {
        for (const { action, ...context } of requestsOf(commandName.replace(/Command$/, ''), call.input as Input)) {
          requests.push({ action: `dynamodb:${action}`, resource, context: { ...context } });
        }
        return next(call);
      },
    { step: 'initialize' },
  );
  return requests;
}

interface TableRequest {
  action: string;
  'dynamodb:LeadingKeys': string[];
  'dynamodb:Attributes': string[];
}

/** Stands for those that a read without a projection asks for: no right to some attributes is enough for it. */
const EVERY_ATTRIBUTE = '*';

/** Whether IAM judges the keys of each call of a transaction or of all together is not documented: both are allowed. */
function requestsOf(action: string, input: Input): TableRequest[] {
  if (action === 'TransactWriteItems') {
    const each = (input.TransactItems ?? []).flatMap(({ Put, Update, Delete, ConditionCheck }) => [
      ...(Put === undefined ? [] : requestsOf('PutItem', Put)),
      ...(Update === undefined ? [] : requestsOf('UpdateItem', Update)),
      ...(Delete === undefined ? [] : requestsOf('DeleteItem', Delete)),
      ...(ConditionCheck === undefined ? [] : requestsOf('ConditionCheckItem', ConditionCheck)),
    ]);
    const actions = [...new Set(each.map((request) => request.action))];
    return [...each, ...actions.map((name) => together(each.filter((request) => request.action === name)))];
  }
  const batch = Object.values(input.RequestItems ?? {}).flatMap((items) =>
    'Keys' in items
      ? items.Keys
      : items.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {}),
  );
  const keyed = [input.Key, input.Item, ...batch].filter((item) => item !== undefined);
  const asked = String(input.ExpressionAttributeValues?.[':pk']);
  const keys = action === 'Query' ? [asked] : keyed.map((item) => String(item.pk));
  const attributes = [
    ...keyed.flatMap((item) => Object.keys(item)),
    ...Object.values(input.ExpressionAttributeNames ?? {}),
    ...(action === 'GetItem' && input.ProjectionExpression === undefined ? [EVERY_ATTRIBUTE] : []),
  ];
  return [{ action, 'dynamodb:LeadingKeys': [...new Set(keys)], 'dynamodb:Attributes': [...new Set(attributes)] }];
}

/** Merges several requests for one action. */
function together(requests: TableRequest[]): TableRequest {
  const union = (key: 'dynamodb:LeadingKeys' | 'dynamodb:Attributes') => [
    ...new Set(requests.flatMap((request) => request[key])),
  ];
  return {
    action: requests[0]?.action ?? '',
    'dynamodb:LeadingKeys': union('dynamodb:LeadingKeys'),
    'dynamodb:Attributes': union('dynamodb:Attributes'),
  };
}
