/** What an alarm is, and what it watches. The alarms themselves are in `basic-alarms.ts` and `full-alarms.ts`. */
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Api } from './api.ts';
import type { BatchQueue } from './batches.ts';
import type { Broker } from './broker.ts';
import type { GroupFunction } from './functions.ts';
import type { HookQueues } from './hooks.ts';
import type { Settings } from './settings.ts';
import type { AnyTable } from './table.ts';

/** The parts of the stack whose metrics are used. */
export interface MonitoredParts {
  settings: Settings;
  api: Api;
  /** The functions that wait for the table or the broker, and can become slow. */
  functions: GroupFunction[];
  /** The functions that only send files, go on with batches, are called once, and once a day. Only their errors are watched. */
  files: GroupFunction;
  batches: GroupFunction;
  setup: GroupFunction;
  upkeep: GroupFunction;
  /** The function that answers for agents, whose log says which failures are those of a site. */
  nettools: GroupFunction;
  /** The function that handles presence, whose log lines are counted. */
  ingest: GroupFunction;
  broker: Broker;
  /** The function that follows the table's stream. */
  hooks: GroupFunction;
  hookQueues: HookQueues;
  batchQueue: BatchQueue;
  table: AnyTable;
}

export interface Watched extends MonitoredParts {
  agentsGone: Metric;
}

/** Longer than a message waits for its second attempt, and shorter than until it becomes a dead letter. */
export const LATE_S = Duration.minutes(15).toSeconds();

export interface Condition {
  metric: IMetric;
  /** The alarm is raised at this value or above. */
  threshold: number;
  /** How many of how many periods of five minutes; default: one of one. */
  periods?: [number, of: number];
  /** What it means, and after "First:" what to do first. */
  description: string;
}

/** Conditions by the names of their alarms. */
export type Conditions = Readonly<Record<string, Condition>>;

export function addAlarms(scope: Construct, topic: Topic, conditions: Conditions): void {
  for (const [name, { metric, threshold, periods, description }] of Object.entries(conditions)) {
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
