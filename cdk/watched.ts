/** The parts of the stack that alarms and the dashboard are about. */
import type { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Api } from './api.ts';
import type { Broker } from './broker.ts';
import type { GroupFunction } from './functions.ts';
import type { HookQueues } from './hooks.ts';
import type { agentsGone } from './metrics.ts';
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
