/** Alarms, the topic where they are published, and the dashboard. */
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { addAlarms, alarmTopic } from './alarms.ts';
import type { Api } from './api.ts';
import type { Broker } from './broker.ts';
import { addDashboard } from './dashboard.ts';
import type { GroupFunction } from './functions.ts';
import type { HookQueues } from './hooks.ts';
import { agentsGone } from './metrics.ts';
import type { Settings } from './settings.ts';
import type { AnyTable } from './table.ts';

export interface MonitoringProps {
  settings: Settings;
  api: Api;
  functions: GroupFunction[];
  /** The function that only sends files. It waits for nothing that could be slow, so only its errors are watched. */
  files: GroupFunction;
  /** The function that handles presence, whose log lines are counted. */
  ingest: GroupFunction;
  broker: Broker;
  hookQueues: HookQueues;
  table: AnyTable;
}

/** The parts of the stack whose metrics are used. */
export interface Watched
  extends Pick<MonitoringProps, 'api' | 'functions' | 'files' | 'ingest' | 'hookQueues' | 'table'> {
  queue: Queue;
  deadLetters: IQueue;
  rules: CfnTopicRule[];
  agentsGone: ReturnType<typeof agentsGone>;
}

export class Monitoring extends Construct {
  /** Where alarms are published. */
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { settings, api, functions, files, ingest, broker, hookQueues, table } = props;
    const { queue } = broker;
    const watched: Watched = {
      api,
      functions,
      files,
      ingest,
      hookQueues,
      table,
      queue,
      deadLetters: queue.deadLetterQueue!.queue,
      rules: broker.node.findAll().filter((part) => part instanceof CfnTopicRule),
      agentsGone: agentsGone(ingest.log),
    };
    this.topic = alarmTopic(this, settings);
    addAlarms(this, this.topic, watched);
    addDashboard(this, watched);
  }
}
