/** Everything that the handlers use outside themselves. Opened once and passed to each of them. */

import type { Log } from '../shared/log.ts';
import type { SignInSettings } from './access/people/settings.ts';
import { openTokenWatch, type TokenWatch } from './access/token-watch.ts';
import type { AgentRegistry } from './agents/agent-registry.ts';
import type { ReleaseSource } from './agents/releases/release-source.ts';
import { type AgentDispatcher, openAgentDispatcher } from './commands/agent-dispatcher.ts';
import type { BatchQueue } from './commands/batches/queue.ts';
import type { BrokerSettings } from './commands/connection.ts';
import { openWaitSlots, type WaitSlots } from './commands/wait-slots.ts';
import type { Counters } from './status/counters.ts';
import { openStores, type Stores } from './stores.ts';
import type { Table } from './table/table.ts';

/** What every group may use: all that needs nothing but the table. */
export interface BaseContext extends Stores {
  tokenWatch: TokenWatch;
  waitSlots: WaitSlots;
  log: Log;
  now(): Date;
  settings: ServiceSettings;
  /** The packages of the agent that are handed out; absent where there are none. */
  releases?: ReleaseSource;
  /** Absent in the cloud, where CloudWatch counts for all instances. */
  counters?: Counters;
}

/** With the agents of all sites, which take commands over a connection to the broker. */
export interface CommandContext extends BaseContext {
  agents: AgentDispatcher;
}

/** With the queue of what is done at many sites. */
export interface BatchContext extends CommandContext {
  batchQueue: BatchQueue;
}

/** With the registry, which gives agents their certificates and takes them away. */
export interface AccessContext extends BaseContext {
  registry: AgentRegistry;
}

/** With a way to tell agents something about discovery. */
export interface DevicesContext extends BaseContext {
  registry: Pick<AgentRegistry, 'publish'>;
}

/** With files that are no part of the programs: they are read when a request asks for them. */
export interface FilesContext {
  /** Path of docs/openapi.json. */
  openApiFile: string;
  /** Folder that the build of the console has made. */
  consoleFolder: string;
}

/** On one machine, where one process serves all groups. */
export type Context = BatchContext & AccessContext;

/** What every request needs, also one that is answered without a look at the table. */
export type ServiceContext = Pick<BaseContext, 'log' | 'settings' | 'counters'>;

/** What every operation needs, whatever its handler does. */
export type RequestContext = ServiceContext & Pick<BaseContext, 'tokens' | 'sites' | 'tokenWatch' | 'audit'>;

export interface ServiceSettings {
  version: string;
  /** Origins whose pages may call the API from a browser; `*` for all. */
  corsOrigins: readonly string[];
  /** Requests that may be made with one token in a minute; null or absent for no limit. */
  tokenRequestsPerMinute?: number | null;
  /** How long a call may wait for a command, in seconds. Default: LONGEST_WAIT_S. */
  longestWaitS?: number;
  /** Whether hooks may reach private addresses, and use http://. Default: no. */
  privateHooks?: boolean;
  /** How people sign in; absent where there is no identity provider. */
  signIn?: SignInSettings;
  /** The URL of the API as browsers open it. Default: that of each request. */
  publicUrl?: string;
  /** Names of this host under which assistants reach the service, besides those of the loopback interface. */
  hosts?: readonly string[];
  /**
   * Of so many refusals of requests that named no valid token, one is in the log. Default: 1, every one of them. The first of
   * each process is.
   */
  strangersLoggedIn?: number;
  /** Base URLs under which other hosts may reach the service, at the moment. Absent where it cannot know. */
  addresses?(): string[];
  /** When the data was restored from a backup: Unix, ms. Absent when it never was. */
  restoredAt?: number;
  /** How long an agent has to stay connected with another release before it counts as well, if not SETTLE_MS. */
  updateSettlesMs?: number;
  /** What must be ready besides the database and the broker; rejects while it is not. */
  isReady?(): Promise<void>;
}

interface ContextSettings extends ServiceSettings {
  table: Table;
  broker: BrokerSettings;
  registry: AgentRegistry;
  batchQueue: BatchQueue;
  log: Log;
  counters?: Counters;
  releases?: ReleaseSource;
}

/** One process holds so many with little memory, and keeps connections for others. */
const WAIT_SLOTS = { call: 1_000, stream: 500 };

/** Opens no connection: the first request that needs one does. */
export function openContext(settings: ContextSettings): Context {
  const now = () => new Date();
  const stores = openStores(settings.table, now);
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, settings.log),
    agents: openAgentDispatcher(settings.broker, stores, settings.log),
    waitSlots: openWaitSlots(WAIT_SLOTS),
    registry: settings.registry,
    batchQueue: settings.batchQueue,
    log: settings.log,
    now,
    settings,
    ...(settings.releases === undefined ? {} : { releases: settings.releases }),
    ...(settings.counters === undefined ? {} : { counters: settings.counters }),
  };
}

export async function closeContext({ agents, table }: Context): Promise<void> {
  await agents.close();
  await table.close();
}
