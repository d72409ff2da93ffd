/**
 * The alarms that a deployment with `monitoring=full` has in addition: something has become slow, is refused, or fails
 * now and then.
 */
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { type Condition, type Conditions, LATE_S, type Watched } from './alarms.ts';
import type { GroupFunction } from './functions.ts';
import {
  brokerMetric,
  LARGEST,
  PERIOD,
  redeliveryRate,
  refusalRate,
  ruleFailures,
  rulesOf,
  serverErrorRate,
  tableSystemErrors,
  tableThrottles,
} from './metrics.ts';

/**
 * Part of a function's time limit that raises an alarm. Of the five minutes of commands it is more than any call may wait.
 */
const NEAR_THE_LIMIT = 0.95;

export function fullAlarms(watched: Watched): Conditions {
  const { api, functions, nettools, ingest, broker, hooks, hookQueues, batches, batchQueue, table } = watched;
  const { queue, sightings } = broker;
  return {
    ServerErrors: {
      metric: serverErrorRate(api.stage, nettools.log),
      threshold: 0.05,
      periods: [2, 3],
      description:
        'At least one request in twenty was answered with a 5xx, in five minutes with twenty requests or more. ' +
        'Failures of a site do not count: its agent is offline, silent or busy, or its command failed. First: look in ' +
        `the gateway's log ${api.accessLog.logGroupName} which paths and statuses those are, then in the log of the ` +
        'function that answers that path, for the "code" of those requests.',
    },
    TooManyRequests: {
      metric: refusalRate(api.stage, api.accessLog),
      threshold: 0.05,
      periods: [3, 3],
      description:
        'For a quarter of an hour, at least one request in twenty was refused with 429. First: look in the log ' +
        `${api.accessLog.logGroupName} for status 429. With an "error", the gateway refused it: raise the settings ` +
        'requestsPerSecond and burst, or, if one "ip" sends most requests, deploy with firewall=yes. Without, one ' +
        'token asks more often than tokenRequestsPerMinute allows: the log of the function has its "tokenId".',
    },
    BrokerRefusals: {
      metric: brokerMetric('Connect.AuthError'),
      threshold: 1,
      periods: [3, 3],
      description:
        'For a quarter of an hour, IoT Core has refused clients whose certificate is valid: no policy lets them ' +
        'connect under their name. First: look which agent is away with "lanreach agent list", then whether its ' +
        'certificate in IoT Core still has its thing and the policy of agents; if not, enrol it again.',
    },
    Redeliveries: redeliveriesOf(queue, 'messages of agents', ingest),
    SightingRedeliveries: redeliveriesOf(sightings, 'sightings of agents', ingest),
    SightingsAge: {
      metric: sightings.metricApproximateAgeOfOldestMessage(LARGEST),
      threshold: LATE_S,
      description:
        'What agents see arrives in the collections more than 15 minutes late. First: look in the log group ' +
        `${ingest.log.logGroupName} for "sightings", whether one site has most of them, and whether ingest fails; with ` +
        'many sites, raise the setting reservedConcurrency.',
    },
    BatchQueueAge: {
      metric: batchQueue.queue.metricApproximateAgeOfOldestMessage(LARGEST),
      threshold: LATE_S,
      description:
        'Commands at many sites have not gone on for more than 15 minutes. First: look in the log group ' +
        `${batches.log.logGroupName} whether the function fails, and at its metric Throttles in CloudWatch.`,
    },
    HookRedeliveries: redeliveriesOf(hookQueues.queue, 'tasks of hooks', hooks),
    HookQueueAge: {
      metric: hookQueues.queue.metricApproximateAgeOfOldestMessage(LARGEST),
      threshold: LATE_S * 2,
      description:
        'Hooks tell their receivers more than half an hour late. First: look on the dashboard whether the function ' +
        'Hooks fails or is throttled, then with "lanreach hooks deliveries" whether a receiver hangs.',
    },
    FunctionsThrottled: {
      // Of all functions of the account, which share what is used up: one metric instead of one for each.
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: PERIOD }),
      threshold: 1,
      description:
        'Lambda did not let a function run because the account runs as many functions as it may, or this one. First: ' +
        'look at the metric Throttles in CloudWatch, which function it is, and at "Concurrent executions" under ' +
        'Service Quotas of Lambda (new accounts have 10), and ask for more.',
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
    ...Object.fromEntries(rulesOf(broker).map((rule) => [`Rule${rule.node.id}`, failuresOf(rule)])),
    ...Object.assign({}, ...functions.map(conditionsOfFunction)),
  };
}

function redeliveriesOf(queue: IQueue, messages: string, { node, log }: GroupFunction): Condition {
  return {
    metric: redeliveryRate(queue),
    // One message that cannot be processed does not reach this share beside others that can.
    threshold: 0.5,
    periods: [3, 3],
    description:
      `For a quarter of an hour, at least half of the ${messages} were received in vain: the function ${node.id} fails ` +
      'at them and receives them again, until they become dead letters. First: look for "error", "warn" and "could not ' +
      `be carried out" in the log group ${log.logGroupName}, and mend that before.`,
  };
}

function failuresOf(rule: CfnTopicRule): Condition {
  return {
    metric: ruleFailures(rule),
    threshold: 1,
    description:
      `The rule ${rule.ref} of IoT Core was throttled, or could not put a message into the queue. Agents send results ` +
      'again until they are stored; a change of presence may be missed. First: look at Failure, ErrorActionFailure and ' +
      'RuleMessageThrottled of the rule in CloudWatch, and at the dead letters, which say why.',
  };
}

function conditionsOfFunction({ node, function: lambda, log }: GroupFunction): Conditions {
  const limit = lambda.timeout!;
  return {
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
}
