/** The alarms. Each describes what it means and what to do first. */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { GroupFunction } from './functions.ts';
import { PERIOD, ruleFailures, tableSystemErrors, tableThrottles } from './metrics.ts';
import type { Watched } from './monitoring.ts';
import type { Settings } from './settings.ts';

/**
 * Part of a function's time limit that raises an alarm. More than 14 of 15 minutes, after which event streams end
 * themselves.
 */
const NEAR_THE_LIMIT = 0.95;
/** Longer than a message waits for its second attempt, and shorter than until it becomes a dead letter. */
const LATE_S = Duration.minutes(15).toSeconds();

/**
 * Not encrypted with a key of its own: CloudWatch cannot publish with the key that AWS manages for SNS, and a customer
 * key costs more per month than the rest of the monitoring. The text of an alarm names parts of the stack, but no
 * stored data.
 */
export function alarmTopic(scope: Construct, { stage, alarmEmail }: Settings): Topic {
  const topic = new Topic(scope, 'Topic', { displayName: `LanReach ${stage}`, enforceSSL: true });
  const stack = Stack.of(scope);
  // A policy of its own replaces the default one, which lets the account's alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: {
          'aws:SourceArn': stack.formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: `${stack.stackName}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}

interface Condition {
  metric: IMetric;
  /** The alarm is raised at this value or above. */
  threshold: number;
  /** How many of how many periods of five minutes; default: one of one. */
  periods?: [number, of: number];
  description: string;
}

export function addAlarms(scope: Construct, topic: Topic, watched: Watched): void {
  const conditions = [
    ...Object.entries(conditionsOf(watched)),
    ...watched.functions.flatMap(conditionsOfFunction),
    errorsOf(watched.files),
  ];
  for (const [name, { metric, threshold, periods, description }] of conditions) {
    const [datapointsToAlarm, evaluationPeriods] = periods ?? [1, 1];
    new Alarm(scope, name, {
      alarmName: `${Stack.of(scope).stackName}-${name}`,
      alarmDescription: description,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm,
      evaluationPeriods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // No data means that there were no requests.
    }).addAlarmAction(new SnsAction(topic));
  }
}

function conditionsOf(watched: Watched): Record<string, Condition> {
  const { api, ingest, queue, deadLetters, hookQueues, rules, table, agentsGone } = watched;
  return {
    ServerErrors: {
      metric: api.stage.metricServerError({ statistic: 'Average', period: PERIOD }),
      threshold: 0.05,
      periods: [2, 3],
      description:
        'At least one request in twenty was answered with a 5xx. 503 may also mean that a site has no agent, or a ' +
        `silent one. First: look in the gateway's log ${api.accessLog.logGroupName} which paths and statuses those ` +
        'are, then in the log of the function that answers that path.',
    },
    DeadLetters: {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: PERIOD }),
      threshold: 1,
      description:
        `Messages of agents could not be stored. First: look at one in the queue ${deadLetters.queueName}. With ` +
        '"topic" and "payload", ingest has failed at it five times: its log says why; mend that, then start a redrive ' +
        'of the queue. With "ruleName" and "failures", a rule could not pass it on: the text says why; delete it, ' +
        'agents send their results again.',
    },
    QueueAge: {
      metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: PERIOD }),
      threshold: LATE_S,
      description:
        'Results and presence wait for more than 15 minutes before they are stored. First: look whether ingest ' +
        'fails (its errors and its log) or is throttled; both are on the dashboard.',
    },
    HookDeadLetters: {
      metric: hookQueues.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: PERIOD }),
      threshold: 1,
      description:
        'The hooks function could not do something, five times or for a day. A receiver that fails is not the cause: ' +
        'that stands in the deliveries of its hook. First: look for "could not be carried out" in the log of the ' +
        `function; mend that, then start a redrive of the queue ${hookQueues.deadLetters.queueName}. A message with ` +
        '"DDBStreamBatchInfo" can be deleted: the next change of the site is told together with those before it.',
    },
    HookQueueAge: {
      metric: hookQueues.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: PERIOD }),
      threshold: LATE_S * 2,
      description:
        'Hooks tell their receivers more than half an hour late. First: look on the dashboard whether the function ' +
        'Hooks fails or is throttled, then with "lanreach hooks deliveries" whether a receiver hangs.',
    },
    TableThrottled: {
      metric: tableThrottles(table),
      threshold: 1,
      // A large import into one site may be throttled for a while, and still succeeds.
      periods: [3, 3],
      description:
        'DynamoDB has refused calls for a quarter of an hour because of their rate. They are repeated, and answers ' +
        'are slow. First: look on the dashboard whether reads or writes are refused; one site can write about 1,000 ' +
        'rows a second. If it is the account, ask AWS for a higher quota of the table.',
    },
    TableErrors: {
      metric: tableSystemErrors(table),
      threshold: 1,
      periods: [2, 3],
      description:
        'DynamoDB itself fails again and again. First: look at the AWS Health Dashboard for DynamoDB in this region; ' +
        'the cause is outside of this stack and cannot be fixed here.',
    },
    AgentsGone: {
      metric: agentsGone,
      threshold: 1,
      description:
        'An agent has lost its connection or was stopped, and its site cannot be reached if it was the only one. It ' +
        'may be back already. First: look for "disconnected" in the log group ' +
        `${ingest.log.logGroupName}, which agent it is and why, and ask "lanreach agent list"; if it is still away, look at ` +
        "its host's power and network, then at the agent's own log there.",
    },
    ...Object.fromEntries(
      rules.map((rule): [string, Condition] => [
        `Rule${rule.node.id}`,
        {
          metric: ruleFailures(rule),
          threshold: 1,
          description:
            `The rule ${rule.ref} of IoT Core was throttled, or could not put a message into the queue. Agents send ` +
            'results again until they are stored; a change of presence may be missed. First: look at Failure, ' +
            'ErrorActionFailure and RuleMessageThrottled of the rule in CloudWatch, and at the dead letters, which ' +
            'say why.',
        },
      ]),
    ),
  };
}

function errorsOf({ node, function: lambda, log }: GroupFunction): [string, Condition] {
  const condition: Condition = {
    metric: lambda.metricErrors({ period: PERIOD }),
    threshold: 1,
    description:
      `The function ${node.id} has crashed, run out of memory, or run longer than ${lambda.timeout!.toHumanString()}. ` +
      `First: look for "error" and "Task timed out" in the log group ${log.logGroupName}.`,
  };
  return [`${node.id}Errors`, condition];
}

function conditionsOfFunction(of: GroupFunction): [string, Condition][] {
  const { node, function: lambda, log } = of;
  const limit = lambda.timeout!;
  const conditions: Record<string, Condition> = {
    [`${node.id}Throttled`]: {
      metric: lambda.metricThrottles({ period: PERIOD }),
      threshold: 1,
      description:
        `Lambda did not let the function ${node.id} run because the account runs as many functions as it may. First: ` +
        'look at "Concurrent executions" under Service Quotas of Lambda (new accounts have 10) and ask for more.',
    },
    [`${node.id}Slow`]: {
      metric: lambda.metricDuration({ statistic: 'p99', period: PERIOD }),
      threshold: NEAR_THE_LIMIT * limit.toMilliseconds(),
      periods: [2, 3],
      description:
        `The slowest calls of the function ${node.id} take nearly the ${limit.toHumanString()} after which they are ` +
        'cut off. First: look on the dashboard whether the table or the broker has become slow at the same time, then ' +
        `in the log group ${log.logGroupName} for the slow calls.`,
    },
  };
  return [errorsOf(of), ...Object.entries(conditions)];
}
