/**
 * What the parts of the stack tell of themselves: for the alarms and for the dashboard.
 *
 * These are metrics that AWS keeps anyway, and for agents that go away the log lines that ingest writes about connections.
 * The functions publish no metrics of their own, so that no request waits for a measurement. The price: what neither AWS
 * counts nor a log line says can raise no alarm.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { AnyTable } from './table.ts';

export const PERIOD = Duration.minutes(5);

/** What the functions ask of the table. The service counts its own failures for each of them. */
export const TABLE_OPERATIONS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
];

/** A metric of DynamoDB with one more dimension than the table, by the operation. */
export function tableSystemErrors({ tableName }: AnyTable): IMetric {
  const metrics = TABLE_OPERATIONS.map((operation) =>
    count('AWS/DynamoDB', 'SystemErrors', { TableName: tableName, Operation: operation }),
  );
  return sum('System errors', metrics);
}

export function tableThrottles({ tableName }: AnyTable): IMetric {
  const of = (metricName: string) => count('AWS/DynamoDB', metricName, { TableName: tableName });
  return sum('Throttled', [of('ReadThrottleEvents'), of('WriteThrottleEvents')]);
}

/** Messages on which the rule was not, or not wholly, carried out. */
export function ruleFailures(rule: CfnTopicRule): IMetric {
  const ofRule = { RuleName: rule.ref };
  // Every action of ours is of this type, that of the rule as well as that of its failures.
  const ofAction = { ...ofRule, ActionType: 'SQS' };
  return sum(`${rule.node.id} failed`, [
    count('AWS/IoT', 'RuleMessageThrottled', ofRule),
    count('AWS/IoT', 'Failure', ofAction),
    count('AWS/IoT', 'ErrorActionFailure', ofAction),
  ]);
}

export function ruleMatches(rule: CfnTopicRule): Metric {
  return count('AWS/IoT', 'TopicMatch', { RuleName: rule.ref }, rule.node.id);
}

/** Of all that speaks MQTT in the account: IoT Core keeps no count for each policy or topic. */
export function brokerMetric(metricName: string): Metric {
  return count('AWS/IoT', metricName, { Protocol: 'MQTT' });
}

/**
 * How many agents went away, counted in the lines that ingest writes about connections anyway. A connection that
 * ended because its agent had already connected anew, after its network address had changed, does not count.
 *
 * How many are away at a moment is nowhere to be had for nothing: IoT Core counts connections only for a whole account
 * whose fleet is indexed, and a count of our own would have to read every site again and again.
 */
export function agentsGone(ingestLog: LogGroup): Metric {
  const filter = new MetricFilter(ingestLog, 'AgentsGone', {
    logGroup: ingestLog,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.msg', '=', 'connection'),
      FilterPattern.stringValue('$.event', '=', 'disconnected'),
      FilterPattern.stringValue('$.reason', '!=', 'DUPLICATE_CLIENTID'),
    ),
    metricNamespace: Stack.of(ingestLog).stackName,
    metricName: 'AgentsGone',
    metricValue: '1',
  });
  return filter.metric({ statistic: 'Sum', period: PERIOD });
}

function count(namespace: string, metricName: string, dimensionsMap: Record<string, string>, label?: string): Metric {
  return new Metric({
    namespace,
    metricName,
    dimensionsMap,
    statistic: 'Sum',
    period: PERIOD,
    ...(label === undefined ? {} : { label }),
  });
}

/** A metric without a point in a period would take the sum with it; there it counts as nought. */
function sum(label: string, metrics: Metric[]): IMetric {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({
    expression: Object.keys(named)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + '),
    usingMetrics: named,
    label,
    period: PERIOD,
  });
}
