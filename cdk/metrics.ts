/**
 * Metrics of the stack, for the alarms and the dashboard.
 *
 * These are metrics that AWS provides anyway and, for disconnected agents, a count of the log lines that ingest writes.
 * The functions publish no metrics of their own, so that no request is delayed. So there can be no alarm for what
 * neither AWS nor a log line counts.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { AnyTable } from './table.ts';

export const PERIOD = Duration.minutes(5);

/** The operations of the table that the functions use. DynamoDB counts its failures per operation. */
export const TABLE_OPERATIONS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
];

/** A metric of DynamoDB that has the operation as a dimension, in addition to the table. */
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

/** Messages for which an action of the rule failed. */
export function ruleFailures(rule: CfnTopicRule): IMetric {
  const ofRule = { RuleName: rule.ref };
  // All actions have this type, including the error actions.
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

/** For all MQTT clients of the account, because IoT Core has no metrics per policy or topic. */
export function brokerMetric(metricName: string): Metric {
  return count('AWS/IoT', metricName, { Protocol: 'MQTT' });
}

/**
 * The number of agents that disconnected, from the log lines of ingest. A connection that ended because its agent had
 * already opened a new one, after a change of its network address, does not count.
 *
 * There is no free metric for the number of agents that are offline: IoT Core counts connections only for an account
 * with fleet indexing, and a count of our own would have to read every site repeatedly.
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

/** A sum in which a metric without data counts as 0; otherwise the sum would have no data either. */
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
