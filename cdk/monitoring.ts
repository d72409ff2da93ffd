/** Alarms, their topic, and the budget. */
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { alarmTopic } from './alarm-topic.ts';
import { addAlarms, type MonitoredParts } from './alarms.ts';
import { addBudget } from './budget.ts';

export class Monitoring extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, parts: MonitoredParts) {
    super(scope, id);
    this.topic = alarmTopic(this, parts.settings);
    addAlarms(this, this.topic, parts);
    addBudget(this, parts.settings);
  }
}
