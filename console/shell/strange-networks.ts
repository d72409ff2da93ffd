/** What the agents of a site say of networks that seem to be other ones than those that they know. */
import texts from 'messages:shell';
import type { ListedAgent } from '../../shared/api/records.ts';

type AgentAbout = Pick<ListedAgent, 'id' | 'state' | 'discovery'>;

interface StrangeNetwork {
  /** Tells it from the others. */
  key: string;
  text: string;
  /** What a person confirms with it; null where the agent sees no router. */
  gateway: string | null;
}

/** Of connected agents: what the others have said may be over. */
export function strangeNetworksOf(agents: readonly AgentAbout[]): StrangeNetwork[] {
  return agents
    .filter(({ state, discovery }) => state === 'online' && discovery?.state === 'another-network')
    .flatMap(({ id, discovery }) =>
      (discovery?.strange ?? []).map((strange) => ({
        key: `${id} ${strange.network} ${strange.gateway}`,
        text: texts.strange({
          ...strange,
          agent: id,
          hasGateway: strange.gateway !== null,
          gateway: strange.gateway ?? '',
        }),
        gateway: strange.gateway,
      })),
    );
}

/** The gateways of the site once this one is confirmed as well. */
export function withGateway(confirmed: readonly string[] | undefined, gateway: string): string[] {
  return [...new Set([...(confirmed ?? []), gateway])];
}
