import type { RequestContext } from '../http/context.ts';
import type { WaitSlots } from '../http/wait-slots.ts';
import type { Stores } from '../stores.ts';
import type { AgentDispatcher } from './agent-dispatcher.ts';
import type { RunQueue } from './runs/task.ts';

/** What commands use: among it, the agents of all sites, which receive them over a connection to the broker. */
export type CommandContext = RequestContext<'devices' | 'jobs'> & { agents: AgentDispatcher; waitSlots: WaitSlots };

/** What batches and scans use: each is one command in many parts. */
export type RunContext = CommandContext & Pick<Stores, 'runs'> & { runQueue: RunQueue };
