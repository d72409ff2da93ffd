/**
 * The alarms: data may be lost, a function or an agent is dead, or a quota of the account is used up. Each metric in them
 * costs ten cents a month.
 */
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

/** The parts of the stack whose metrics are used. */
export interface MonitoredParts {
  settings: Settings;
  /** The function that handles presence, whose log lines are counted. */
  ingest: GroupFunction;
  broker: Broker;
  tasks: Tasks;
}

/** Longer than a message waits for its second attempt, and shorter than until it becomes a dead letter. */
const LATE_S = Duration.minutes(15).toSeconds();

interface Condition {
  metric: IMetric;
  /** The alarm is raised at this value or above. */
  threshold: number;
  /** How many of how many periods of five minutes; default: one of one. */
  periods?: [number, of: number];
  /** What it means, and after "First:" what to do first. */
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
    alarm.addOkAction(new SnsAction(topic)); // Who was told that something is wrong hears that it is over.
  }
}

/** By the names of the alarms. */
function conditionsOf({ settings, ingest, broker, tasks }: MonitoredParts): Record<string, Condition> {
  const { queue, deadLetters } = broker;
  return {
    DeadLetters: {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(LARGEST),
      threshold: 1,
      description:
        `Messages of agents could not be stored. First: look at one in the queue ${deadLetters.queueName}. With ` +
        '"topic" and "payload", ingest has failed at it for half an hour: its log says why; mend that, then start a redrive ' +
        'of the queue. With "ruleName" and "failures", a rule could not pass it on: the text says why; delete it, ' +
        'agents send their results again.',
    },
    QueueAge: {
      metric: queue.metricApproximateAgeOfOldestMessage(LARGEST),
      threshold: LATE_S,
      description:
        'Results and presence wait for more than 15 minutes before they are stored. First: look whether the function ' +
        `Ingest fails, in the log group ${ingest.log.logGroupName}, or is throttled, by its metric Throttles in CloudWatch.`,
    },
    HookDeadLetters: {
      metric: tasks.deadLetters.metricApproximateNumberOfMessagesVisible(LARGEST),
      threshold: 1,
      description:
        'The function Worker could not do something for a hook or a batch, five times or for four days. A receiver that fails is not the cause: ' +
        'that stands in the deliveries of its hook. First: look for "could not be carried out" in the log of the ' +
        `function; mend that, then start a redrive of the queue ${tasks.deadLetters.queueName}. Without it, hooks ` +
        'go on within an hour.',
    },
    AgentsGone: {
      metric: agentsGone(ingest.log),
      threshold: settings.agentsGone,
      description:
        `${settings.agentsGone === 1 ? 'An agent' : `At least ${settings.agentsGone} agents`} lost the connection or ` +
        'stopped within five minutes; a site without another agent cannot be reached. They may be back already. ' +
        `First: look for "disconnected" in the log group ${ingest.log.logGroupName}, which agents and why, and ask ` +
        '"lanreach agent list". If one is still away, look at the power and network of its host, then at its own log ' +
        'there. The setting agentsGone says how many raise this alarm.',
    },
    ConcurrentExecutions: {
      metric: concurrencyUse(settings),
      threshold: 0.8,
      // A browser that opens the console uses several at once, which a new account with a quota of 10 notices.
      periods: [2, 3],
      description:
        'Functions use at least 80 % of the executions that the account may have at the same time in this region. ' +
        'Above 100 %, requests are refused with 503. First: ask for more, under Service Quotas, Lambda, "Concurrent ' +
        'executions" (new accounts have 10); until then, let callers of long commands send "Prefer: respond-async".',
    },
    BrokerThrottled: {
      metric: brokerThrottles(),
      threshold: 1,
      // When all agents come back at the same time some are refused, and have connected a few minutes later.
      periods: [3, 3],
      description:
        'For a quarter of an hour, IoT Core has refused connections or messages because of their rate. They are tried ' +
        'again. First: look at Connect.Throttle and PublishIn.Throttle of AWS/IoT in CloudWatch. Connections: ask for ' +
        'more under Service Quotas, IoT Core, "Connect requests per second per account". Messages: look in the log ' +
        `group ${ingest.log.logGroupName}, whether one agent sends most of them, and at the log of that agent.`,
    },
    FunctionErrors: {
      metric: functionErrors(),
      threshold: 1,
      description:
        'A function of this account and region has crashed, run out of memory, or run longer than it may. An export that was broken off, by the ' +
        'table or a revoked token, counts too. First: look at the metric Errors of AWS/Lambda in CloudWatch, by function ' +
        'name, which function it is, then for "error" and "Task timed out" in its log group.',
    },
  };
}
