/**
 * Metrics for the alarms: those that AWS provides anyway, and counts of log lines. The functions publish none of their own,
 * which would delay requests. AWS bills every metric of an alarm, also in an expression, and each count of log lines again.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Settings } from './settings.ts';

const PERIOD = Duration.minutes(5);
/** The largest value of a period. */
export const LARGEST = { statistic: 'Maximum', period: PERIOD };

/**
 * The number of agents that disconnected, from the log lines of ingest; not connections that a new one of the same agent
 * replaced, after a change of its address. No free metric counts offline agents: IoT Core counts connections only with fleet
 * indexing, and a count of our own would read every site repeatedly.
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
    metricNamespace: Stack.of(logGroup).stackName, // Without dimensions, because the name is unique.
    metricName,
    metricValue: '1',
  }).metric({ statistic: 'Sum', period: PERIOD });
}

/** Failed invocations of all functions in the region: without a dimension it is one metric instead of ten. */
export function functionErrors(): IMetric {
  return new Metric({ namespace: 'AWS/Lambda', metricName: 'Errors', statistic: 'Sum', period: PERIOD });
}

/**
 * The share of the account's quota of concurrent executions in this region that is in use. The quota comes from Service
 * Quotas, which requires a metric of `AWS/Usage`, or from the setting, with a metric of Lambda.
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

/** Connections and messages that IoT Core throttled. */
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

/** A sum in which a metric without data counts as 0. */
function sum(label: string, metrics: readonly Metric[]): IMetric {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const filled = Object.keys(named).map((name) => `FILL(${name}, 0)`);
  return new MathExpression({ expression: filled.join(' + '), usingMetrics: named, label, period: PERIOD });
}
