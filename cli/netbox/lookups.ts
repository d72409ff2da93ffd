/** What devices and addresses refer to in NetBox: manufacturers, types, roles, VRFs. What is missing is made. */
import * as z from 'zod';
import { TAG } from './marks.ts';
import { IN_QUERY, type List, type NetBox } from './netbox-client.ts';
import { slugOf, typeKey, type Wanted } from './wanted.ts';
import type { Writer } from './writer.ts';

const Named = z.object({ id: z.int(), name: z.string(), slug: z.string() });
const Type = z.object({ id: z.int(), model: z.string(), manufacturer: z.object({ id: z.int() }) });

/** @param more what else a new one needs @returns ids by the slugs of the names */
export async function idsOf(
  netbox: NetBox,
  writer: Writer,
  list: List,
  names: readonly string[],
  more: object = {},
): Promise<Map<string, number>> {
  const wanted = new Map(names.map((name) => [slugOf(name), name]));
  const ids = new Map<string, number>();
  const slugs = [...wanted.keys()];
  for (let at = 0; at < slugs.length; at += IN_QUERY) {
    const some = slugs.slice(at, at + IN_QUERY);
    const bySlug = await netbox.list(list, Named, { slug: some });
    const byName = await netbox.list(list, Named, { name: some.map((slug) => wanted.get(slug)!) });
    for (const { id, name } of byName) ids.set(slugOf(name), id);
    for (const { id, slug } of bySlug) ids.set(slug, id);
  }
  const missing = slugs.filter((slug) => !ids.has(slug));
  const bodies = missing.map((slug) => ({ name: wanted.get(slug)!, slug, tags: [TAG], ...more }));
  const made = await writer.create(
    list,
    bodies.map((body) => ({ body, about: `${list}: ${body.name}` })),
  );
  for (const [i, id] of made.entries()) if (id !== null) ids.set(missing[i]!, id);
  return ids;
}

/** @returns ids by `typeKey` */
export async function idsOfTypes(
  netbox: NetBox,
  writer: Writer,
  wanted: readonly Pick<Wanted, 'manufacturer' | 'model'>[],
): Promise<Map<string, number>> {
  const manufacturers = await idsOf(
    netbox,
    writer,
    'dcim/manufacturers',
    wanted.map(({ manufacturer }) => manufacturer),
  );
  const slugs = new Map([...manufacturers].map(([slug, id]) => [id, slug]));
  const ids = new Map<string, number>();
  const known = [...slugs.keys()].filter((id) => id > 0).map(String);
  for (let at = 0; at < known.length; at += IN_QUERY) {
    const query = { manufacturer_id: known.slice(at, at + IN_QUERY), brief: 'true' };
    for (const { id, model, manufacturer } of await netbox.list('dcim/device-types', Type, query)) {
      ids.set(`${slugs.get(manufacturer.id)}\n${model.toLowerCase()}`, id);
    }
  }
  const missing = new Map(wanted.filter((one) => !ids.has(typeKey(one))).map((one) => [typeKey(one), one]));
  const makable = [...missing].filter(([, { manufacturer }]) => manufacturers.has(slugOf(manufacturer)));
  const made = await writer.create(
    'dcim/device-types',
    makable.map(([, { manufacturer, model }]) => ({
      body: {
        manufacturer: manufacturers.get(slugOf(manufacturer)),
        model,
        slug: slugOf(`${manufacturer} ${model}`),
        tags: [TAG],
      },
      about: `the type ${manufacturer} ${model}`,
    })),
  );
  for (const [i, id] of made.entries()) if (id !== null) ids.set(makable[i]![0], id);
  return ids;
}

/** @returns null when NetBox refuses to make it */
export async function idOfVrf(netbox: NetBox, writer: Writer, name: string): Promise<number | null> {
  const [found] = await netbox.list('ipam/vrfs', z.object({ id: z.int() }), { name });
  if (found !== undefined) return found.id;
  const [made = null] = await writer.create('ipam/vrfs', [{ body: { name, tags: [TAG] }, about: `the VRF ${name}` }]);
  return made;
}
