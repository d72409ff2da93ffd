/** How a function in Lambda finds its table. */
import type { TableSettings } from '../../store/table.ts';
import { readCredentials, type SetupConfig } from '../context/config.ts';

export function lambdaTable({ tableName, dynamodbEndpoint, region }: SetupConfig): TableSettings {
  return {
    tableName,
    region,
    credentials: readCredentials,
    bulkWrites: 'batch',
    ...(dynamodbEndpoint === null ? {} : { endpoint: dynamodbEndpoint }),
  };
}
