/** The contexts of all groups in one, for the process that serves them all. */

import type { Log } from '../shared/log.ts';
import { openTokenWatch } from './access/token-watch.ts';
import { type AgentDispatcher, openAgentDispatcher } from './commands/agent-dispatcher.ts';
import type { BrokerSettings } from './commands/connection.ts';
import type { RunQueue } from './commands/runs/task.ts';
import type { HookTask } from './hooks/tasks.ts';
import type { RequestContext, ServiceSettings } from './http/context.ts';
import type { Counters } from './http/counters.ts';
import { openWaitSlots, type WaitSlots } from './http/wait-slots.ts';
import type { AgentRegistry } from './sites/agents/agent-registry.ts';
import type { ReleaseSource } from './sites/agents/releases/release-source.ts';
import { openStores, type Stores } from './stores.ts';
import type { Table } from './table/table.ts';
import type { TaskQueue } from './task-queue.ts';

export interface Context extends RequestContext, Stores {
  agents: AgentDispatcher;
  waitSlots: WaitSlots;
  registry: AgentRegistry;
  runQueue: RunQueue;
  hookQueue: TaskQueue<HookTask>;
  /** The packages of the agent that are handed out; absent where there are none. */
  releases?: ReleaseSource;
}

interface ContextSettings extends ServiceSettings {
  table: Table;
  broker: BrokerSettings;
  registry: AgentRegistry;
  runQueue: RunQueue;
  hookQueue: TaskQueue<HookTask>;
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
    runQueue: settings.runQueue,
    hookQueue: settings.hookQueue,
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
