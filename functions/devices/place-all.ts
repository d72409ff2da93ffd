/** Accepts the proposed places when a site begins to accept them automatically. */
import type { Site } from '../../shared/api/records.ts';
import type { DeviceStore } from './collection/device-store.ts';
import type { Snapshot } from './collection/snapshot.ts';
import { placed, placementsIn } from './placements.ts';

/** Applies all present proposals as later sightings would: not as set by a person. */
export async function placeAll(
  devices: Pick<DeviceStore, 'change'>,
  { before, after }: { before: Pick<Site, 'discovery'>; after: Pick<Site, 'id' | 'discovery'> },
  actor: string,
): Promise<void> {
  if (before.discovery.acceptParents === true || after.discovery.acceptParents !== true) return;
  await devices.change(after.id, { actor, cause: 'edit' }, async (snapshot: Snapshot) => ({
    put: (await placementsIn(snapshot)).map(placed),
    remove: [],
  }));
}
