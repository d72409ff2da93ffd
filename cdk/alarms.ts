/** The alarms: possible data loss, a dead function or agent, an exhausted quota. Each metric costs ten cents a month. */
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Broker } from './broker.ts';
import type { GroupFunction } from './functions.ts';
import { agentsGone, brokerThrottles, concurrencyUse, functionErrors, LARGEST } from './metrics.ts';
import type { Settings } from './settings.ts';
import type { Tasks } from './tasks.ts';

export interface MonitoredParts {
  settings: Settings;
  /** The function that handles presence, whose log lines a metric counts. */
  ingest: GroupFunction;
  broker: Broker;
  tasks: Tasks;
}

/** Longer than the wait for a second attempt, and shorter than until a message becomes a dead letter. */
const LATE_S = Duration.minutes(15).toSeconds();

interface Condition {
  metric: IMetric;
  /** The alarm goes off at this value or above. */
  threshold: number;
  /** How many of how many periods of five minutes; default: one of one. */
  periods?: [number, of: number];
  /** Its meaning, and after "First:" the first remedy. */
  description: string;
}

export function addAlarms(scope: Construct, topic: Topic, parts: MonitoredParts): void {
  for (const [name, { metric, threshold, periods, description }] of Object.entries(conditionsOf(parts))) {
    const [datapointsToAlarm, evaluationPeriods] = periods ?? [1, 1];
    const alarm = new Alarm(scope, name, {
      alarmName: `${Stack.of(scope).stackName}-${name}`,
      alarmDescription: description,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm,
      evaluationPeriods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // No data means that there were no requests.
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic)); // Recipients of the alarm also get its end.
  }
}

function conditionsOf({ settings, ingest, broker, tasks }: MonitoredParts): Record<string, Condition> {
  const { queue, deadLetters } = broker;
  return {
    DeadLetters: {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(LARGEST),
      threshold: 1,
      description:
        `The service could not store messages of agents. First: read one in the queue ${deadLetters.queueName}. With ` +
        '"topic" and "payload", ingest has failed at it for half an hour: its log has the reason; fix that, then start a redrive ' +
        'of the queue. With "ruleName" and "failures", a rule could not pass it on: the text has the reason; delete it, ' +
        'agents resend their results.',
    },
    QueueAge: {
      metric: queue.metricApproximateAgeOfOldestMessage(LARGEST),
      threshold: LATE_S,
      description:
        'Results and presence wait in the queue for more than 15 minutes. First: check whether the function ' +
        `Ingest fails, in the log group ${ingest.log.logGroupName}, or is throttled, by its metric Throttles in CloudWatch.`,
    },
    HookDeadLetters: {
      metric: tasks.deadLetters.metricApproximateNumberOfMessagesVisible(LARGEST),
      threshold: 1,
      description:
        'The function Worker failed at a task of a hook or a batch, five times or for four days. A failing receiver is not the cause: ' +
        'the deliveries of its hook show that. First: search for "a task failed" in the log of the ' +
        `function; fix that, then start a redrive of the queue ${tasks.deadLetters.queueName}. Without it, hooks ` +
        'continue within an hour.',
    },
    AgentsGone: {
      metric: agentsGone(ingest.log),
      threshold: settings.agentsGone,
      description:
        `${settings.agentsGone === 1 ? 'An agent' : `At least ${settings.agentsGone} agents`} lost the connection or ` +
        'stopped within five minutes; a site without another agent is unreachable. They may be back already. ' +
        `First: search for "disconnected" in the log group ${ingest.log.logGroupName}, for which agents and why, and run ` +
        '"lanreach agent list". If one is still offline, check the power and network of its host, then its own log ' +
        'there. The setting agentsGone is the number of agents that raises this alarm.',
    },
    ConcurrentExecutions: {
      metric: concurrencyUse(settings),
      threshold: 0.8,
      // A browser that opens the console uses several at once, which matters to a new account with a quota of 10.
      periods: [2, 3],
      description:
        'Functions use at least 80 % of the concurrent executions of the account in this region. ' +
        'Above 100 %, requests fail with 503. First: request more, under Service Quotas, Lambda, "Concurrent ' +
        'executions" (new accounts have 10); until then, let callers of long commands send "Prefer: respond-async".',
    },
    BrokerThrottled: {
      metric: brokerThrottles(),
      threshold: 1,
      // When all agents reconnect at the same time, IoT Core throttles some, which connect a few minutes later.
      periods: [3, 3],
      description:
        'For a quarter of an hour, IoT Core has throttled connections or messages. Agents retry. ' +
        'First: check Connect.Throttle and PublishIn.Throttle of AWS/IoT in CloudWatch. Connections: request ' +
        'more under Service Quotas, IoT Core, "Connect requests per second per account". Messages: check in the log ' +
        `group ${ingest.log.logGroupName} whether one agent sends most of them, and the log of that agent.`,
    },
    FunctionErrors: {
      metric: functionErrors(),
      threshold: 1,
      description:
        'A function of this account and region has crashed, run out of memory, or timed out. An export that was aborted, by the ' +
        'table or a revoked token, counts too. First: find the function by the metric Errors of AWS/Lambda in CloudWatch, by ' +
        'function name, then search for "error" and "Task timed out" in its log group.',
    },
  };
}
