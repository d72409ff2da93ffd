/** The table and the policy of agents. A stack of its own: the one with the functions can be deleted without it. */
import { Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { CfnPolicy } from 'aws-cdk-lib/aws-iot';
import type { Construct } from 'constructs';
import { makeAgentPolicy } from './agent-policy.ts';
import { encryptWith } from './encryption.ts';
import type { Settings } from './settings.ts';
import { makeTable } from './table.ts';

export class DataStack extends Stack {
  readonly table: TableV2;
  readonly agentPolicy: CfnPolicy;

  constructor(scope: Construct, id: string, { settings, version }: { settings: Settings; version: string }) {
    const { terminationProtection, tags = {}, kmsKeyArn } = settings;
    super(scope, id, { description: `LanReach ${version}: persistent data`, terminationProtection, tags });
    this.table = makeTable(this, settings);
    this.agentPolicy = makeAgentPolicy(this, settings);
    // Always exported: with `tableName` the other stack stops using them, and CloudFormation rejects the removal of exports in
    // use until then.
    for (const value of [this.table.tableArn, this.table.tableName]) this.exportValue(value);
    this.exportValue(this.agentPolicy.ref);
    if (kmsKeyArn !== undefined) encryptWith(this, kmsKeyArn, []);
  }
}
