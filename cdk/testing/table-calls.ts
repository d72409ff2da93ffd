/** What a client of DynamoDB asks for, as requests that a policy allows or denies. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Request } from './policy.ts';

type Keyed = Record<string, { S?: string }>;

interface Input {
  Key?: Keyed;
  Item?: Keyed;
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Keyed;
  RequestItems?: Record<string, BatchWrite[] | { Keys: Keyed[] }>;
  TransactItems?: { Put?: Input; Delete?: Input }[];
}

interface BatchWrite {
  PutRequest?: { Item: Keyed };
  DeleteRequest?: { Key: Keyed };
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

/** A transaction needs the rights of the calls that it is made of. */
function requestsOf(action: string, input: Input): TableRequest[] {
  if (action === 'TransactWriteItems') {
    return (input.TransactItems ?? []).flatMap(({ Put, Delete }) => [
      ...(Put === undefined ? [] : requestsOf('PutItem', Put)),
      ...(Delete === undefined ? [] : requestsOf('DeleteItem', Delete)),
    ]);
  }
  const batch = Object.values(input.RequestItems ?? {}).flatMap((items) =>
    'Keys' in items
      ? items.Keys
      : items.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {}),
  );
  const keyed = [input.Key, input.Item, ...batch].filter((item) => item !== undefined);
  const asked = input.ExpressionAttributeValues?.[':pk'];
  const keys = action === 'Query' ? [asked?.S ?? ''] : keyed.map((item) => item.pk?.S ?? '');
  const attributes = [
    ...keyed.flatMap((item) => Object.keys(item)),
    ...Object.values(input.ExpressionAttributeNames ?? {}),
    ...(input.ConditionExpression?.includes('(pk)') ? ['pk'] : []),
  ];
  return [{ action, 'dynamodb:LeadingKeys': [...new Set(keys)], 'dynamodb:Attributes': [...new Set(attributes)] }];
}
