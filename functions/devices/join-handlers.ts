/** `/devices/same`, `/devices/{mac}/join` and `split`: devices with several MACs. */
import type { devices as operations } from '../../shared/api/devices.ts';
import { BLANK_DEVICE, INTERNET, MAX_JOINED, UNKNOWN_NAMES } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Handlers } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import type { Change } from './collection/change-row.ts';
import { type DeviceKey, type StoredDevice, WITHOUT_MAC } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { alsoApart, asOwnDevice, joined, occurrenceOf, othersOf, withoutMembers } from './members.ts';
import { checkUnchanged, findDevice } from './one-device.ts';
import { pageAfter } from './pages.ts';
import { isLocalMac, sameDevices, shownGroup } from './same-device.ts';
import { formatTime } from './time.ts';

type Names = 'listSameDevices' | 'joinDevices' | 'splitDevice';

export const joinHandlers: Pick<Handlers<typeof operations, DevicesContext>, Names> = {
  async listSameDevices({ devices }, { site }, { limit, cursor }) {
    const snapshot = await devices.snapshot(site);
    const groups = await snapshot.derive('same', sameDevices);
    const keyed = groups.map((group) => ({ key: group.device.key, group }));
    const { page, nextCursor } = pageAfter(keyed, cursor, limit);
    return { success: true, same: page.map(({ group }) => shownGroup(group)), nextCursor };
  },

  async joinDevices({ devices, now }, call, { mac, macs }) {
    const plan = (snapshot: Snapshot) => {
      const owner = findDevice(snapshot, mac);
      checkUnchanged(call, owner);
      return { ...planJoin(snapshot, owner, macs, now()), name: owner.record.devName };
    };
    const { remove, name, version } = await devices.change(call.site, { actor: call.token.id, cause: 'join' }, plan);
    await call.audit({ device: mac, name, joined: remove.length, macs: remove.slice(0, MAX_AUDITED).join(', ') });
    return { success: true, joined: remove.length, change: String(version) };
  },

  async splitDevice({ devices, now }, call, { mac, macs }) {
    const plan = async (snapshot: Snapshot) => {
      const owner = findDevice(snapshot, mac);
      checkUnchanged(call, owner);
      const members = othersOf(owner);
      if (macs === undefined && members.length === 0)
        return { put: [{ ...owner, byPerson: alsoApart(owner) }], remove: [], split: [] };
      const split = macs === undefined ? members.map(([member]) => member) : [...new Set(macs)];
      checkMembers(owner, split);
      const former = await devices.lastDeleted(call.site, split);
      return planSplit(owner, split, former, now());
    };
    const { split, version } = await devices.change(call.site, { actor: call.token.id, cause: 'join' }, plan);
    if (version !== null)
      await call.audit({ device: mac, split: split.length, macs: split.slice(0, MAX_AUDITED).join(', ') });
    return { success: true, split: split.length, change: version === null ? null : String(version) };
  },
};

const MAX_AUDITED = 10;

/** Devices below a joined one move below the one that stays. */
function planJoin(snapshot: Snapshot, owner: StoredDevice, macs: readonly DeviceKey[], now: Date): Change {
  const keys = [...new Set(macs)];
  checkJoinable(snapshot, owner, keys);
  const others = keys.flatMap((key) => snapshot.get(key) ?? []);
  const gone = new Set(keys);
  const children = snapshot.devices
    .filter(({ key, record }) => key !== owner.key && !gone.has(key) && gone.has(record.devParentMAC))
    .map((device) => ({ ...device, record: { ...device.record, devParentMAC: owner.key } }));
  const whole = joined(owner, others, now);
  const added = othersOf(whole).flatMap(([mac]) => (owner.joined?.[mac] === undefined ? [mac] : []));
  const occurrences = [occurrenceOf('joined', owner.key, added, now)];
  return { put: [whole, ...children], remove: keys, occurrences };
}

/** @throws {ServiceError} `not_found`, `conflict` or `validation_failed`, with the MAC that is to blame */
function checkJoinable(snapshot: Snapshot, owner: StoredDevice, keys: readonly DeviceKey[]): void {
  const refused = (i: number, message: string) => invalid(`macs.${i}`, message);
  if (owner.key === INTERNET || owner.key.startsWith(WITHOUT_MAC))
    throw invalid('params.mac', `expected a device with a MAC: ${owner.key} has none`);
  let count = othersOf(owner).length;
  for (const [i, key] of keys.entries()) {
    if (key === INTERNET || key.startsWith(WITHOUT_MAC))
      throw refused(i, `expected a device with a MAC: ${key} has none`);
    if (key === owner.key) throw refused(i, `expected other devices: ${key} is the device itself`);
    const other = snapshot.get(key);
    if (other === undefined) {
      const of = snapshot.deviceOf(key);
      if (of === undefined) throw new ServiceError('not_found', `There is no device ${key} on site "${snapshot.site}"`);
      const whose = of.key === owner.key ? 'this device' : `${of.key} (${of.record.devName})`;
      throw new ServiceError('conflict', `${key} is joined with ${whose} already`);
    }
    count += 1 + othersOf(other).length;
  }
  const message = `expected at most ${MAX_JOINED} other MACs of a device, got ${count}`;
  if (count > MAX_JOINED) throw invalid('macs', message);
}

function checkMembers(owner: StoredDevice, macs: readonly DeviceKey[]): void {
  const members = new Set(othersOf(owner).map(([mac]) => mac));
  const foreign = macs.findIndex((mac) => !members.has(mac));
  if (foreign === -1) return;
  throw invalid(`macs.${foreign}`, `expected MACs that are joined with ${owner.key}: ${macs[foreign]} is not`);
}

/** @param former the devices as they were when they were joined, as far as that is kept */
function planSplit(
  owner: StoredDevice,
  macs: readonly DeviceKey[],
  former: readonly StoredDevice[],
  now: Date,
): Change & { split: readonly DeviceKey[] } {
  const known = new Map(former.map((device) => [device.key, device]));
  const rows = macs.flatMap((mac) => {
    const member = owner.joined?.[mac];
    if (member === undefined) return [];
    // MACs that were joined with it stay joined, unless they are split by name.
    const { joined: _, ...before } = known.get(mac) ?? newDevice(mac, member.joinedAt);
    return [asOwnDevice(mac, member, { ...before, record: { ...before.record, devOtherMACs: '' } })];
  });
  return {
    put: [withoutMembers(owner, new Set(macs), now), ...rows],
    remove: [],
    occurrences: [occurrenceOf('split', owner.key, macs, now)],
    split: macs,
  };
}

function newDevice(mac: DeviceKey, joinedAt: number): StoredDevice {
  const record = {
    ...BLANK_DEVICE,
    devMac: mac,
    devName: UNKNOWN_NAMES[0] ?? '',
    devFirstConnection: formatTime(new Date(joinedAt)),
    devRandomMAC: isLocalMac(mac) ? (1 as const) : (0 as const),
  };
  return { key: mac, record };
}
