/** The first steps with the service; only what the API returns marks them as done. */
import type { SiteOverview } from '../../../../shared/api/overview.ts';
import type { ListedAgent } from '../../../../shared/api/records.ts';

export const STEPS = ['agent', 'watch', 'name', 'notify', 'site', 'token'] as const;
export type Step = (typeof STEPS)[number];

const NAMES_WANTED = 3;
const YOUNG_MS = 30 * 86_400_000;

/** Undefined: not loaded, which counts as not done. */
export interface Known {
  site: Pick<SiteOverview, 'agents' | 'discovery'>;
  siteCount: number;
  named: number | undefined;
  hooks: number | undefined;
  tokens: number | undefined;
}

export function isDone(step: Step, { site, siteCount, named = 0, hooks = 0, tokens = 0 }: Known): boolean {
  const done: Record<Step, boolean> = {
    agent: site.agents.some(({ state }) => state === 'online'),
    watch: site.discovery.enabled,
    name: named >= NAMES_WANTED,
    notify: hooks > 0,
    site: siteCount > 1,
    token: tokens > 1, // The first one came with the service and has all rights.
  };
  return done[step];
}

export function youngSite(sites: readonly SiteOverview[], now: number): SiteOverview | null {
  const [first] = [...sites].sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return first !== undefined && now - Date.parse(first.createdAt) < YOUNG_MS ? first : null;
}

/** The shortest prefix that agents monitor on their own. */
const SHORTEST_PREFIX = 22;
const PRIVATE = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;

export function watchable(agents: readonly Pick<ListedAgent, 'state' | 'networks'>[]): string[] {
  const networks = agents.filter(({ state }) => state === 'online').flatMap((agent) => agent.networks);
  return [...new Set(networks)].filter((network) => {
    return PRIVATE.test(network) && Number(network.split('/')[1]) >= SHORTEST_PREFIX;
  });
}
