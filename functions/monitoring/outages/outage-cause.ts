/** Determines why devices have gone together, with the evidence, or that they are too few for that to be no coincidence. */
import { type DeviceRecord, INTERNET, UNKNOWN_NAMES } from '../../../shared/device.ts';
import type { Reason } from '../../../shared/reasons.ts';
import type { DeviceKey } from '../../devices/collection/device-codec.ts';
import type { Snapshot } from '../../devices/collection/snapshot.ts';

/** Devices that were last seen at about the same time. */
export interface Group {
  /** `sign`: when it was last seen (Unix, ms). */
  gone: readonly { key: DeviceKey; record: DeviceRecord; sign: number }[];
  before: Snapshot;
  /** The name of the agent that watches them. */
  agent: string;
}

interface Cause {
  /** `gateway`, `switch`: a device on which the others depend. `power`: nearly everything. `devices`: unknown. */
  cause: 'gateway' | 'switch' | 'power' | 'devices';
  why: Reason;
  /** The offline device on which the others depend. */
  root: DeviceKey | null;
}

/** From this number on, independent devices are an outage, if they are one in ten of those that were online. */
const MANY = 3;
const MANY_IS_ONE_IN = 10;
/** The share that counts as nearly everything. */
const NEARLY_ALL = 0.8;
/** Levels of a topology that are followed: a person may have drawn a loop. */
const MAX_LEVELS = 16;

/** Null when they may have gone independently. */
export function causeOf({ gone, before, agent }: Group): Cause | null {
  const keys = new Set(gone.map(({ key }) => key));
  const parentOf = (key: DeviceKey) => before.get(key)?.record.devParentMAC ?? '';
  const nameOf = (key: DeviceKey) => {
    const name = before.get(key)?.record.devName ?? '';
    return UNKNOWN_NAMES.includes(name) || name === '' ? key : name;
  };

  /** The number of devices that depend on each one. */
  const behind = new Map<DeviceKey, number>();
  for (const key of keys) {
    let above = parentOf(key);
    for (let level = 0; level < MAX_LEVELS && above !== '' && above !== key; level++, above = parentOf(above)) {
      if (keys.has(above)) behind.set(above, (behind.get(above) ?? 0) + 1);
    }
  }
  const [root, dependent = 0] = [...behind].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? [];
  if (root !== undefined && (dependent + 1) * 2 > gone.length) {
    const isGateway = parentOf(root) === INTERNET;
    const values = { device: nameOf(root), behind: dependent };
    return isGateway
      ? { cause: 'gateway', why: { code: 'gateway-gone', values }, root }
      : { cause: 'switch', why: { code: 'device-gone', values }, root };
  }

  const wasThere = before.devices.filter(
    ({ key, record }) => keys.has(key) || (record.devPresentLastScan === 1 && record.devIsArchived === 0),
  );
  for (const [parent, size] of sizes(gone.map(({ record }) => record.devParentMAC))) {
    const all = wasThere.filter(({ record }) => record.devParentMAC === parent).length;
    const isGateway = parentOf(parent) === INTERNET;
    if (parent === '' || parent === INTERNET || isGateway || size < MANY || size * 2 <= gone.length) continue;
    if (size >= all * NEARLY_ALL) {
      const values = { gone: size, of: all, device: nameOf(parent) };
      return { cause: 'switch', why: { code: 'switch-or-cable', values }, root: null };
    }
  }

  // Phones and other devices with randomized MACs come and go with people.
  const settled = gone.filter(({ record }) => record.devRandomMAC === 0).length;
  const watched = wasThere.filter(({ key, sightings }) => keys.has(key) || sightings?.[agent] !== undefined).length;
  if (settled < MANY || gone.length * MANY_IS_ONE_IN < watched) return null;
  const counts = { gone: gone.length, of: watched };
  if (counts.gone >= watched * NEARLY_ALL)
    return { cause: 'power', why: { code: 'power-or-wire', values: counts }, root: null };
  const seconds = Math.round((Math.max(...signs(gone)) - Math.min(...signs(gone))) / 1000);
  return { cause: 'devices', why: { code: 'gone-together', values: { ...counts, seconds } }, root: null };
}

const signs = (gone: Group['gone']) => gone.map(({ sign }) => sign);

function sizes(keys: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const key of keys) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  return sizes;
}
