/** Which sites a person is looking for. */
import type { SiteOverview } from '../../../shared/api/overview.ts';

export type SiteAbout = Pick<
  SiteOverview,
  'id' | 'name' | 'staleSince' | 'devices' | 'agents' | 'darkSince' | 'outages' | 'internet' | 'checksDown'
>;

/** Whether something is wrong with it: nobody watches it, an agent is away, devices are down, a check fails, it is slow. */
export function needsAttention(site: SiteAbout): boolean {
  const { staleSince, devices, agents } = site;
  const isWatched = staleSince === null && agents.every(({ state }) => state !== 'offline');
  return !isWatched || (devices?.down ?? 0) > 0 || troublesOf(site).length > 0;
}

export type Trouble = 'dark' | 'outage' | 'internet' | 'checks' | 'slow';

/** What is wrong with the site as a whole, the worst first. */
export function troublesOf({ darkSince, staleSince, outages, internet, checksDown }: SiteAbout): Trouble[] {
  const all: [Trouble, boolean][] = [
    ['dark', darkSince !== null && staleSince === null], // The other says the same.
    ['outage', outages.open > 0],
    ['internet', internet.lostSince !== null],
    ['checks', checksDown > 0],
    ['slow', internet.speed !== null && internet.speed.slowSince !== null],
  ];
  return all.flatMap(([trouble, isSo]) => (isSo ? [trouble] : []));
}

/** Every word of the text stands in the name or in the id. */
export function matches({ id, name }: Pick<SiteOverview, 'id' | 'name'>, text: string): boolean {
  const inThese = `${name}\n${id}`.toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => inThese.includes(word));
}

export interface Sum {
  devices: number;
  down: number;
  unwatched: number;
}

export function sumOf(sites: readonly SiteAbout[]): Sum {
  return {
    devices: sites.reduce((sum, { devices }) => sum + (devices?.my ?? 0), 0),
    down: sites.reduce((sum, { devices }) => sum + (devices?.down ?? 0), 0),
    unwatched: sites.filter(({ staleSince }) => staleSince !== null).length,
  };
}
