/** `/devices`: reads are served from a snapshot of the collection, changes are planned on one. */
import type { devices as operations } from '../../shared/api/devices.ts';
import { type StatusFilter, TOTALS_ORDER, UNKNOWN_NAMES } from '../../shared/device.ts';
import type { AuditedCall, Handlers, SiteCall } from '../http/call.ts';
import { EncodedBody } from '../http/encoded-body.ts';
import { etagOf } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { inSlices } from '../table/slices.ts';
import type { Change } from './collection/change-row.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { uploadedFile } from './csv.ts';
import { editHandlers } from './edit.ts';
import { BATCH, encoded, jsonArray, listText, revalidated, staleness, withStatus } from './encoded-list.ts';
import { eventHandlers } from './event-handlers.ts';
import { evidenceHandlers } from './evidence.ts';
import { type ExportQuery, exported } from './export.ts';
import { facetHandlers } from './facets.ts';
import { type ImportPlan, planImport, requireReplaceable } from './import.ts';
import { type ImportFile, mergeRemarks, readImport } from './import-file.ts';
import { joinHandlers } from './join-handlers.ts';
import { listHandlers } from './list-handler.ts';
import { macMatcher } from './mac-pattern.ts';
import { deviceHandlers } from './one-device.ts';
import { DEFAULT_LIMIT, firstPage, pageAfter, positionAfter } from './pages.ts';
import { snapshotAt } from './past.ts';
import { placementHandlers } from './placement-handlers.ts';
import { planOrChange } from './plan-or-change.ts';
import { presenceHandlers } from './presence-handlers.ts';
import { requestDigests } from './request-digests.ts';
import { restoreHandlers } from './restore.ts';
import { searchDevices } from './search.ts';
import { topologyOf } from './topology.ts';

export const devicesHandlers: Handlers<typeof operations, DevicesContext> = {
  ...listHandlers,

  async deleteDevices(context, call, { macs, dryRun }) {
    const matches = macs === undefined || macs === null ? () => true : await macMatcher(macs);
    const { deleted, change } = await remove(context, call, dryRun, 'macs', ({ record }) => matches(record.devMac));
    return { success: true, deleted_count: deleted, change };
  },

  async deleteEmptyMacs(context, call, { dryRun }) {
    const isEmpty = ({ record }: StoredDevice) => record.devMac === '';
    return { success: true, ...(await remove(context, call, dryRun, 'empty-macs', isEmpty)) };
  },

  async deleteUnknown(context, call, { dryRun }) {
    const isUnknown = ({ record }: StoredDevice) => UNKNOWN_NAMES.includes(record.devName);
    return { success: true, ...(await remove(context, call, dryRun, 'unknown', isUnknown)) };
  },

  exportDevices,
  exportDevicesAs: exportDevices,

  async importDevices(context, call, { content, mode, allowSkipped, dryRun }) {
    const isLarge = (call.upload ?? content ?? '').length > SMALL_IMPORT;
    return (isLarge ? largeImports : smallImports).run(async () => {
      const file = await readImport(await uploadedFile(call.upload, content));
      if (mode === 'replace') requireReplaceable(file, allowSkipped);
      const plan = (snapshot: Snapshot) => planImport(file, snapshot, mode, context.now());
      const done = await planOrChange(context, call, { cause: 'import', dryRun }, plan);
      const counts = { inserted: done.inserted, updated: done.updated, deleted: done.remove.length };
      if (!dryRun) await call.audit({ ...counts, skipped: file.skipped.count + done.skipped.count, mode });
      const isForAgents = counts.deleted > 0 || file.rows.some(({ fields }) => fields.devAlertDown !== undefined);
      if (done.change !== null && isForAgents) await requestDigests(context, call.site);
      return { success: true, ...counts, change: done.change, ...remarksOn(file, done) };
    });
  },

  async countDevices(context, call, { at }) {
    const { counts, staleSince } = await totalsAt(context, call, at);
    return new HandlerResult(counts, { headers: staleness(staleSince) });
  },

  async countDevicesByName(context, call, { at }) {
    const { counts, staleSince } = await totalsAt(context, call, at);
    const named = TOTALS_ORDER.map((category, i) => [TOTALS_NAMES[category], counts[i] ?? 0]);
    return new HandlerResult({ success: true, totals: Object.fromEntries(named) }, { headers: staleness(staleSince) });
  },

  listByStatus,
  queryByStatus: listByStatus,

  async searchDevices({ devices }, { site }, { query, limit, cursor }) {
    const snapshot = await devices.snapshot(site);
    if (limit === undefined && cursor === undefined) {
      const found = await searchDevices(snapshot, query);
      if (found.length <= BATCH) return { success: true, devices: found.map(foundDevice) };
      const etag = `W/${etagOf([snapshot.version, query])}`;
      const text = () => listText(found, foundDevice);
      return new HandlerResult(new EncodedBody(text, { contentType: 'application/json', etag }));
    }
    const size = limit ?? DEFAULT_LIMIT;
    const from = positionAfter(snapshot.devices, cursor, 'cursor');
    const { page, nextCursor } = firstPage(await searchDevices(snapshot, query, { from, limit: size + 1 }), size);
    return { success: true, devices: page.map(foundDevice), nextCursor };
  },

  async latestDevice({ devices }, { site }) {
    const snapshot = await devices.snapshot(site);
    return snapshot.derive('latest', latestOf);
  },

  async networkTopology(context, call, { at, fields, limit, cursor }) {
    const isFull = fields === 'all';
    const current = await context.devices.read(call.site);
    const isPage = limit !== undefined || cursor !== undefined;
    if (!isPage && at === undefined) {
      return encoded(current.snapshot, `topology ${fields ?? ''}`, (all) => [
        JSON.stringify(topologyOf(all, { isFull })),
      ]);
    }
    const { site, version } = current.snapshot;
    return revalidated(call, `W/${etagOf([site, version, 'topology', at, fields, limit, cursor])}`, async () => {
      const snapshot = at === undefined ? current.snapshot : await snapshotAt(context, current, at);
      if (!isPage) return topologyOf(snapshot.devices, { isFull });
      const { page, nextCursor } = pageAfter(snapshot.devices, cursor, limit, at);
      return { ...topologyOf(page, { isFull, find: (key) => snapshot.get(key) }), nextCursor };
    });
  },

  ...editHandlers,
  ...facetHandlers,
  ...deviceHandlers,
  showDevice: (context, call, input) => deviceHandlers.getDevice(context, call, input),
  ...placementHandlers,
  ...presenceHandlers,
  ...restoreHandlers,
  ...joinHandlers,
  ...eventHandlers,
  ...evidenceHandlers,
};

/** NetAlertX's names for the categories of the totals. */
const TOTALS_NAMES = {
  my: 'devices',
  online: 'connected',
  favorites: 'favorites',
  new: 'new',
  down: 'down',
  archived: 'archived',
} as const satisfies Record<(typeof TOTALS_ORDER)[number], string>;

async function totalsAt(context: DevicesContext, call: SiteCall, at: Date | undefined) {
  if (at === undefined) return context.devices.totals(call.site);
  const current = await context.devices.read(call.site);
  const { counts } = await snapshotAt(context, current, at);
  return { counts, staleSince: current.staleSince };
}

async function exportDevices({ devices, now }: DevicesContext, { site }: SiteCall, query: ExportQuery) {
  return exported(await devices.read(site), query, now());
}

async function listByStatus(
  { devices }: DevicesContext,
  { site }: SiteCall,
  { status }: { status?: StatusFilter | undefined },
): Promise<HandlerResult> {
  const { snapshot, staleSince } = await devices.read(site);
  const headers = staleness(staleSince);
  const text = (all: readonly StoredDevice[]) => jsonArray(withStatus(all, status), statusItem);
  return encoded(snapshot, `status ${status ?? ''}`, text, { headers });
}

const refusal = 'Too many imports are waiting already; try again later';
/** One at a time: 200,000 rows take hundreds of MB and many seconds. Few wait: each holds one of 8 slots for large bodies. */
const largeImports = openSemaphore({ atOnce: 1, waiting: 3, refusal });
const smallImports = openSemaphore({ atOnce: 4, waiting: 96, refusal });
/** Bytes, or characters of base64: some thousand rows. */
const SMALL_IMPORT = 512 * 1024;

function remarksOn(file: ImportFile, plan: ImportPlan) {
  const { adjusted, ignoredColumns } = plan;
  const skipped = mergeRemarks(file.skipped, plan.skipped);
  return {
    skipped_lines: skipped.named.map(({ line }) => line),
    skipped: skipped.named,
    skipped_count: skipped.count,
    adjusted: adjusted.named,
    adjusted_count: adjusted.count,
    ignored_columns: ignoredColumns,
  };
}

function foundDevice({ record: { devName, devMac, devLastIP, devType } }: StoredDevice) {
  return { devName, devMac, devLastIP, devType };
}

function statusItem({ record: { devMac, devName, devFavorite } }: StoredDevice) {
  return { id: devMac, title: devFavorite === 1 ? `★ ${devName}` : devName, favorite: devFavorite };
}

/** Times in this format sort as text. Among devices with the same time, the first by key wins. */
function latestOf(all: readonly StoredDevice[]) {
  if (all.length === 0) return [];
  const latest = all.reduce((a, b) => (b.record.devFirstConnection > a.record.devFirstConnection ? b : a));
  const { devName, devMac, devLastIP, devFirstConnection } = latest.record;
  return [{ devName, devMac, devLastIP, devFirstConnection }];
}

async function remove(
  context: DevicesContext,
  call: SiteCall & AuditedCall,
  dryRun: boolean,
  what: string,
  matches: (device: StoredDevice) => boolean,
): Promise<{ deleted: number; change: string | null }> {
  const plan = async (snapshot: Snapshot): Promise<Change> => {
    const change: Change = { put: [], remove: [] };
    for await (const slice of inSlices(snapshot.devices)) {
      for (const device of slice) if (matches(device)) change.remove.push(device.key);
    }
    return change;
  };
  const { remove: removed, change } = await planOrChange(context, call, { cause: 'delete', dryRun }, plan);
  if (change !== null) {
    await call.audit({ what, deleted: removed.length });
    await requestDigests(context, call.site);
  }
  return { deleted: removed.length, change };
}
