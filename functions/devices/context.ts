import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { WaitSlots } from '../commands/wait-slots.ts';
import type { RequestContext } from '../http/context.ts';

/** What the operations at devices, their journal and the search use. */
export type DevicesContext = RequestContext<'checks' | 'devices' | 'ports' | 'series'> & {
  waitSlots: WaitSlots;
  /** After a deletion, agents report what they see. */
  registry: Pick<AgentRegistry, 'publish'>;
};
