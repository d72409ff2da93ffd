/** Alarms, the topic where they are published, the budget, and the dashboard. */
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { alarmTopic } from './alarm-topic.ts';
import { addAlarms } from './alarms.ts';
import { basicAlarms } from './basic-alarms.ts';
import { addBudget } from './budget.ts';
import { addDashboard } from './dashboard.ts';
import { fullAlarms } from './full-alarms.ts';
import { agentsGone } from './metrics.ts';
import type { MonitoringProps, Watched } from './watched.ts';

export class Monitoring extends Construct {
  /** Where alarms are published. */
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { setup, removals, broker, ...props }: MonitoringProps) {
    super(scope, id);
    const { settings, functions, files, ingest } = props;
    const { queue, sightings, deadLetters } = broker;
    const watched: Watched = {
      ...props,
      allFunctions: [...functions, files, setup, removals],
      queue,
      sightings,
      deadLetters,
      rules: broker.node.findAll().filter((part) => part instanceof CfnTopicRule),
      agentsGone: agentsGone(ingest.log),
    };
    this.topic = alarmTopic(this, settings);
    addAlarms(this, this.topic, basicAlarms(watched));
    if (settings.monitoring === 'full') {
      addAlarms(this, this.topic, fullAlarms(watched));
      addDashboard(this, watched);
    }
    addBudget(this, settings);
  }
}
