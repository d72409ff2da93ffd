/**
 * Metrics of the stack, for the alarms and the dashboard.
 *
 * These are metrics that AWS provides anyway, and counts of log lines. The functions publish no metrics of their own, so
 * that no request is delayed. So there can be no alarm for what neither AWS nor a log line counts.
 *
 * Every metric that an alarm uses is billed, also as a part of an expression, and each count of log lines once more.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { FilterPattern, type IFilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { ErrorCode } from '../shared/errors.ts';
import type { Broker } from './broker.ts';
import type { Settings } from './settings.ts';
import type { AnyTable } from './table.ts';

export const PERIOD = Duration.minutes(5);
/** The largest value of a period. */
export const LARGEST = { statistic: 'Maximum', period: PERIOD };

/** A rate is 0 in a period with fewer requests or messages than these: one failure of two says nothing about a service. */
const MIN_COUNT = 20;

/** The operations of the table that the functions use. DynamoDB counts its failures per operation. */
export const TABLE_OPERATIONS = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
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

export function rulesOf(broker: Broker): CfnTopicRule[] {
  return broker.node.findAll().filter((part) => part instanceof CfnTopicRule);
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
  return countLines(
    ingestLog,
    'AgentsGone',
    FilterPattern.all(
      FilterPattern.stringValue('$.msg', '=', 'connection'),
      FilterPattern.stringValue('$.event', '=', 'disconnected'),
      FilterPattern.stringValue('$.reason', '!=', 'DUPLICATE_CLIENTID'),
    ),
  );
}

/** Failures of a site, its agent or its tools. Their status is 500 or 503, but the service itself did its work. */
const SITE_FAILURES: readonly ErrorCode[] = [
  'agent_offline',
  'agent_silent',
  'agent_busy',
  'tool_missing',
  'command_failed',
];

/** The part of all requests that the service failed to answer (5xx), without the failures of sites. */
export function serverErrorRate(stage: Stage, nettoolsLog: LogGroup): IMetric {
  return rate('Server errors', '(FILL(failed, 0) - FILL(ofsites, 0))', {
    total: stage.metricCount({ period: PERIOD }),
    failed: stage.metricServerError({ statistic: 'Sum', period: PERIOD }),
    ofsites: countLines(
      nettoolsLog,
      'SiteFailures',
      FilterPattern.all(
        FilterPattern.stringValue('$.msg', '=', 'request'),
        FilterPattern.any(...SITE_FAILURES.map((code) => FilterPattern.stringValue('$.code', '=', code))),
      ),
    ),
  });
}

/**
 * The part of all requests that were refused with 429, by the gateway or by a function. The gateway's own metric does not
 * distinguish them from the other 4xx.
 */
export function refusalRate(stage: Stage, accessLog: LogGroup): IMetric {
  return rate('Too many requests', 'FILL(refused, 0)', {
    total: stage.metricCount({ period: PERIOD }),
    refused: countLines(accessLog, 'TooManyRequests', FilterPattern.stringValue('$.status', '=', '429')),
  });
}

/** The part of the messages which Lambda received and did not delete, because the function failed at them. */
export function redeliveryRate(queue: IQueue): IMetric {
  return rate('Redeliveries', '(total - FILL(deleted, 0))', {
    total: queue.metricNumberOfMessagesReceived({ period: PERIOD }),
    deleted: queue.metricNumberOfMessagesDeleted({ period: PERIOD }),
  });
}

/**
 * The part of the account's quota of concurrent executions, in this region, that is in use at the same time. The number
 * is asked of Service Quotas, which needs a metric of `AWS/Usage`; with a number that is given, it is Lambda's own.
 */
export function concurrencyUse({ accountConcurrency }: Pick<Settings, 'accountConcurrency'>): IMetric {
  const dimensionsMap = { Service: 'Lambda', Type: 'Resource', Resource: 'ConcurrentExecutions', Class: 'None' };
  const used =
    accountConcurrency === undefined
      ? new Metric({ namespace: 'AWS/Usage', metricName: 'ResourceCount', dimensionsMap, ...LARGEST })
      : // Without a dimension, of all functions in the region.
        new Metric({ namespace: 'AWS/Lambda', metricName: 'ConcurrentExecutions', ...LARGEST });
  const quota = accountConcurrency ?? 'SERVICE_QUOTA(used)';
  return new MathExpression({
    expression: `used / ${quota}`,
    usingMetrics: { used },
    label: 'Concurrent executions',
    period: PERIOD,
  });
}

/** Connections and messages that IoT Core refused because of a quota. */
export function brokerThrottles(): IMetric {
  return sum('Throttled', [brokerMetric('Connect.Throttle'), brokerMetric('PublishIn.Throttle')]);
}

/** Counts the lines of a log that match. The metric has no dimensions, and is in a namespace of the stack's name. */
function countLines(logGroup: LogGroup, metricName: string, filterPattern: IFilterPattern): Metric {
  return new MetricFilter(logGroup, metricName, {
    logGroup,
    filterPattern,
    metricNamespace: Stack.of(logGroup).stackName,
    metricName,
    metricValue: '1',
  }).metric({ statistic: 'Sum', period: PERIOD });
}

function count(namespace: string, metricName: string, dimensionsMap: Record<string, string>, label?: string): Metric {
  const named = label === undefined ? {} : { label };
  return new Metric({ namespace, metricName, dimensionsMap, statistic: 'Sum', period: PERIOD, ...named });
}

/** A sum in which a metric without data counts as 0; otherwise the sum would have no data either. */
function sum(label: string, metrics: Metric[]): IMetric {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const filled = Object.keys(named).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: filled.join(' + '), usingMetrics: named, label, period: PERIOD });
}

/** @param part an expression of the metrics, of which `total` counts requests or messages */
function rate(label: string, part: string, usingMetrics: Record<'total', IMetric> & Record<string, IMetric>): IMetric {
  const expression = `IF(FILL(total, 0) >= ${MIN_COUNT}, ${part} / total, 0)`;
  return new MathExpression({ expression, usingMetrics, label, period: PERIOD });
}
