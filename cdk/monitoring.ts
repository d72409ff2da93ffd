/** Alarms, the topic where they are published, the budget, and the dashboard. */
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { alarmTopic } from './alarm-topic.ts';
import { addAlarms, type MonitoredParts } from './alarms.ts';
import { basicAlarms } from './basic-alarms.ts';
import { addBudget } from './budget.ts';
import { addDashboard } from './dashboard.ts';
import { fullAlarms } from './full-alarms.ts';
import { agentsGone } from './metrics.ts';

export class Monitoring extends Construct {
  /** Where alarms are published. */
  readonly topic: Topic;

  constructor(scope: Construct, id: string, parts: MonitoredParts) {
    super(scope, id);
    const { settings, ingest } = parts;
    const watched = { ...parts, agentsGone: agentsGone(ingest.log) };
    this.topic = alarmTopic(this, settings);
    addAlarms(this, this.topic, basicAlarms(watched));
    if (settings.monitoring === 'full') {
      addAlarms(this, this.topic, fullAlarms(watched));
      addDashboard(this, watched);
    }
    addBudget(this, settings);
  }
}
