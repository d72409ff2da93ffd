/** One context for all groups, for the process that serves them all. */
import { openTokenWatch } from './access/token-watch.ts';
import { type AgentDispatcher, openAgentDispatcher } from './commands/agent-dispatcher.ts';
import type { BrokerSettings } from './commands/connection.ts';
import type { RunQueue } from './commands/runs/task.ts';
import type { Mailer } from './hooks/mailer.ts';
import type { HookTask } from './hooks/tasks.ts';
import type { RequestContext, ServiceSettings } from './http/context.ts';
import { openWaitSlots, type WaitSlots } from './http/wait-slots.ts';
import type { AgentRegistry } from './sites/agents/agent-registry.ts';
import type { ReleaseSource } from './sites/agents/releases/release-source.ts';
import { openStores, type Stores } from './stores.ts';
import type { TaskQueue } from './task-queue.ts';

export interface Context extends RequestContext, Stores {
  agents: AgentDispatcher;
  waitSlots: WaitSlots;
  registry: AgentRegistry;
  runQueue: RunQueue;
  hookQueue: TaskQueue<HookTask>;
  /** Absent where the operator has set no SMTP server. */
  mail?: Mailer;
  /** The agent packages that are handed out; absent where there are none. */
  releases?: ReleaseSource;
}

type ContextSettings = ServiceSettings &
  Pick<Context, 'table' | 'registry' | 'runQueue' | 'hookQueue' | 'log' | 'counters' | 'releases' | 'mail'> & {
    broker: BrokerSettings;
  };

/** One process holds these with little memory, and keeps connections for other requests. */
const WAIT_SLOTS = { call: 1_000, stream: 500 };

/** Opens no connection: the first request that needs one does. */
export function openContext(settings: ContextSettings): Context {
  const now = () => new Date();
  const { table, broker, registry, runQueue, hookQueue, log, releases, counters, mail } = settings;
  const stores = openStores(table, now);
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, log),
    agents: openAgentDispatcher(broker, stores, log),
    waitSlots: openWaitSlots(WAIT_SLOTS),
    ...{ registry, runQueue, hookQueue, log, now, settings },
    ...(releases && { releases }),
    ...(mail && { mail }),
    ...(counters && { counters }),
  };
}

export async function closeContext({ agents, table }: Context): Promise<void> {
  await agents.close();
  await table.close();
}
