/** The table of a function in Lambda. The SDK finds the credentials of its role in the environment. */
import { openDynamoDbTable } from '../../store/dynamodb.ts';
import type { Table } from '../../store/table.ts';
import type { SetupConfig } from '../context/config.ts';

export function lambdaTable({ tableName, dynamodbEndpoint, region }: SetupConfig): Table {
  return openDynamoDbTable({ tableName, region, ...(dynamodbEndpoint === null ? {} : { endpoint: dynamodbEndpoint }) });
}
