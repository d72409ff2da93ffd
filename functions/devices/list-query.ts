/** `GET /devices` with filters, in any order, and in pages. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { DEFAULT_SORT, DeviceSort, MAX_GROUPS } from '../../shared/api/device-list.ts';
import type { devices } from '../../shared/api/devices.ts';
import type { Input } from '../../shared/api/operation.ts';
import { categoryOf, inCategory } from '../../shared/device.ts';
import { GROUPINGS } from '../../shared/device-groups.ts';
import { invalid } from '../http/errors.ts';
import { inSlices } from '../table/slices.ts';
import { NOT_WATCHED, type SiteWatch } from './collection/coverage-row.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import { cursorText, DEFAULT_LIMIT, parseCursor } from './pages.ts';
import { filterByText } from './search.ts';
import { compareGroups, FirstInOrder, orderOf, type Place } from './sort-order.ts';

type ListQuery = Input<typeof devices.listDevices>;
type FilterName = 'status' | 'text' | 'type' | 'group' | 'vendor' | 'model' | 'watch' | 'port' | 'at';
type DeviceFilter = Pick<ListQuery, FilterName>;
export type DeviceQuery = DeviceFilter & Pick<ListQuery, 'sort' | 'groupBy'>;

interface Beside {
  watch: SiteWatch;
  /** The devices on which the port of the query is open; null without one. */
  withPort?: ReadonlySet<DeviceKey> | null;
}
const NOTHING: Beside = { watch: NOT_WATCHED };

/** Whether a query is just a category of devices, as they are now, in the order of their MACs. */
export function isPlain({ status: _, sort = DEFAULT_SORT, ...others }: DeviceQuery): boolean {
  return Object.values(others).every((value) => value === undefined) && sort === DEFAULT_SORT;
}

export async function findDevices(
  snapshot: Snapshot,
  query: DeviceQuery,
  beside: Beside = NOTHING,
): Promise<StoredDevice[]> {
  return (await select(snapshot, query, beside, null, snapshot.size)).found;
}

interface DevicePage {
  page: readonly StoredDevice[];
  /** How many devices match, on all pages. */
  total: number;
  /** With `groupBy`: the first groups of all pages, in order. */
  groups?: { value: string; count: number }[];
  nextCursor: string | null;
}

/**
 * The matching devices after a cursor. The cursor has the sort position of the last device of the previous page, so it
 * stays valid when the collection changes.
 * @throws {ServiceError} `validation_failed` when the cursor is invalid, or of another sort or other filters
 */
export async function devicePage(
  snapshot: Snapshot,
  query: DeviceQuery,
  cursor: string | undefined,
  limit = DEFAULT_LIMIT,
  beside: Beside = NOTHING,
): Promise<DevicePage> {
  const after = cursor === undefined ? null : placeOf(cursor, query);
  const { found, total, groups } = await select(snapshot, query, beside, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    page,
    total,
    ...(query.groupBy === undefined ? {} : { groups: inOrder(groups) }),
    nextCursor: last === undefined ? null : cursorAt(orderIn(query, beside).placeOf(last), query),
  };
}

/**
 * The first matching devices after a position. Every request visits every device, or all that the text search has found,
 * for the total and the page, and nothing is cached: sorted lists kept with a snapshot would serve later pages faster, but
 * a collection of many devices changes every few seconds, and sorting all of them takes ten times as long as this.
 */
async function select(
  snapshot: Snapshot,
  query: DeviceQuery,
  beside: Beside,
  after: Place | null,
  limit: number,
): Promise<{ found: StoredDevice[]; total: number; groups: ReadonlyMap<string, number> }> {
  const order = orderIn(query, beside);
  const fits = filterOf(query, beside);
  const groups = new Map<string, number>();
  const first = new FirstInOrder(order, limit);
  const candidates = query.text === undefined ? snapshot.devices : await filterByText(snapshot, query.text);
  let total = 0;
  for await (const slice of inSlices(candidates)) {
    for (const device of slice) {
      if (!fits(device)) continue;
      total++;
      const place = order.placeOf(device);
      groups.set(place.group, (groups.get(place.group) ?? 0) + 1);
      if (after === null || order.compare(place, after) > 0) first.add(device, place);
    }
    await first.trim();
  }
  return { found: await first.sorted(), total, groups };
}

const orderIn = ({ sort, groupBy }: DeviceQuery, { watch }: Beside) => orderOf(sort, watch, groupBy);

function inOrder(groups: ReadonlyMap<string, number>): { value: string; count: number }[] {
  const sorted = [...groups].sort(([a], [b]) => compareGroups(a, b));
  return sorted.slice(0, MAX_GROUPS).map(([value, count]) => ({ value, count }));
}

function filterOf(
  { status, type, group, vendor, model, watch }: DeviceFilter,
  { watch: site, withPort = null }: Beside,
): (device: StoredDevice) => boolean {
  const category = status === undefined ? null : categoryOf(status);
  return (device) => {
    const { record } = device;
    return (
      (withPort === null || withPort.has(device.key)) &&
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
  groupBy: z.enum(GROUPINGS).optional(),
  filter: z.string(),
  group: z.string().default(''),
  value: z.string(),
  after: z.string(),
});

function cursorAt({ group, value, key }: Place, { sort = DEFAULT_SORT, groupBy, ...filter }: DeviceQuery): string {
  const grouped = groupBy === undefined ? {} : { groupBy, group };
  return cursorText({ v: 2, sort, ...grouped, filter: digestOf(filter), value, after: key });
}

function placeOf(text: string, { sort = DEFAULT_SORT, groupBy, ...filter }: DeviceQuery): Place {
  const refused = (message: string) => invalid('query.cursor', message);
  const cursor = parseCursor(Cursor, text, 'query.cursor');
  if (cursor.sort !== sort)
    throw refused(`expected a cursor of the list with sort=${sort}; this one belongs to sort=${cursor.sort}`);
  if (cursor.groupBy !== groupBy) throw refused('expected a cursor of the list with the same groupBy');
  if (cursor.filter !== digestOf(filter)) {
    const filters = 'status, text, type, group, vendor, model, watch, port and at';
    throw refused(`expected a cursor of the list with the same ${filters}`);
  }
  return { group: cursor.group, value: cursor.value, key: cursor.after };
}

function digestOf({ status, text, type, group, vendor, model, watch, port, at }: DeviceFilter): string {
  const category = status === undefined ? undefined : categoryOf(status);
  return createHash('sha256')
    .update(
      JSON.stringify([
        ...[category, text, type, group, vendor, watch],
        ...(at === undefined ? [] : [at]),
        // As objects, which no other filter is, so that older cursors stay valid.
        ...(model === undefined ? [] : [{ model }]),
        ...(port === undefined ? [] : [{ port }]),
      ]),
    )
    .digest('base64url')
    .slice(0, 8);
}
