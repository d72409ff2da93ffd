/** What is wrong with a site, which sites a person is looking for, and in which order they stand. */
import type { SiteOverview } from '../../../shared/api/overview.ts';
import { language } from '../../text/format.ts';

export type SiteAbout = Pick<
  SiteOverview,
  | 'id'
  | 'name'
  | 'tags'
  | 'staleSince'
  | 'coverage'
  | 'devices'
  | 'unknown'
  | 'agents'
  | 'darkSince'
  | 'outages'
  | 'internet'
  | 'checksDown'
>;

/** The worst first. */
const TROUBLES = ['unwatched', 'dark', 'outage', 'internet', 'checks', 'down', 'agents', 'slow'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** What is wrong with a site, the worst first. */
export function troublesOf(site: SiteAbout): Trouble[] {
  const { darkSince, staleSince, outages, internet, checksDown, devices } = site;
  const isAlone = staleSince !== null || darkSince !== null;
  const isSo: Record<Trouble, boolean> = {
    unwatched: staleSince !== null,
    dark: darkSince !== null && staleSince === null, // The other says the same, and more.
    outage: outages.open > 0,
    internet: internet.lostSince !== null,
    checks: checksDown > 0,
    down: (devices?.down ?? 0) > 0,
    agents: !isAlone && agentsAway(site) > 0,
    slow: internet.speed !== null && internet.speed.slowSince !== null,
  };
  return TROUBLES.filter((trouble) => isSo[trouble]);
}

export function agentsAway({ agents }: Pick<SiteAbout, 'agents'>): number {
  return agents.filter(({ state }) => state === 'offline').length;
}

/** What a list of sites can be narrowed to. */
const ONLY = ['trouble', 'down', 'new', 'agents', 'internet'] as const;
export type Only = (typeof ONLY)[number];

export function isOnly(text: string | null): text is Only {
  return ONLY.some((one) => one === text);
}

export function belongsTo(site: SiteAbout, only: Only): boolean {
  switch (only) {
    case 'trouble':
      return troublesOf(site).length > 0;
    case 'down':
      return (site.devices?.down ?? 0) > 0;
    case 'new':
      return (site.devices?.new ?? 0) > 0;
    case 'agents':
      return agentsAway(site) > 0;
    case 'internet':
      return troublesOf(site).some((trouble) => trouble === 'internet' || trouble === 'slow');
  }
}

const names = new Intl.Collator(language, { numeric: true });

/** What wants attention first, the worst of that first; otherwise by name. */
export function inOrder<Site extends SiteAbout>(sites: readonly Site[]): Site[] {
  const ranked = sites.map((site) => ({ site, rank: rankOf(site) }));
  return ranked
    .sort((one, other) => one.rank - other.rank || names.compare(one.site.name, other.site.name))
    .map(({ site }) => site);
}

function rankOf(site: SiteAbout): number {
  const [worst] = troublesOf(site);
  return worst === undefined ? TROUBLES.length : TROUBLES.indexOf(worst);
}

/** Every word of the text occurs in the site's name, id or tags. */
export function matches({ id, name, tags }: Pick<SiteAbout, 'id' | 'name' | 'tags'>, text: string): boolean {
  const about = [name, id, ...tags].join('\n').toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => about.includes(word));
}

interface Sum {
  devices: number;
  online: number;
  down: number;
  new: number;
  /** Devices that no agent watches. */
  unknown: number;
  agentsAway: number;
}

/** Of all of them. What is not known is left out. */
export function sumOf(sites: readonly SiteAbout[]): Sum {
  const sum = { devices: 0, online: 0, down: 0, new: 0, unknown: 0, agentsAway: 0 };
  for (const { devices, unknown, agents } of sites) {
    sum.devices += devices?.my ?? 0;
    sum.online += devices?.online ?? 0;
    sum.down += devices?.down ?? 0;
    sum.new += devices?.new ?? 0;
    sum.unknown += unknown ?? 0;
    sum.agentsAway += agentsAway({ agents });
  }
  return sum;
}

/** Whether an agent watches any of its networks now: of others nothing is known to be well. */
export function isWatched({ coverage }: Pick<SiteOverview, 'coverage'>): boolean {
  return coverage.watched.length > 0;
}

/** Whether its statuses come from agents; else they are those of an import. */
export function isEverWatched({ coverage }: Pick<SiteOverview, 'coverage'>): boolean {
  return coverage.watched.length + coverage.unwatched.length > 0;
}
