import type { RequestContext } from '../http/context.ts';
import type { Stores } from '../stores.ts';
import type { AgentDispatcher } from './agent-dispatcher.ts';
import type { BatchQueue } from './batches/queue.ts';
import type { WaitSlots } from './wait-slots.ts';

/** What commands use: with the agents of all sites, which take them over a connection to the broker. */
export type CommandContext = RequestContext<'devices' | 'jobs'> & { agents: AgentDispatcher; waitSlots: WaitSlots };

/** What batches use, each of which is a command at many sites. */
export type BatchContext = CommandContext & Pick<Stores, 'batches'> & { batchQueue: BatchQueue };
