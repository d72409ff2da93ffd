/** What an alarm is. The alarms themselves are in `basic-alarms.ts` and `full-alarms.ts`. */
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

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
