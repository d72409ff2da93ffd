/** The interface of each device with its MAC, and the address that it has there. */
import * as z from 'zod';
import { parseIp } from '../../shared/addresses.ts';
import { idOfVrf } from './lookups.ts';
import { TAG } from './marks.ts';
import { IN_QUERY, type NetBox } from './netbox-client.ts';
import type { Placed, SyncOptions } from './wanted.ts';
import type { Writer } from './writer.ts';

const Ref = z.object({ id: z.int() });
const Tags = z.array(z.object({ slug: z.string() }));
const Interface = z.object({ id: z.int(), device: Ref, mac_address: z.string().nullable(), tags: Tags });
const Mac = z.object({ id: z.int(), mac_address: z.string(), assigned_object_id: z.int().nullable() });
const Address = z.object({ id: z.int(), address: z.string(), assigned_object_id: z.int().nullable(), tags: Tags });

const INTERFACE = 'lan';
const ON_INTERFACE = 'dcim.interface';

const isOurs = ({ tags }: { tags: z.infer<typeof Tags> }) => tags.some(({ slug }) => slug === TAG.slug);

export class AddressBook {
  readonly #netbox: NetBox;
  readonly #writer: Writer;
  readonly #options: SyncOptions;

  constructor(netbox: NetBox, writer: Writer, options: SyncOptions) {
    this.#netbox = netbox;
    this.#writer = writer;
    this.#options = options;
  }

  async place(placed: readonly Placed[]): Promise<void> {
    const name = this.#options.vrf;
    const vrf = name === null ? null : await idOfVrf(this.#netbox, this.#writer, name);
    const isKnown = name === null || vrf !== null;
    for (let at = 0; at < placed.length; at += IN_QUERY) {
      const some = placed.slice(at, at + IN_QUERY);
      const interfaces = await this.#interfacesOf(some);
      if (isKnown) await this.#addressesOf(some, interfaces, vrf);
    }
  }

  /** @returns the interface of each device, by the id of the device */
  async #interfacesOf(placed: readonly Placed[]): Promise<Map<number, number>> {
    const old = placed.filter(({ isNew }) => !isNew).map(({ device }) => String(device.id));
    const there = old.length === 0 ? [] : await this.#netbox.list('dcim/interfaces', Interface, { device_id: old });
    const own = new Map<number, z.infer<typeof Interface>>();
    for (const { device, wanted } of placed) {
      const ofDevice = there.filter((one) => one.device.id === device.id);
      const found = ofDevice.find(({ mac_address }) => mac_address === wanted.mac) ?? ofDevice.find(isOurs);
      if (found !== undefined) own.set(device.id, found);
    }
    const missing = placed.filter(({ device }) => !own.has(device.id));
    const made = await this.#writer.create(
      'dcim/interfaces',
      missing.map(({ device, wanted }) => ({
        body: { device: device.id, name: INTERFACE, type: 'other', tags: [TAG] },
        about: `the interface of ${wanted.name}`,
      })),
    );
    const ids = new Map([...own].map(([device, { id }]) => [device, id]));
    for (const [i, id] of made.entries()) if (id !== null) ids.set(missing[i]!.device.id, id);
    await this.#macsOn(
      placed.filter(({ device, wanted }) => own.get(device.id)?.mac_address !== wanted.mac),
      ids,
    );
    return ids;
  }

  /** Since 4.2, a MAC is an object, and one of those on an interface is its primary one. */
  async #macsOn(placed: readonly Placed[], interfaces: Map<number, number>): Promise<void> {
    const known = placed.filter(({ device }) => (interfaces.get(device.id) ?? 0) > 0);
    const there =
      known.length === 0
        ? []
        : await this.#netbox.list('dcim/mac-addresses', Mac, { mac_address: known.map(({ wanted }) => wanted.mac) });
    const on = (mac: string, id: number | undefined) =>
      there.find((one) => one.mac_address.toUpperCase() === mac && one.assigned_object_id === id)?.id;
    const missing = placed.filter(({ device, wanted }) => {
      const id = interfaces.get(device.id);
      return id !== undefined && on(wanted.mac, id) === undefined;
    });
    const made = await this.#writer.create(
      'dcim/mac-addresses',
      missing.map(({ device, wanted }) => ({
        body: {
          mac_address: wanted.mac,
          assigned_object_type: ON_INTERFACE,
          assigned_object_id: interfaces.get(device.id),
          tags: [TAG],
        },
        about: wanted.mac,
      })),
    );
    const primaries = placed.flatMap((one) => {
      const id = interfaces.get(one.device.id);
      const mac = on(one.wanted.mac, id) ?? made[missing.indexOf(one)] ?? null;
      if (id === undefined || mac === null) return [];
      return [{ body: { id, primary_mac_address: mac }, about: `the MAC of ${one.wanted.name}` }];
    });
    await this.#writer.update('dcim/interfaces', primaries);
  }

  async #addressesOf(placed: readonly Placed[], interfaces: Map<number, number>, vrf: number | null): Promise<void> {
    const addressed = placed.filter(({ wanted, device }) => wanted.address !== null && interfaces.has(device.id));
    const ids = addressed.map(({ device }) => interfaces.get(device.id)!).filter((id) => id > 0);
    const there =
      ids.length === 0 ? [] : await this.#netbox.list('ipam/ip-addresses', Address, { interface_id: ids.map(String) });
    const changes: { body: { id: number; address: string }; about: string }[] = [];
    const missing: Placed[] = [];
    const current = new Map<number, number>();
    for (const one of addressed) {
      const { wanted, device } = one;
      const id = interfaces.get(device.id);
      const onIt = there.filter(({ assigned_object_id }) => assigned_object_id === id);
      const same = onIt.find(({ address }) => address === wanted.address);
      const moved = onIt.find((address) => isOurs(address) && familyOf(address.address) === familyOf(wanted.address!));
      if (same !== undefined) current.set(device.id, same.id);
      else if (moved === undefined) missing.push(one);
      else {
        changes.push({ body: { id: moved.id, address: wanted.address! }, about: `the address of ${wanted.name}` });
        current.set(device.id, moved.id);
      }
    }
    await this.#writer.update('ipam/ip-addresses', changes);
    const made = await this.#create(missing, interfaces, vrf);
    for (const [device, id] of made) current.set(device, id);
    await this.#primaries(addressed, current);
  }

  /** An address that NetBox has already is one that a person has entered, or that of another device. */
  async #create(placed: readonly Placed[], interfaces: Map<number, number>, vrf: number | null) {
    const asked = [...new Set(placed.map(({ wanted }) => wanted.address!.split('/')[0]!))];
    const inVrf = { vrf_id: vrf === null ? 'null' : String(vrf) };
    const there =
      asked.length === 0 || (vrf !== null && vrf < 0)
        ? []
        : await this.#netbox.list('ipam/ip-addresses', Address, { address: asked, ...inVrf });
    const entered = new Map(there.map((one) => [one.address.split('/')[0], one]));
    const ids = new Map<number, number>();
    const free: Placed[] = [];
    const taken: { body: { id: number }; about: string }[] = [];
    for (const one of placed) {
      const { wanted, device } = one;
      const found = entered.get(wanted.address!.split('/')[0]!);
      const about = `the address ${wanted.address} of ${wanted.name}`;
      if (found === undefined) free.push(one);
      else if (this.#options.takesOver) {
        const object = { assigned_object_type: ON_INTERFACE, assigned_object_id: interfaces.get(device.id) };
        taken.push({ body: { id: found.id, ...object }, about });
        ids.set(device.id, found.id);
      } else this.#writer.report.kept.push(`${about} is in NetBox already`);
    }
    await this.#writer.update('ipam/ip-addresses', taken);
    const made = await this.#writer.create(
      'ipam/ip-addresses',
      free.map(({ wanted, device }) => ({
        body: {
          address: wanted.address,
          status: 'active',
          assigned_object_type: ON_INTERFACE,
          assigned_object_id: interfaces.get(device.id),
          ...(vrf === null ? {} : { vrf }),
          tags: [TAG],
        },
        about: `the address ${wanted.address} of ${wanted.name}`,
      })),
    );
    for (const [i, id] of made.entries()) if (id !== null) ids.set(free[i]!.device.id, id);
    return ids;
  }

  /** A primary address that a person has chosen stays. */
  async #primaries(placed: readonly Placed[], current: Map<number, number>): Promise<void> {
    const changes = placed.flatMap(({ device, wanted }) => {
      const id = current.get(device.id);
      const field = familyOf(wanted.address!) === 4 ? ('primary_ip4' as const) : ('primary_ip6' as const);
      const before = device[field]?.id ?? null;
      if (id === undefined || before === id || (before !== null && !this.#options.takesOver)) return [];
      return [{ body: { id: device.id, [field]: id }, about: `the primary address of ${wanted.name}` }];
    });
    await this.#writer.update('dcim/devices', changes);
  }
}

function familyOf(address: string): 4 | 6 {
  return parseIp(address.split('/')[0] ?? '')?.family ?? 4;
}
