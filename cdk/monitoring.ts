/** Alarms, the topic where they are published, the budget, and the dashboard. */
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarmTopic } from './alarm-topic.ts';
import { addAlarms } from './alarms.ts';
import type { Api } from './api.ts';
import { basicAlarms } from './basic-alarms.ts';
import type { Broker } from './broker.ts';
import { addBudget } from './budget.ts';
import { addDashboard } from './dashboard.ts';
import { fullAlarms } from './full-alarms.ts';
import type { GroupFunction } from './functions.ts';
import type { HookQueues } from './hooks.ts';
import { agentsGone } from './metrics.ts';
import type { Settings } from './settings.ts';
import type { AnyTable } from './table.ts';

export interface MonitoringProps {
  settings: Settings;
  api: Api;
  /** The functions that wait for the table or the broker, and can become slow. */
  functions: GroupFunction[];
  /** The functions that only send files, are called once, and once a day. Only their errors are watched. */
  files: GroupFunction;
  setup: GroupFunction;
  removals: GroupFunction;
  /** The function that answers for agents, whose log says which failures are those of a site. */
  nettools: GroupFunction;
  /** The function that handles presence, whose log lines are counted. */
  ingest: GroupFunction;
  broker: Broker;
  /** The function that follows the table's stream. */
  hooks: GroupFunction;
  hookQueues: HookQueues;
  table: AnyTable;
}

/** The parts of the stack whose metrics are used. */
export interface Watched extends Omit<MonitoringProps, 'setup' | 'removals' | 'broker'> {
  allFunctions: GroupFunction[];
  queue: Queue;
  sightings: Queue;
  deadLetters: IQueue;
  rules: CfnTopicRule[];
  agentsGone: ReturnType<typeof agentsGone>;
}

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
