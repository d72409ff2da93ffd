/** The DynamoDB table. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE_SHAPE } from '../functions/dynamodb/table.ts';
import type { Settings } from './settings.ts';

/** A table of the stack, or an existing one. */
export type AnyTable = Table | ITable;

/**
 * @returns the existing table of that name, which the stack neither changes nor deletes; without a name, a new table
 */
export function tableOf(
  scope: Construct,
  { tableName, tableStreamArn, keepData }: Pick<Settings, 'tableName' | 'tableStreamArn' | 'keepData'>,
): AnyTable {
  if (tableName !== undefined && tableStreamArn !== undefined) {
    return Table.fromTableAttributes(scope, 'Table', { tableName, tableStreamArn });
  }
  const { partitionKey, sortKey, timeToLive } = TABLE_SHAPE;
  return new Table(scope, 'Table', {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: timeToLive,
    billingMode: BillingMode.PAY_PER_REQUEST,
    // Tells the hooks function of new rows, which it then reads itself.
    stream: StreamViewType.KEYS_ONLY,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: keepData,
    // Also after a failed first deployment, because CloudFormation could not delete the protected table and would get
    // stuck.
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}
