/** Changes the state of a site, and records the events in the journal: both or neither. */
import type { AgentId, SiteId } from '../../../shared/identity.ts';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import type { DeviceStore } from '../../devices/collection/device-store.ts';
import type { SiteState, SiteStates } from './site-state.ts';

/** A state after an observation, and the events of that. */
export interface Observed {
  state: SiteState;
  occurrences: readonly Occurrence[];
}

export const unchanged = (state: SiteState): Observed => ({ state, occurrences: [] });

/** Returns a new state, or null when nothing changes. Called again with a newer state after a conflict: no side effects. */
type Reduce = (state: SiteState) => Observed | null | Promise<Observed | null>;

/** Costs one read unit when nothing changes. @param actor the agent that has observed it; null for the service itself */
export async function observe(
  { devices, siteStates }: { devices: DeviceStore; siteStates: SiteStates },
  site: SiteId,
  actor: AgentId | null,
  reduce: Reduce,
): Promise<void> {
  const { state } = await siteStates.read(site, { consistent: true });
  if ((await reduce(state)) === null) return;
  await devices.change(site, { actor: actor ?? 'service', cause: 'observation' }, async () => {
    const known = await siteStates.read(site, { consistent: true });
    const observed = await reduce(known.state);
    const nothing = { put: [], remove: [] };
    if (observed === null) return nothing;
    return { ...nothing, occurrences: observed.occurrences, also: [known.replaceBy(observed.state)] };
  });
}
