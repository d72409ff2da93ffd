/** The one table. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE_SHAPE } from '../functions/dynamodb/table.ts';
import type { Settings } from './settings.ts';

/** One of the stack, or one that was there before. */
export type AnyTable = Table | ITable;

/** @returns the table of that name, which is neither changed nor ever deleted with the stack; without a name, a new one */
export function tableOf(scope: Construct, { tableName, keepData }: Pick<Settings, 'tableName' | 'keepData'>): AnyTable {
  if (tableName !== undefined) return Table.fromTableName(scope, 'Table', tableName);
  const { partitionKey, sortKey, timeToLive } = TABLE_SHAPE;
  return new Table(scope, 'Table', {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: timeToLive,
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: keepData,
    // Also when the first deployment fails: it is protected, and CloudFormation would be stuck in trying to delete it.
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}
