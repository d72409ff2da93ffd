/**
 * Brings the devices of a site into NetBox: what is missing is made, what was made here is kept up to date, and what a
 * person has entered or changed there is left as it is. Nothing is deleted.
 *
 * A device is known again by the custom field `lanreach_id`. `lanreach_wrote` says what was written last: what stands there
 * otherwise now, a person has changed.
 */
import * as z from 'zod';
import { AddressBook } from './address-book.ts';
import { idsOf, idsOfTypes } from './lookups.ts';
import { FIELDS, TAG } from './marks.ts';
import { IN_QUERY, type NetBox } from './netbox-client.ts';
import { nameWith, type Placed, type SyncOptions, slugOf, typeKey, type Wanted } from './wanted.ts';
import type { Writer } from './writer.ts';

const Wrote = z.object({ name: z.string(), type: z.int(), role: z.int() }).partial();
type Wrote = z.infer<typeof Wrote>;
const Ref = z.object({ id: z.int() });
const Device = z.object({
  id: z.int(),
  name: z.string().nullable(),
  device_type: Ref,
  role: Ref,
  primary_ip4: Ref.nullable(),
  primary_ip6: Ref.nullable(),
  tags: z.array(z.object({ slug: z.string() })),
  custom_fields: z.record(z.string(), z.unknown()),
});
type Device = z.infer<typeof Device>;
const Named = z.object({ id: z.int(), name: z.string(), slug: z.string() });
const Mac = z.object({
  mac_address: z.string(),
  assigned_object: z.looseObject({ device: Ref.optional() }).nullable(),
});

/** @param wanted the devices of the site */
export async function syncSite(
  netbox: NetBox,
  writer: Writer,
  site: { id: string; name: string },
  wanted: readonly Wanted[],
  options: SyncOptions,
): Promise<void> {
  const siteId = await idOfSite(netbox, writer, site);
  if (siteId === null) return;
  const there =
    siteId < 0 ? [] : await netbox.list('dcim/devices', Device, { site_id: String(siteId), exclude: 'config_context' });
  const plan = await planFor(netbox, writer, there, wanted, options);
  const roles = await idsOf(
    netbox,
    writer,
    'dcim/device-roles',
    plan.map(({ wanted }) => wanted.role),
    { color: '9e9e9e' },
  );
  const types = await idsOfTypes(
    netbox,
    writer,
    plan.map(({ wanted }) => wanted),
  );
  const placed = await writeDevices(writer, siteId, there, plan, { roles, types }, options);
  await new AddressBook(netbox, writer, options).place(placed);
}

interface Planned {
  wanted: Wanted;
  /** What NetBox has already; null for a device that is to be made. */
  before: Device | null;
}

/** Which devices are made or changed, and which are those of a person. */
async function planFor(
  netbox: NetBox,
  { report }: Writer,
  there: readonly Device[],
  wanted: readonly Wanted[],
  { takesOver }: SyncOptions,
): Promise<Planned[]> {
  const ours = new Map(there.flatMap((device) => (idIn(device) === null ? [] : [[idIn(device), device] as const])));
  const others = there.filter((device) => idIn(device) === null);
  const byId = new Map(others.map((device) => [device.id, device]));
  const byName = new Map(others.map((device) => [device.name?.toLowerCase(), device]));
  const owners = await ownersOf(
    netbox,
    wanted.filter(({ id }) => !ours.has(id)).map(({ mac }) => mac),
  );
  const adopted = new Set<number>();
  const plan: Planned[] = [];
  for (const one of wanted) {
    const own = ours.get(one.id);
    if (own !== undefined) {
      plan.push({ wanted: one, before: own });
      continue;
    }
    const owner = owners.get(one.mac);
    const entered = owner === undefined ? byName.get(one.name.toLowerCase()) : byId.get(owner);
    if (owner === undefined && entered === undefined) plan.push({ wanted: one, before: null });
    else if (!takesOver || entered === undefined || adopted.has(entered.id)) {
      report.kept.push(
        `${one.name} (${one.mac}): ${owner === undefined ? 'its name' : 'its MAC'} is in NetBox already`,
      );
    } else {
      adopted.add(entered.id);
      plan.push({ wanted: one, before: entered });
    }
  }
  return plan;
}

/** The devices whose interfaces have these MACs, by the MACs. */
async function ownersOf(netbox: NetBox, macs: readonly string[]): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  for (let at = 0; at < macs.length; at += IN_QUERY) {
    const found = await netbox.list('dcim/mac-addresses', Mac, { mac_address: macs.slice(at, at + IN_QUERY) });
    for (const { mac_address, assigned_object } of found) {
      if (assigned_object?.device) owners.set(mac_address.toUpperCase(), assigned_object.device.id);
    }
  }
  return owners;
}

async function writeDevices(
  writer: Writer,
  site: number,
  there: readonly Device[],
  plan: readonly Planned[],
  { roles, types }: { roles: Map<string, number>; types: Map<string, number> },
  { takesOver }: SyncOptions,
): Promise<Placed[]> {
  const taken = new Map(there.map(({ id, name }) => [name?.toLowerCase(), id]));
  const made: { wanted: Wanted; body: object; about: string }[] = [];
  const changed: { body: { id: number }; about: string }[] = [];
  const placed: Placed[] = [];
  for (const { wanted, before } of plan) {
    const type = types.get(typeKey(wanted));
    const role = roles.get(slugOf(wanted.role));
    if (type === undefined || role === undefined) {
      writer.report.refused.push(`${wanted.name} (${wanted.mac}): without its type or role`);
      continue;
    }
    const holder = taken.get(wanted.name.toLowerCase());
    const isFree = holder === undefined || holder === before?.id;
    const name = isFree ? wanted.name : nameWith(wanted.name, wanted.mac);
    if (before === null || before.name?.toLowerCase() !== name.toLowerCase())
      taken.set(name.toLowerCase(), before?.id ?? 0);
    const about = `${name} (${wanted.mac})`;
    const now = { name, type, role };
    if (before === null) {
      const fields = { [FIELDS.id]: wanted.id, [FIELDS.wrote]: now };
      const body = { name, device_type: type, role, site, status: 'active', tags: [TAG], custom_fields: fields };
      made.push({ wanted, body, about });
      continue;
    }
    const body = changesOf(before, wanted, now, takesOver, writer);
    if (body !== null) changed.push({ body, about });
    placed.push({ wanted, device: before, isNew: false });
  }
  const ids = await writer.create('dcim/devices', made);
  await writer.update('dcim/devices', changed);
  for (const [i, id] of ids.entries()) {
    if (id === null) continue;
    placed.push({ wanted: made[i]!.wanted, device: { id, primary_ip4: null, primary_ip6: null }, isNew: true });
  }
  return placed;
}

/** What is written of a device that is there; null when nothing is. */
function changesOf(before: Device, { id, mac }: Wanted, now: Required<Wrote>, takesOver: boolean, { report }: Writer) {
  const current = { name: before.name ?? '', type: before.device_type.id, role: before.role.id };
  const wrote: Wrote = Wrote.safeParse(before.custom_fields[FIELDS.wrote]).data ?? {};
  const changes: Wrote = {};
  for (const field of ['name', 'type', 'role'] as const) {
    if (current[field] === now[field]) continue;
    if (takesOver || current[field] === wrote[field]) Object.assign(changes, { [field]: now[field] });
    else report.kept.push(`${current.name} (${mac}): somebody has changed its ${field}`);
  }
  const isOurs = idIn(before) === id;
  if (isOurs && Object.keys(changes).length === 0) return null;
  const { name, type, role } = changes;
  return {
    id: before.id,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { device_type: type }),
    ...(role === undefined ? {} : { role }),
    ...(isOurs
      ? {}
      : { tags: [...before.tags.filter(({ slug }) => slug !== TAG.slug).map(({ slug }) => ({ slug })), TAG] }),
    custom_fields: { [FIELDS.id]: id, [FIELDS.wrote]: { ...wrote, ...changes } },
  };
}

function idIn({ custom_fields }: Device): string | null {
  const id = custom_fields[FIELDS.id];
  return typeof id === 'string' && id !== '' ? id : null;
}

/** The site of NetBox that has the id as its slug, or else the same name. */
async function idOfSite(netbox: NetBox, writer: Writer, { id, name }: { id: string; name: string }) {
  for (const query of [{ slug: id }, { name }]) {
    const [found] = await netbox.list('dcim/sites', Named, query);
    if (found !== undefined) return found.id;
  }
  const body = { name, slug: id, status: 'active', tags: [TAG] };
  const [made = null] = await writer.create('dcim/sites', [{ body, about: `the site ${id}` }]);
  return made;
}
