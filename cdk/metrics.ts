/**
 * Metrics of the stack, for the alarms.
 *
 * These are metrics that AWS provides anyway, and counts of log lines. The functions publish no metrics of their own, so
 * that no request is delayed. So there can be no alarm for what neither AWS nor a log line counts.
 *
 * Every metric that an alarm uses is billed, also as a part of an expression, and each count of log lines once more.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Settings } from './settings.ts';

const PERIOD = Duration.minutes(5);
/** The largest value of a period. */
export const LARGEST = { statistic: 'Maximum', period: PERIOD };

/**
 * The number of agents that disconnected, from the log lines of ingest. A connection that ended because its agent had
 * already opened a new one, after a change of its network address, does not count.
 *
 * There is no free metric for the number of agents that are offline: IoT Core counts connections only for an account
 * with fleet indexing, and a count of our own would have to read every site repeatedly.
 */
export function agentsGone(logGroup: LogGroup): Metric {
  const metricName = 'AgentsGone';
  return new MetricFilter(logGroup, metricName, {
    logGroup,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.msg', '=', 'connection'),
      FilterPattern.stringValue('$.event', '=', 'disconnected'),
      FilterPattern.stringValue('$.reason', '!=', 'DUPLICATE_CLIENTID'),
    ),
    metricNamespace: Stack.of(logGroup).stackName, // Without dimensions: the name tells it apart.
    metricName,
    metricValue: '1',
  }).metric({ statistic: 'Sum', period: PERIOD });
}

/** Invocations that failed. Of all functions in the region: without a dimension it is one metric, which costs a tenth of ten. */
export function functionErrors(): IMetric {
  return new Metric({ namespace: 'AWS/Lambda', metricName: 'Errors', statistic: 'Sum', period: PERIOD });
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

/** For all MQTT clients of the account, because IoT Core has no metrics per policy or topic. */
function brokerMetric(metricName: string): Metric {
  return new Metric({
    namespace: 'AWS/IoT',
    metricName,
    dimensionsMap: { Protocol: 'MQTT' },
    statistic: 'Sum',
    period: PERIOD,
  });
}

/** A sum in which a metric without data counts as 0; otherwise the sum would have no data either. */
function sum(label: string, metrics: readonly Metric[]): IMetric {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const filled = Object.keys(named).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: filled.join(' + '), usingMetrics: named, label, period: PERIOD });
}
