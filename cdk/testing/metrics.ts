/** Parses the metrics of alarms and dashboards, and finds those for which no part of the stack ever has data. */
import { ofType, type Resources, type Statement } from './policy.ts';

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

export interface Widget {
  title: string;
  metrics: MetricUse[];
}

/**
 * What a dashboard shows. A line is a list: namespace, name, then names and values of dimensions, and how to draw it.
 */
export function widgetsOf(dashboardBody: string): Widget[] {
  const { widgets } = JSON.parse(dashboardBody) as {
    widgets: { properties: { title: string; metrics: unknown[][] } }[];
  };
  return widgets.map(({ properties: { title, metrics } }) => ({
    title,
    metrics: metrics.map((line) => {
      const [namespace, name, ...rest] = line.filter((part) => typeof part === 'string');
      const dimensions = rest.flatMap((part, index) => (index % 2 === 0 ? [[part, rest[index + 1] ?? '']] : []));
      return { namespace: String(namespace), name: String(name), dimensions: Object.fromEntries(dimensions) };
    }),
  }));
}

/** Names and dimensions as the services document them: a metric exists with just these dimensions. */
const DOCUMENTED: Record<string, Record<string, string[]>> = {
  'AWS/ApiGateway': { 'ApiName Stage': ['4XXError', '5XXError', 'Count', 'Latency'] },
  // Without a dimension: of all functions in the region.
  'AWS/Lambda': {
    '': ['ConcurrentExecutions', 'Throttles'],
    FunctionName: ['ConcurrentExecutions', 'Duration', 'Errors', 'IteratorAge', 'Throttles'],
  },
  'AWS/SQS': {
    QueueName: [
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesVisible',
      'NumberOfMessagesDeleted',
      'NumberOfMessagesReceived',
    ],
  },
  'AWS/IoT': {
    RuleName: ['RuleMessageThrottled', 'TopicMatch'],
    'ActionType RuleName': ['ErrorActionFailure', 'Failure'],
    Protocol: ['Connect.AuthError', 'Connect.Success', 'Connect.Throttle', 'PublishIn.Success', 'PublishIn.Throttle'],
  },
  'AWS/Usage': { 'Class Resource Service Type': ['ResourceCount'] },
  'AWS/DynamoDB': {
    TableName: ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents'],
    'Operation TableName': ['SystemErrors'],
  },
};

/**
 * @param table as the template calls it, or the name of one that was there before
 * @returns what is wrong with a metric, or null
 */
export function problemOf(
  { namespace, name, dimensions }: MetricUse,
  resources: Resources,
  table: string,
): string | null {
  const about = `${namespace} ${name} ${JSON.stringify(dimensions)}`;
  const own = ofType(resources, 'AWS::Logs::MetricFilter').flatMap(
    ([, { Properties }]) => Properties.MetricTransformations as { MetricNamespace: string; MetricName: string }[],
  );
  if (own.some(({ MetricNamespace, MetricName }) => MetricNamespace === namespace && MetricName === name)) {
    return Object.keys(dimensions).length === 0 ? null : `${about}: a metric of ours has no dimensions`;
  }
  const names = DOCUMENTED[namespace]?.[Object.keys(dimensions).sort().join(' ')];
  if (!names?.includes(name)) return `${about}: there is no such metric`;
  const values = valuesIn(resources, table);
  const stranger = Object.entries(dimensions).find(([dimension, value]) => !values[dimension]?.includes(value));
  return stranger === undefined ? null : `${about}: ${stranger[0]} is not of this stack`;
}

/** What each dimension may be. */
function valuesIn(resources: Resources, table: string): Record<string, string[]> {
  const ids = (type: string) => ofType(resources, type).map(([id]) => id);
  const rules = ofType(resources, 'AWS::IoT::TopicRule').map(
    ([, { Properties }]) => Properties.TopicRulePayload as { Actions: object[]; ErrorAction: object },
  );
  const actions = rules.flatMap(({ Actions, ErrorAction }) => [...Actions, ErrorAction].flatMap(Object.keys));
  return {
    ApiName: ofType(resources, 'AWS::ApiGateway::RestApi').map(([, { Properties }]) => String(Properties.Name)),
    Stage: ids('AWS::ApiGateway::Stage'),
    FunctionName: ids('AWS::Lambda::Function'),
    QueueName: ids('AWS::SQS::Queue').map((id) => `${id}.QueueName`),
    RuleName: ids('AWS::IoT::TopicRule'),
    // Only if every action of every rule is of that one type, a sum over one type is the whole.
    ActionType: actions.every((type) => type === 'Sqs') ? ['SQS'] : [],
    Protocol: ['MQTT'],
    // As the quota L-B99A9384 of Lambda names them.
    Service: ['Lambda'],
    Type: ['Resource'],
    Resource: ['ConcurrentExecutions'],
    Class: ['None'],
    TableName: [table],
    Operation: [...tableOperations(resources), 'TransactWriteItems'],
  };
}

/** Calls of the table that some role allows. */
export function tableOperations(resources: Resources): string[] {
  const actions = ofType(resources, 'AWS::IAM::Policy')
    .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement)
    .flatMap(({ Action }) => Action);
  const prefix = 'dynamodb:';
  const names = actions.filter((action) => action.startsWith(prefix)).map((action) => action.slice(prefix.length));
  // Lambda follows the stream by itself; the table counts only calls of the functions.
  const isOfStream = (name: string) => /Stream|Shard|^GetRecords$/.test(name);
  // The check is a part of transactions, whose other parts are counted by names of their own.
  const isCounted = (name: string) => !isOfStream(name) && name !== 'ConditionCheckItem';
  return [...new Set(names.filter(isCounted))];
}
