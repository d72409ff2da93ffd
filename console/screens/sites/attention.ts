/** Which sites a person is looking for. */
import type { SiteOverview } from '../../../shared/api/overview.ts';

export type SiteAbout = Pick<SiteOverview, 'id' | 'name' | 'staleSince' | 'devices' | 'agents'>;

/** Whether something is wrong with it: no agent watches it, an agent is away, or devices are down. */
export function needsAttention({ staleSince, devices, agents }: SiteAbout): boolean {
  return staleSince !== null || (devices?.down ?? 0) > 0 || agents.some(({ state }) => state === 'offline');
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
