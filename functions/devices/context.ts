import type { RequestContext } from '../http/context.ts';
import type { WaitSlots } from '../http/wait-slots.ts';
import type { AgentRegistry } from '../sites/agents/agent-registry.ts';

export type DevicesContext = RequestContext<'checks' | 'devices' | 'ports' | 'series'> & {
  waitSlots: WaitSlots;
  /** After a deletion, agents have to report what they see. */
  registry: Pick<AgentRegistry, 'publish'>;
};
