/** A collection at one version, in memory, with the values computed from it. */
import { inCategory, TOTALS_ORDER } from '../../../shared/device.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { inSlices, sortedInSlices } from '../../table/slices.ts';
import type { DeviceKey, StoredDevice } from './device-codec.ts';

export class Snapshot {
  readonly site: SiteId;
  readonly version: number;
  /** In the order of their keys. Immutable. */
  readonly devices: readonly StoredDevice[];
  readonly #derived = new Map<string, unknown>();
  /** Values of `deriveFromLast`: of this version or, until it has its own, of the last version that had any. */
  #last = new Map<string, Promise<unknown>>();
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
    const device = this.devices[firstFrom(this.devices, key, 0)];
    return device?.key === key ? device : undefined;
  }

  /** The device with this key, or with this MAC among its joined ones. A row of its own always wins. */
  deviceOf(key: DeviceKey): StoredDevice | undefined {
    return this.get(key) ?? this.get(this.derive('owners', ownersOf).get(key) ?? '');
  }

  /** Numbers of devices in the order of TOTALS_ORDER. */
  get counts(): readonly number[] {
    if (this.#counts === undefined) {
      const counts = TOTALS_ORDER.map(() => 0);
      for (const device of this.devices) count(counts, device, 1);
      this.#counts = counts;
    }
    return this.#counts;
  }

  /**
   * A value that depends only on the devices: computed at the first call with this name, and cached with the snapshot; a
   * rejected promise is dropped, so that the next call retries. Names must come from a fixed set, because nothing is evicted.
   */
  derive<T>(name: string, compute: (devices: readonly StoredDevice[]) => T): T {
    if (!this.#derived.has(name)) {
      const value = compute(this.devices);
      this.#derived.set(name, value);
      if (value instanceof Promise) value.catch(() => this.#derived.delete(name));
    }
    return this.#derived.get(name) as T;
  }

  /** The same for a value that also depends on what the tag identifies. Only the value of the latest tag is kept. */
  deriveFor<T>(name: string, tag: string, compute: (devices: readonly StoredDevice[]) => T): T {
    const kept = this.#derived.get(name) as { tag: string; value: T } | undefined;
    if (kept?.tag === tag) return kept.value;
    const entry = { tag, value: compute(this.devices) };
    this.#derived.set(name, entry);
    if (entry.value instanceof Promise)
      entry.value.catch(() => this.#derived.get(name) === entry && this.#derived.delete(name));
    return entry.value;
  }

  /** For values computed faster from the latest earlier one, which is kept until then; no value may hold on to another. */
  deriveFromLast<T>(
    name: string,
    compute: (devices: readonly StoredDevice[], last: T | undefined) => Promise<T>,
  ): Promise<T> {
    return this.derive(name, (devices) => {
      const last = this.#last.get(name) as Promise<T> | undefined;
      const value = (async () => compute(devices, await last?.catch(() => undefined)))();
      this.#last.set(name, value);
      return value;
    });
  }

  /** A new snapshot, after a change. Other requests get a turn meanwhile. */
  async with(put: readonly StoredDevice[], remove: readonly DeviceKey[], version: number): Promise<Snapshot> {
    const changes: { key: DeviceKey; device?: StoredDevice }[] = [];
    for await (const slice of inSlices(put)) for (const device of slice) changes.push({ key: device.key, device });
    for await (const slice of inSlices(remove)) for (const key of slice) changes.push({ key });
    const after: StoredDevice[] = [];
    // Counted by the changes: that of one device among 100,000 needs no visit of the others.
    const counts = [...this.counts];
    let at = 0;
    for await (const slice of inSlices(await sortedInSlices(changes, byKey))) {
      for (const { key, device } of slice) {
        const place = firstFrom(this.devices, key, at);
        while (at < place) after.push(this.devices[at++] as StoredDevice);
        const known = this.devices[at];
        if (known?.key === key) {
          count(counts, known, -1);
          at++;
        }
        if (device === undefined) continue;
        count(counts, device, 1);
        after.push(device);
      }
    }
    while (at < this.size) after.push(this.devices[at++] as StoredDevice);
    const snapshot = new Snapshot(this.site, version, after);
    snapshot.#counts = counts;
    snapshot.#last = new Map(this.#last);
    return snapshot;
  }
}

function ownersOf(devices: readonly StoredDevice[]): Map<DeviceKey, DeviceKey> {
  const owners = new Map<DeviceKey, DeviceKey>();
  for (const { key, joined } of devices) {
    if (joined !== undefined) for (const mac of Object.keys(joined)) owners.set(mac, key);
  }
  return owners;
}

/** The first position with this key or a later one. Binary search: filling a Map of 100,000 after every change would block. */
export function firstFrom(devices: readonly { readonly key: DeviceKey }[], key: DeviceKey, from: number): number {
  let low = from;
  let high = devices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (devices[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds a device to the counts of its categories, or subtracts it. */
function count(counts: number[], { record }: StoredDevice, sign: 1 | -1): void {
  for (const [i, category] of TOTALS_ORDER.entries()) {
    if (inCategory(category, record)) counts[i] = (counts[i] ?? 0) + sign;
  }
}

/** The order of DynamoDB sort keys: UTF-8 bytes, which for ASCII keys are their code units. */
export function byKey(a: { key: DeviceKey }, b: { key: DeviceKey }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
