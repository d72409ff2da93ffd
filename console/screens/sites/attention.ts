/** The troubles of sites, and the order and filters of their list. */
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { language } from '../../text/format.ts';

/** The worst first. */
const TROUBLES = ['unwatched', 'dark', 'outage', 'internet', 'checks', 'down', 'agents', 'slow'] as const;
export type Trouble = (typeof TROUBLES)[number];

export function troublesOf(site: SiteOverview): Trouble[] {
  const { darkSince, staleSince, outages, internet, checksDown, devices } = site;
  const isAlone = staleSince !== null || darkSince !== null;
  const isSo: Record<Trouble, boolean> = {
    unwatched: staleSince !== null,
    dark: darkSince !== null && staleSince === null, // `unwatched` includes it.
    outage: outages.open > 0,
    internet: internet.lostSince !== null,
    checks: checksDown > 0,
    down: (devices?.down ?? 0) > 0,
    agents: !isAlone && agentsAway(site) > 0,
    slow: internet.speed !== null && internet.speed.slowSince !== null,
  };
  return TROUBLES.filter((trouble) => isSo[trouble]);
}

export function agentsAway({ agents }: Pick<SiteOverview, 'agents'>): number {
  return agents.filter(({ state }) => state === 'offline').length;
}

const FILTERS = {
  trouble: (site: SiteOverview) => troublesOf(site).length > 0,
  down: ({ devices }: SiteOverview) => (devices?.down ?? 0) > 0,
  new: ({ devices }: SiteOverview) => (devices?.new ?? 0) > 0,
  agents: (site: SiteOverview) => agentsAway(site) > 0,
  internet: (site: SiteOverview) => troublesOf(site).some((trouble) => trouble === 'internet' || trouble === 'slow'),
};
export type Only = keyof typeof FILTERS;

export const isOnly = (text: string | null): text is Only => text !== null && Object.hasOwn(FILTERS, text);

export const belongsTo = (site: SiteOverview, only: Only): boolean => FILTERS[only](site);

/** Whether a check or a speed test measures its internet. */
export function isInternetMeasured({ internet: { lostSince, address, speed } }: SiteOverview): boolean {
  return lostSince !== null || address !== null || speed !== null;
}

const names = new Intl.Collator(language, { numeric: true });

/** Those with trouble first, the worst of it before the rest; then by name. */
export function inOrder(sites: readonly SiteOverview[]): SiteOverview[] {
  return sites
    .map((site) => ({ site, rank: rankOf(site) }))
    .sort((one, other) => one.rank - other.rank || names.compare(one.site.name, other.site.name))
    .map(({ site }) => site);
}

function rankOf(site: SiteOverview): number {
  const [worst] = troublesOf(site);
  return worst === undefined ? TROUBLES.length : TROUBLES.indexOf(worst);
}

/** Every word of the text occurs in the name, id or tags. */
export function matches({ id, name, tags }: Pick<SiteOverview, 'id' | 'name' | 'tags'>, text: string): boolean {
  const about = [name, id, ...tags].join('\n').toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => about.includes(word));
}

/** Without unknown numbers. `unknown`: unmonitored devices. */
export function sumOf(sites: readonly SiteOverview[]) {
  const sum = (of: (site: SiteOverview) => number | null | undefined) =>
    sites.reduce((all, site) => all + (of(site) ?? 0), 0);
  return {
    devices: sum(({ devices }) => devices?.my),
    online: sum(({ devices }) => devices?.online),
    unknown: sum(({ unknown }) => unknown),
    agentsAway: sum(agentsAway),
  };
}

/** Whether an agent monitors any of its networks now. */
export const isWatched = ({ coverage }: Pick<SiteOverview, 'coverage'>): boolean => coverage.watched.length > 0;

/** Whether its statuses come from agents; otherwise from an import. */
export function isEverWatched({ coverage }: Pick<SiteOverview, 'coverage'>): boolean {
  return coverage.watched.length + coverage.unwatched.length > 0;
}
