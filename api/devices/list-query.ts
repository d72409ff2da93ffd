/** `GET /devices` with filters, in any order, and in pages. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { DEFAULT_SORT, DeviceSort } from '../../shared/api/device-list.ts';
import type { devices } from '../../shared/api/devices.ts';
import type { Input } from '../../shared/api/operation.ts';
import { categoryOf, inCategory } from '../../shared/device.ts';
import { NOT_WATCHED, type SiteWatch } from '../../store/devices/coverage-row.ts';
import type { StoredDevice } from '../../store/devices/device-codec.ts';
import { inSlices } from '../../store/devices/slices.ts';
import type { Snapshot } from '../../store/devices/snapshot.ts';
import { validationError } from '../http/errors.ts';
import { searchDevices } from './search.ts';
import { FirstInOrder, orderOf, type Place } from './sort-order.ts';

type ListQuery = Input<typeof devices.listDevices>;
export type DeviceFilter = Pick<ListQuery, 'status' | 'text' | 'type' | 'group' | 'vendor' | 'model' | 'watch' | 'at'>;
export type DeviceQuery = DeviceFilter & Pick<ListQuery, 'sort'>;

/** Devices a page, if a cursor is given and no limit. */
const DEFAULT_LIMIT = 1000;

/** Whether a query asks for no more than a category of devices, as they are now, in the order of their MACs. */
export function isPlain({ text, type, group, vendor, model, watch, at, sort = DEFAULT_SORT }: DeviceQuery): boolean {
  return [text, type, group, vendor, model, watch, at].every((value) => value === undefined) && sort === DEFAULT_SORT;
}

/** All devices that fit, in order. @param watch how they are watched */
export async function findDevices(
  snapshot: Snapshot,
  query: DeviceQuery,
  watch: SiteWatch = NOT_WATCHED,
): Promise<StoredDevice[]> {
  return (await select({ snapshot, watch }, query, null, snapshot.size)).found;
}

export interface DevicePage {
  page: readonly StoredDevice[];
  /** How many devices fit, on all pages. */
  total: number;
  /** Null on the last page. */
  nextCursor: string | null;
}

/**
 * The devices that fit, behind a cursor. The cursor has the place of the last device of the page before, so it stays
 * valid when the collection changes.
 * @throws {ServiceError} `validation_failed` when the cursor is none, or one of another sort or other filters
 */
export async function devicePage(
  snapshot: Snapshot,
  query: DeviceQuery,
  cursor: string | undefined,
  limit = DEFAULT_LIMIT,
  watch: SiteWatch = NOT_WATCHED,
): Promise<DevicePage> {
  const after = cursor === undefined ? null : placeOf(cursor, query);
  const { found, total } = await select({ snapshot, watch }, query, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    page,
    total,
    nextCursor: last === undefined ? null : cursorAt(orderOf(query.sort, watch).placeOf(last), query),
  };
}

/**
 * The first devices in order of those that fit and stand behind a place. Every request looks at every device, or at all
 * that the search has found, for the total and the page, and nothing is kept. Sorted lists that are kept with a snapshot
 * would serve the next pages faster, but a collection of many devices changes every few seconds, and to sort all of them
 * takes ten times as long as this.
 */
async function select(
  { snapshot, watch }: { snapshot: Snapshot; watch: SiteWatch },
  query: DeviceQuery,
  after: Place | null,
  limit: number,
): Promise<{ found: StoredDevice[]; total: number }> {
  const order = orderOf(query.sort, watch);
  const fits = filterOf(query, watch);
  const first = new FirstInOrder(order, limit);
  const candidates = query.text === undefined ? snapshot.devices : await searchDevices(snapshot, query.text);
  let total = 0;
  for await (const slice of inSlices(candidates)) {
    for (const device of slice) {
      if (!fits(device)) continue;
      total++;
      const place = order.placeOf(device);
      if (after === null || order.compare(place, after) > 0) first.add(device, place);
    }
    await first.trim();
  }
  return { found: await first.sorted(), total };
}

function filterOf(
  { status, type, group, vendor, model, watch }: DeviceFilter,
  site: SiteWatch,
): (device: StoredDevice) => boolean {
  const category = status === undefined ? null : categoryOf(status);
  return (device) => {
    const { record } = device;
    return (
      (category === null || inCategory(category, record)) &&
      (type === undefined || record.devType === type) &&
      (group === undefined || record.devGroup === group) &&
      (vendor === undefined || record.devVendor === vendor) &&
      (model === undefined || record.devModel === model) &&
      (watch === undefined || (site.of(device).state === 'watched') === (watch === 'watched'))
    );
  };
}

const Cursor = z.strictObject({
  v: z.literal(2),
  sort: DeviceSort,
  filter: z.string(),
  value: z.string(),
  after: z.string(),
});

function cursorAt({ value, key }: Place, { sort = DEFAULT_SORT, ...filter }: DeviceQuery): string {
  const cursor: z.infer<typeof Cursor> = { v: 2, sort, filter: digestOf(filter), value, after: key };
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function placeOf(text: string, { sort = DEFAULT_SORT, ...filter }: DeviceQuery): Place {
  const refused = (message: string) => validationError([{ path: 'query.cursor', message }]);
  let cursor: z.infer<typeof Cursor>;
  try {
    cursor = Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw refused('expected the nextCursor of an earlier page');
  }
  if (cursor.sort !== sort) {
    throw refused(`expected a cursor of the list with sort=${sort}; this one belongs to sort=${cursor.sort}`);
  }
  if (cursor.filter !== digestOf(filter)) {
    throw refused('expected a cursor of the list with the same status, text, type, group, vendor, model, watch and at');
  }
  return { value: cursor.value, key: cursor.after };
}

function digestOf({ status, text, type, group, vendor, model, watch, at }: DeviceFilter): string {
  const category = status === undefined ? undefined : categoryOf(status);
  return createHash('sha256')
    .update(
      JSON.stringify([
        ...[category, text, type, group, vendor, watch],
        ...(at === undefined ? [] : [at]),
        // An object, which no other filter is: cursors from before there was a model stay what they are.
        ...(model === undefined ? [] : [{ model }]),
      ]),
    )
    .digest('base64url')
    .slice(0, 8);
}
