/** The DynamoDB table. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE_SHAPE } from '../functions/table/table.ts';
import type { Settings } from './settings.ts';

/** Our table, or an existing one. */
type AnyTable = TableV2 | ITable;

/** Replicas in other regions can be added later, which an `AWS::DynamoDB::Table` for the same price never allows. */
export function makeTable(scope: Construct, { keepData }: Pick<Settings, 'keepData'>): TableV2 {
  const { partitionKey, sortKey, timeToLive } = TABLE_SHAPE;
  return new TableV2(scope, 'Table', {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: timeToLive,
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: keepData,
    // Also after a failed first deployment, because CloudFormation would get stuck at the protected table.
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}

/** @returns the table in the settings, which no stack changes or deletes; null without one */
export function givenTable(scope: Construct, { tableName }: Pick<Settings, 'tableName'>): AnyTable | null {
  return tableName === undefined ? null : TableV2.fromTableName(scope, 'Table', tableName);
}
