/**
 * `/devices/restore`: brings back what a change has deleted.
 * @promise People can bring a deleted device back for 30 days; one still on the LAN comes back as new:
 *   `test/api/events.test.ts`, `test/api/sightings.test.ts`.
 */
import type { devices as operations } from '../../shared/api/devices.ts';
import { parseDeviceKey, RESTORABLE_DAYS } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Handlers } from '../http/call.ts';
import { validationError } from '../http/errors.ts';
import type { Change, JournalEntry } from './collection/change-row.ts';
import { type DeviceKey, isSameDevice, positionOf, type StoredDevice } from './collection/device-codec.ts';
import type { DeviceStore } from './collection/device-store.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { asOwnDevice, toldOf, withoutMembers } from './members.ts';

export const restoreHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'restoreDevices'> = {
  async restoreDevices({ devices, now }, call, { change, macs, dryRun }) {
    const wanted = macs === undefined ? null : keysOf(macs);
    const entry =
      change === undefined
        ? await latestDeletion(devices, call.site)
        : await devices.changeAt(call.site, Number(change));
    checkRestorable(entry, change, now());
    const plan = async (snapshot: Snapshot) => {
      const deleted = await devices.deletedBy(call.site, entry);
      const isWanted = ({ key }: StoredDevice) => wanted === null || wanted.has(key);
      // Read after the snapshot: who added one of them again in between has made a change, and this is planned once more.
      return planRestore(snapshot, deleted.filter(isWanted), entry, now());
    };
    const { restored, version } = dryRun
      ? { ...(await plan(await devices.snapshot(call.site))), version: null }
      : await devices.change(call.site, { actor: call.token.id, cause: 'restore' }, plan);
    const id = String(entry.version);
    if (version !== null) await call.audit({ change: id, restored: restored.length });
    const asked = wanted === null ? entry.counts.removed : wanted.size;
    return { success: true, restored: restored.length, skipped: Math.max(0, asked - restored.length), change: id };
  },
};

/** Those that were joined with another device are taken out of that, with what they have brought along. */
function planRestore(
  snapshot: Snapshot,
  deleted: readonly StoredDevice[],
  entry: JournalEntry,
  now: Date,
): Change & { restored: StoredDevice[] } {
  const restored = deleted.flatMap((device) => asItWas(device, snapshot));
  const leaving = new Map<DeviceKey, Set<DeviceKey>>();
  for (const { key, joined = {} } of restored) {
    for (const mac of [key, ...Object.keys(joined)]) {
      const owner = snapshot.get(mac) === undefined ? snapshot.deviceOf(mac) : undefined;
      if (owner === undefined) continue;
      leaving.set(owner.key, (leaving.get(owner.key) ?? new Set()).add(mac));
    }
  }
  const owners = [...leaving].flatMap(([key, macs]) => {
    const owner = snapshot.get(key);
    return owner === undefined ? [] : [seenFirstAsBefore(withoutMembers(owner, macs, now), entry)];
  });
  const told = [...leaving].map(([key, macs]) => toldOf('split', key, [...macs], now));
  return { put: [...restored, ...owners], remove: [], restored, told };
}

/** The device with the first sight that it had before this change, if no later one has given it another. */
function seenFirstAsBefore(device: StoredDevice, { devices }: JournalEntry): StoredDevice {
  for (const [key, kind, edits] of devices ?? []) {
    if (key !== device.key || kind !== '=') continue;
    const [before, after] = edits[positionOf('devFirstConnection')] ?? [];
    if (typeof before === 'string' && after === device.record.devFirstConnection) {
      return { ...device, record: { ...device.record, devFirstConnection: before } };
    }
  }
  return device;
}

/**
 * The device as it was. Where discovery has found it again, with what that has seen since. One that somebody has added
 * again, or has set anything of since, stays as it is: then there is none to restore.
 */
function asItWas(deleted: StoredDevice, snapshot: Snapshot): StoredDevice[] {
  const present = snapshot.get(deleted.key);
  const member = snapshot.deviceOf(deleted.key)?.joined?.[deleted.key];
  if (present === undefined) return [member === undefined ? deleted : asOwnDevice(deleted.key, member, deleted)];
  if (present.sightings === undefined || (present.byPerson?.length ?? 0) > 0) return [];
  const seen = Object.fromEntries(SEEN.map((field) => [field, present.record[field]]));
  const device = { ...deleted, record: { ...deleted.record, ...seen }, sightings: present.sightings };
  return isSameDevice(device, present) ? [] : [device];
}

/** What is true now, whatever a device was when it was deleted. */
const SEEN = ['devLastIP', 'devPresentLastScan', 'devLastConnection', 'devAddresses', 'devConflict'] as const;

function keysOf(macs: readonly string[]): Set<DeviceKey> {
  const keys = macs.map(parseDeviceKey);
  const faults = keys.flatMap((key, i) =>
    key === null
      ? [{ path: `macs.${i}`, message: 'expected a MAC address, Internet, or a key as topology has it' }]
      : [],
  );
  if (faults.length > 0) throw validationError(faults);
  return new Set(keys.filter((key) => key !== null));
}

/** Entries of the journal that are looked at for the latest change that has deleted something. */
const MAX_ENTRIES = 5_000;
const PAGE = 500;

async function latestDeletion(devices: DeviceStore, site: SiteId): Promise<JournalEntry | null> {
  let entries = 0;
  for await (const { found } of devices.changesBefore(await devices.snapshot(site), null, PAGE)) {
    const deletion = found.find(({ counts, cause }) => counts.removed > 0 && cause !== 'sighting');
    if (deletion !== undefined) return deletion;
    entries += found.length;
    if (entries >= MAX_ENTRIES) {
      throw new ServiceError(
        'not_found',
        `None of the latest ${entries.toLocaleString('en')} changes has deleted a device: name the change (GET /events?type=deleted shows them)`,
      );
    }
  }
  return null;
}

/** @throws {ServiceError} `not_found` when the change has deleted nothing that can be brought back */
function checkRestorable(
  entry: JournalEntry | null,
  change: string | number | undefined,
  now: Date,
): asserts entry is JournalEntry {
  const within = `deleted devices can be brought back for ${RESTORABLE_DAYS} days`;
  const refuse = (problem: string) => new ServiceError('not_found', `${problem}; ${within}`);
  if (entry === null) {
    throw refuse(change === undefined ? 'No change of this site has deleted a device' : `There is no change ${change}`);
  }
  if (now.getTime() - entry.at.getTime() > RESTORABLE_DAYS * 86_400_000) {
    throw refuse(
      `The change ${entry.version} was made on ${entry.at.toISOString().slice(0, 10)}, which is too long ago`,
    );
  }
  if (entry.counts.removed === 0) throw refuse(`The change ${entry.version} has deleted no device`);
}
