/** Parses the metrics of alarms, and finds those for which no part of the stack ever has data. */
import { ofType, type Resources } from './policy.ts';

export interface MetricUse {
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
}

interface Dimension {
  Name: string;
  Value: string;
}
interface Query {
  MetricStat?: { Metric: { Namespace: string; MetricName: string; Dimensions?: Dimension[] } };
}

/** The metrics that an alarm looks at. */
export function metricsOfAlarm(properties: Record<string, unknown>): MetricUse[] {
  const use = (Namespace: unknown, MetricName: unknown, Dimensions: Dimension[] = []): MetricUse => ({
    namespace: String(Namespace),
    name: String(MetricName),
    dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
  });
  const { Namespace, MetricName, Dimensions, Metrics } = properties;
  if (Metrics === undefined) return [use(Namespace, MetricName, Dimensions as Dimension[])];
  return (Metrics as Query[]).flatMap(({ MetricStat }) =>
    MetricStat === undefined
      ? []
      : [use(MetricStat.Metric.Namespace, MetricStat.Metric.MetricName, MetricStat.Metric.Dimensions)],
  );
}

/** Names and dimensions as the services document them: a metric exists with just these dimensions. */
const DOCUMENTED: Record<string, Record<string, string[]>> = {
  // Without a dimension: of all functions in the region.
  'AWS/Lambda': { '': ['ConcurrentExecutions', 'Errors'], FunctionName: ['IteratorAge'] },
  'AWS/SQS': { QueueName: ['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible'] },
  'AWS/IoT': { Protocol: ['Connect.Throttle', 'PublishIn.Throttle'] },
  'AWS/Usage': { 'Class Resource Service Type': ['ResourceCount'] },
};

/** @returns what is wrong with a metric, or null */
export function problemOf({ namespace, name, dimensions }: MetricUse, resources: Resources): string | null {
  const about = `${namespace} ${name} ${JSON.stringify(dimensions)}`;
  const own = ofType(resources, 'AWS::Logs::MetricFilter').flatMap(
    ([, { Properties }]) => Properties.MetricTransformations as { MetricNamespace: string; MetricName: string }[],
  );
  if (own.some(({ MetricNamespace, MetricName }) => MetricNamespace === namespace && MetricName === name)) {
    return Object.keys(dimensions).length === 0 ? null : `${about}: a metric of ours has no dimensions`;
  }
  const names = DOCUMENTED[namespace]?.[Object.keys(dimensions).sort().join(' ')];
  if (!names?.includes(name)) return `${about}: there is no such metric`;
  const values = valuesIn(resources);
  const stranger = Object.entries(dimensions).find(([dimension, value]) => !values[dimension]?.includes(value));
  return stranger === undefined ? null : `${about}: ${stranger[0]} is not of this stack`;
}

/** What each dimension may be. */
function valuesIn(resources: Resources): Record<string, string[]> {
  const ids = (type: string) => ofType(resources, type).map(([id]) => id);
  return {
    FunctionName: ids('AWS::Lambda::Function'),
    QueueName: ids('AWS::SQS::Queue').map((id) => `${id}.QueueName`),
    Protocol: ['MQTT'],
    // As the quota L-B99A9384 of Lambda names them.
    Service: ['Lambda'],
    Type: ['Resource'],
    Resource: ['ConcurrentExecutions'],
    Class: ['None'],
  };
}
