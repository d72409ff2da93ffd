/** Networks in which agents of a site see an unknown router. */
import texts from 'messages:shell';
import type { ListedAgent } from '../../shared/api/records.ts';

type AgentAbout = Pick<ListedAgent, 'id' | 'state' | 'discovery'>;

/** Only of connected agents: reports of others may be stale. */
export function strangeNetworksOf(agents: readonly AgentAbout[]) {
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
        /** The router that a person may confirm; null where the agent sees none. */
        gateway: strange.gateway,
      })),
    );
}

/** The confirmed gateways of the site, with this one. */
export function withGateway(confirmed: readonly string[], gateway: string): string[] {
  return [...new Set([...confirmed, gateway])];
}
