/** How a function in Lambda finds its table. */
import type { TableSettings } from '../dynamodb/table.ts';
import type { Config } from './config.ts';

export function lambdaTable({
  tableName,
  dynamodbEndpoint,
}: Pick<Config, 'tableName' | 'dynamodbEndpoint'>): TableSettings {
  return { tableName, bulkWrites: 'batch', ...(dynamodbEndpoint === null ? {} : { endpoint: dynamodbEndpoint }) };
}
