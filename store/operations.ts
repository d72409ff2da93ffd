/** The operations of DynamoDB that are called, with as much of their inputs and outputs as is used here. */
import type { Attributes } from './attribute-values.ts';

export interface Operations {
  GetItem: { input: Of<Expressions> & { Key: Attributes; ConsistentRead: boolean }; output: { Item?: Attributes } };
  BatchGetItem: {
    input: Metered & { RequestItems: Record<string, KeysToRead> };
    output: { Responses?: Record<string, Attributes[]>; UnprocessedKeys?: Record<string, KeysToRead> };
  };
  Query: { input: Of<Expressions> & QueryInput; output: Page };
  Scan: { input: Of<Expressions> & PageInput; output: Page };
  PutItem: { input: Of<Expressions> & { Item: Attributes }; output: object };
  UpdateItem: { input: Of<Expressions> & { Key: Attributes }; output: object };
  DeleteItem: { input: Of<Expressions> & { Key: Attributes }; output: object };
  BatchWriteItem: {
    input: Metered & { RequestItems: Record<string, WriteRequest[]> };
    output: { UnprocessedItems?: Record<string, WriteRequest[]> };
  };
  TransactWriteItems: {
    input: Metered & { TransactItems: TransactItem[]; ClientRequestToken?: string };
    output: object;
  };
  DescribeTable: { input: { TableName: string }; output: { Table?: { TableStatus?: string } } };
  CreateTable: { input: CreateTableInput; output: object };
  UpdateTimeToLive: {
    input: { TableName: string; TimeToLiveSpecification: { AttributeName: string; Enabled: boolean } };
    output: object;
  };
}

export type Operation = keyof Operations;
export type Input<Name extends Operation> = Operations[Name]['input'];
/** `ConsumedCapacity` is there if the input has asked for it; for a batch or a transaction it is a list. */
export type Output<Name extends Operation> = Operations[Name]['output'] & {
  ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
};

export interface ConsumedCapacity {
  CapacityUnits?: number;
}

interface Metered {
  ReturnConsumedCapacity?: 'INDEXES';
}

type Of<Input> = Input & Metered & { TableName: string };

/** What `expression.ts` makes. */
export interface Expressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
}

interface PageInput {
  FilterExpression?: string;
  Limit: number;
  /** Absent for the first page. */
  ExclusiveStartKey?: Attributes | undefined;
}

interface QueryInput extends PageInput {
  KeyConditionExpression: string;
  ConsistentRead: boolean;
  ScanIndexForward: boolean;
}

interface Page {
  Items?: Attributes[];
  LastEvaluatedKey?: Attributes;
}

interface KeysToRead {
  Keys: Attributes[];
  ConsistentRead: boolean;
}

export type WriteRequest = { PutRequest: { Item: Attributes } } | { DeleteRequest: { Key: Attributes } };

export type TransactItem =
  | { Put: Of<Expressions> & { Item: Attributes } }
  | { Delete: Of<Expressions> & { Key: Attributes } }
  | { ConditionCheck: Of<Expressions> & { Key: Attributes } };

interface CreateTableInput {
  TableName: string;
  BillingMode: 'PAY_PER_REQUEST';
  KeySchema: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' }[];
}
