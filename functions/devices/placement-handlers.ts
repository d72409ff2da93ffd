/** `/devices/network/proposals`: where devices seem to be connected, and accepting that. */
import type { devices as operations } from '../../shared/api/devices.ts';
import type { Handlers } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { withEdit } from './edit.ts';
import { revalidated } from './encoded-list.ts';
import { pageAfter } from './pages.ts';
import { type Placement, placementsIn } from './placements.ts';
import { planOrChange } from './plan-or-change.ts';

export const placementHandlers: Pick<
  Handlers<typeof operations, DevicesContext>,
  'listPlacements' | 'acceptPlacements'
> = {
  async listPlacements({ devices }, call, { limit, cursor }) {
    const snapshot = await devices.snapshot(call.site);
    return revalidated(
      call,
      `W/${etagOf([snapshot.site, snapshot.version, 'placements', limit, cursor])}`,
      async () => {
        const all = await snapshot.derive('placements', () => placementsIn(snapshot));
        const { page, nextCursor } = pageAfter(all, cursor, limit);
        return { success: true, proposals: page.map(shown), total: all.length, nextCursor };
      },
    );
  },

  async acceptPlacements(context, call, { macs, dryRun }) {
    const only = macs === undefined ? undefined : new Set(macs);
    const plan = async (snapshot: Snapshot) => ({
      // Counts as set by a person: a place that one has reviewed is not changed automatically.
      put: (await placementsIn(snapshot, only)).map(({ device, parent, place }) =>
        withEdit(device, { devParentMAC: parent.key, devParentPort: place.value.port }),
      ),
      remove: [],
    });
    const { put, change } = await planOrChange(context, call, { cause: 'edit', dryRun }, plan);
    if (change !== null) await call.audit({ placed: put.length });
    return { success: true, accepted: put.length, skipped: (only?.size ?? put.length) - put.length, change };
  },
};

function shown({ key, device: { record }, parent, place }: Placement) {
  return {
    device: { key, name: record.devName },
    parent: { key: parent.key, name: parent.record.devName },
    port: place.value.port,
    confidence: place.confidence,
    because: place.because.map(({ source, value }) => ({ source, value })),
    present: { parent: record.devParentMAC, port: record.devParentPort },
  };
}
