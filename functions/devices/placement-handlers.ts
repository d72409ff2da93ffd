/** `/devices/network/proposals`: where devices seem to hang, and taking that over. */
import type { devices as operations } from '../../shared/api/devices.ts';
import type { Handlers } from '../http/call.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { withEdit } from './edit.ts';
import { pageAfter } from './pages.ts';
import { type Placement, placementsIn } from './placements.ts';

export const placementHandlers: Pick<
  Handlers<typeof operations, DevicesContext>,
  'listPlacements' | 'acceptPlacements'
> = {
  async listPlacements({ devices }, call, { limit, cursor }) {
    const snapshot = await devices.snapshot(call.site);
    const ETag = `W/${etagOf([snapshot.site, snapshot.version, 'placements', limit, cursor])}`;
    const headers = { ETag, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding, Authorization, X-Site' };
    if (namesEtag(call.ifNoneMatch, ETag)) return new HandlerResult(null, { headers });
    const all = await snapshot.derive('placements', () => placementsIn(snapshot));
    const { page, nextCursor } = pageAfter(all, cursor, limit);
    return new HandlerResult({ success: true, proposals: page.map(shown), total: all.length, nextCursor }, { headers });
  },

  async acceptPlacements({ devices }, call, { macs, dryRun }) {
    const only = macs === undefined ? undefined : new Set(macs);
    const plan = async (snapshot: Snapshot) => ({
      put: (await placementsIn(snapshot, only)).map(accepted),
      remove: [],
    });
    const { put, version } = dryRun
      ? { ...(await plan(await devices.snapshot(call.site))), version: null }
      : await devices.change(call.site, { actor: call.token.id, cause: 'edit' }, plan);
    if (version !== null) await call.audit({ placed: put.length });
    const asked = only?.size ?? put.length;
    return {
      success: true,
      accepted: put.length,
      skipped: asked - put.length,
      change: version === null ? null : String(version),
    };
  },
};

/** It is a person's word from then on: a place that somebody has looked at does not change behind their back. */
function accepted({ device, parent, place }: Placement) {
  return withEdit(device, { devParentMAC: parent.key, devParentPort: place.value.port });
}

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
