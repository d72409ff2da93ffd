/**
 * `/devices/restore`: restores what a change has deleted.
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
import { asOwnDevice, occurrenceOf, withoutMembers } from './members.ts';
import { planOrChange } from './plan-or-change.ts';

export const restoreHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'restoreDevices'> = {
  async restoreDevices(context, call, { change, macs, dryRun }) {
    const { devices, now } = context;
    const wanted = macs === undefined ? null : keysOf(macs);
    const entry =
      change === undefined
        ? await latestDeletion(devices, call.site)
        : await devices.changeAt(call.site, Number(change));
    checkRestorable(entry, change, now());
    const plan = async (snapshot: Snapshot) => {
      const deleted = await devices.deletedBy(call.site, entry);
      const isWanted = ({ key }: StoredDevice) => wanted === null || wanted.has(key);
      // Read after the snapshot: if one of them was added again in between, that was a change, and this is planned again.
      return planRestore(snapshot, deleted.filter(isWanted), entry, now());
    };
    const { restored, ...done } = await planOrChange(context, call, { cause: 'restore', dryRun }, plan);
    const id = String(entry.version);
    if (done.change !== null) await call.audit({ change: id, restored: restored.length });
    const requested = wanted === null ? entry.counts.removed : wanted.size;
    return { success: true, restored: restored.length, skipped: Math.max(0, requested - restored.length), change: id };
  },
};

/** MACs that were joined with another device meanwhile are taken out of it, including those that they brought along. */
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
  const occurrences = [...leaving].map(([key, macs]) => occurrenceOf('split', key, [...macs], now));
  return { put: [...restored, ...owners], remove: [], restored, occurrences };
}

/** The device with the first connection that it had before this change, unless a later change has set another one. */
function seenFirstAsBefore(device: StoredDevice, { devices }: JournalEntry): StoredDevice {
  for (const [key, kind, edits] of devices ?? []) {
    if (key !== device.key || kind !== '=') continue;
    const [before, after] = edits[positionOf('devFirstConnection')] ?? [];
    if (typeof before === 'string' && after === device.record.devFirstConnection)
      return { ...device, record: { ...device.record, devFirstConnection: before } };
  }
  return device;
}

/** The device as it was, with what discovery has seen since. Empty if a person has added it again, or edited it since. */
function asItWas(deleted: StoredDevice, snapshot: Snapshot): StoredDevice[] {
  const present = snapshot.get(deleted.key);
  const member = snapshot.deviceOf(deleted.key)?.joined?.[deleted.key];
  if (present === undefined) return [member === undefined ? deleted : asOwnDevice(deleted.key, member, deleted)];
  if (present.sightings === undefined || (present.byPerson?.length ?? 0) > 0) return [];
  const seen = Object.fromEntries(SEEN.map((field) => [field, present.record[field]]));
  const device = { ...deleted, record: { ...deleted.record, ...seen }, sightings: present.sightings };
  return isSameDevice(device, present) ? [] : [device];
}

/** True of the present, whatever a device was when it was deleted. */
const SEEN = ['devLastIP', 'devPresentLastScan', 'devLastConnection', 'devAddresses', 'devConflict'] as const;

function keysOf(macs: readonly string[]): Set<DeviceKey> {
  const keys = macs.map(parseDeviceKey);
  const message = 'expected a MAC address, Internet, or a key as topology has it';
  const faults = keys.flatMap((key, i) => (key === null ? [{ path: `macs.${i}`, message }] : []));
  if (faults.length > 0) throw validationError(faults);
  return new Set(keys.filter((key) => key !== null));
}

/** Journal entries that are searched for the latest deletion. */
const MAX_ENTRIES = 5_000;
const PAGE = 500;

async function latestDeletion(devices: DeviceStore, site: SiteId): Promise<JournalEntry | null> {
  let entries = 0;
  for await (const { found } of devices.changesBefore(await devices.snapshot(site), null, PAGE)) {
    const deletion = found.find(({ counts, cause }) => counts.removed > 0 && cause !== 'sighting');
    if (deletion !== undefined) return deletion;
    entries += found.length;
    if (entries >= MAX_ENTRIES) {
      const message = `None of the latest ${entries.toLocaleString('en')} changes has deleted a device: name the change (GET /events?type=deleted shows them)`;
      throw new ServiceError('not_found', message);
    }
  }
  return null;
}

/** @throws {ServiceError} `not_found` when the change has deleted no device that can be restored */
function checkRestorable(
  entry: JournalEntry | null,
  change: string | number | undefined,
  now: Date,
): asserts entry is JournalEntry {
  const within = `deleted devices can be brought back for ${RESTORABLE_DAYS} days`;
  const refuse = (problem: string) => new ServiceError('not_found', `${problem}; ${within}`);
  if (entry === null)
    throw refuse(change === undefined ? 'No change of this site has deleted a device' : `There is no change ${change}`);
  if (now.getTime() - entry.at.getTime() > RESTORABLE_DAYS * 86_400_000) {
    const day = entry.at.toISOString().slice(0, 10);
    throw refuse(`The change ${entry.version} was made on ${day}, which is too long ago`);
  }
  if (entry.counts.removed === 0) throw refuse(`The change ${entry.version} has deleted no device`);
}
