/** `GET /devices`: all devices of a site, or those that match, in any order, in groups, and in pages. */
import type { devices as operations } from '../../shared/api/devices.ts';
import { categoryOf, SEEN_CATEGORIES, summaryOf } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Handlers } from '../http/call.ts';
import { EncodedBody } from '../http/encoded-body.ts';
import { invalid } from '../http/errors.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { minuteOf } from './collection/coverage-row.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { encoded, listText, staleness, VARY, withStatus } from './encoded-list.ts';
import { type DeviceQuery, devicePage, findDevices, isPlain } from './list-query.ts';
import { snapshotAt } from './past.ts';

export const listHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'listDevices'> = {
  async listDevices(context, call, { fields, limit, cursor, ...given }) {
    const query = fields === 'all' ? asSeen(given) : given;
    const current = await context.devices.read(call.site);
    const { snapshot, staleSince, watch } = current;
    const stale = staleness(staleSince);
    const minute = minuteOf(context.now());
    const shown = (device: StoredDevice) => {
      if (fields !== 'all') return summaryOf(device.record);
      const record = query.at === undefined ? watch.recordOf(device, minute) : device.record;
      return { key: device.key, ...record, watch: watch.of(device) };
    };
    const isPage = limit !== undefined || cursor !== undefined;
    if (!isPage && isPlain(query)) {
      const name = `list ${fields ?? 'summary'} ${query.status ?? ''}`;
      const text = (all: readonly StoredDevice[]) => listText(withStatus(all, query.status), shown);
      return encoded(snapshot, name, text, { headers: stale, ...(fields === 'all' ? { watch, minute } : {}) });
    }
    // Scans change ports without changing the collection's version.
    const scanMinute = query.port === undefined ? null : minute.getTime();
    const etag = `W/${etagOf([snapshot.site, snapshot.version, watch.tag, query, fields, limit, cursor, scanMinute])}`;
    const headers = { ...stale, ETag: etag, 'Cache-Control': 'private, no-cache', Vary: VARY };
    // Before anything is computed, because clients poll.
    if (namesEtag(call.ifNoneMatch, etag)) return new HandlerResult(null, { headers });
    const { at, port } = query;
    for (const name of ['watch', 'port'] as const) {
      if (at === undefined || query[name] === undefined) continue;
      throw invalid(`query.${name}`, `expected no \`${name}\` with \`at\`: it is known of now alone`);
    }
    // Outside the semaphore: reading the past has one of its own.
    const past = at === undefined ? null : await snapshotAt(context, current, at);
    return lists.run(async () => {
      const scanned = port === undefined ? null : await withPort(context, current, port, scanMinute);
      // The present coverage does not show how reliable the status was then.
      const beside = past === null ? { watch, withPort: scanned?.devices ?? null } : undefined;
      const more = scanned?.isAll === false ? { truncated: true } : {};
      if (isPage) {
        const { page, ...others } = await devicePage(past ?? snapshot, query, cursor, limit, beside);
        return new HandlerResult({ success: true, devices: page.map(shown), ...others, ...more }, { headers });
      }
      const found = await findDevices(past ?? snapshot, query, beside);
      const body = new EncodedBody(() => listText(found, shown, more), { contentType: 'application/json', etag });
      return new HandlerResult(body, { headers: stale });
    });
  },
};

/**
 * Finds what the list with `fields=all` shows for a filter, in any snapshot of the site.
 * @throws {ServiceError} `validation_failed` when not all devices with the port are known
 */
export async function matcherOf(
  context: DevicesContext,
  site: SiteId,
  filter: Omit<DeviceQuery, 'at' | 'sort' | 'groupBy'>,
): Promise<(snapshot: Snapshot) => Promise<DeviceKey[]>> {
  const current = await context.devices.read(site);
  const { port } = filter;
  const scanned = port === undefined ? null : await withPort(context, current, port, minuteOf(context.now()).getTime());
  if (scanned?.isAll === false)
    throw invalid('match.port', 'expected another filter: this site has more scans than one request reads');
  const beside = { watch: current.watch, withPort: scanned?.devices ?? null };
  return async (snapshot) => {
    const found = await lists.run(() => findDevices(snapshot, asSeen(filter), beside));
    return found.map(({ key }) => key);
  };
}

/** Because the list shows the watch of each device, only watched ones count as online, offline or down. */
function asSeen(query: DeviceQuery): DeviceQuery {
  const { status, watch, at } = query;
  if (status === undefined || watch !== undefined || at !== undefined) return query;
  return SEEN_CATEGORIES.some((category) => category === categoryOf(status)) ? { ...query, watch: 'watched' } : query;
}

/** Rows of ports that are read to find the devices with a port. */
const MAX_SCANNED = 20_000;
/** Ports whose devices are cached for a minute. */
const MAX_PORTS_KEPT = 100;

/** Reads once a minute for each port, whatever the number of requests. */
function withPort(
  { ports }: Pick<DevicesContext, 'ports'>,
  { snapshot, born }: { snapshot: Snapshot; born: number },
  number: number,
  minute: number | null,
): ReturnType<DevicesContext['ports']['withPort']> {
  const kept = snapshot.deriveFor('ports', String(minute), () => new Map<number, ReturnType<typeof withPort>>());
  const known = kept.get(number);
  if (known !== undefined) return known;
  const found = ports.withPort(snapshot.site, { number, protocol: null }, { born }, MAX_SCANNED);
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MAX_PORTS_KEPT) kept.delete(oldest);
  kept.set(number, found);
  found.catch(() => kept.delete(number));
  return found;
}

/**
 * Each visits every device of its site, and holds the matching ones; a waiting one holds its request alone. So as many may
 * wait as there are connections: rejected clients would come back at once, and overtake those that have waited.
 */
const lists = openSemaphore({
  atOnce: 4,
  waiting: 9_000,
  refusal: 'Too many lists are being filtered or sorted at the moment; try again later',
});
