/** A collection at one version, in memory, with the values computed from it. */
import { type Category, inCategory, TOTALS_ORDER } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import { inSlices, merge, sortedInSlices } from '../load/slices.ts';
import type { DeviceKey, StoredDevice } from './device-codec.ts';

export class Snapshot {
  readonly site: SiteId;
  readonly version: number;
  /** In the order of their keys. Never changed. */
  readonly devices: readonly StoredDevice[];
  readonly #derived = new Map<string, unknown>();
  #byKey: Map<DeviceKey, StoredDevice> | undefined;
  #counts: readonly number[] | undefined;

  constructor(site: SiteId, version: number, devices: readonly StoredDevice[]) {
    this.site = site;
    this.version = version;
    this.devices = devices;
  }

  get size(): number {
    return this.devices.length;
  }

  get(key: DeviceKey): StoredDevice | undefined {
    this.#byKey ??= new Map(this.devices.map((device) => [device.key, device]));
    return this.#byKey.get(key);
  }

  /** Numbers of devices in the order of TOTALS_ORDER. */
  get counts(): readonly number[] {
    this.#counts ??= addCounts([], this.devices, 1);
    return this.#counts;
  }

  /**
   * A value that depends only on the devices: computed at the first call with this name, and cached as long as the
   * snapshot. Names must come from a fixed set, because nothing is ever evicted.
   */
  derive<T>(name: string, compute: (devices: readonly StoredDevice[]) => T): T {
    if (!this.#derived.has(name)) this.#derived.set(name, compute(this.devices));
    return this.#derived.get(name) as T;
  }

  /** The collection after a change, as a new snapshot. Gives other requests their turn meanwhile. */
  async with(put: readonly StoredDevice[], remove: readonly DeviceKey[], version: number): Promise<Snapshot> {
    const replaced = new Set(remove);
    for await (const slice of inSlices(put)) for (const { key } of slice) replaced.add(key);
    const kept: StoredDevice[] = [];
    for await (const slice of inSlices(this.devices)) {
      for (const device of slice) if (!replaced.has(device.key)) kept.push(device);
    }
    const after = new Snapshot(this.site, version, merge(kept, await sortedInSlices(put, byKey), byKey));
    // Counted by what has changed: a change of one device among 100,000 needs no look at the others.
    const before = [...replaced].map((key) => this.get(key)).filter((device) => device !== undefined);
    after.#counts = addCounts(addCounts(this.counts, before, -1), put, 1);
    return after;
  }
}

function addCounts(counts: readonly number[], devices: readonly StoredDevice[], sign: 1 | -1): number[] {
  const counted = (category: Category) =>
    devices.reduce((count, { record }) => count + Number(inCategory(category, record)), 0);
  return TOTALS_ORDER.map((category, i) => (counts[i] ?? 0) + sign * counted(category));
}

/** The order of DynamoDB sort keys: by UTF-8 bytes, which for keys of ASCII is the order of their code units. */
function byKey(a: StoredDevice, b: StoredDevice): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
