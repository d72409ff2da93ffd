/** Lists of devices as bodies of answers: made once for a version of the collection, and encoded a part at a time. */
import { categoryOf, inCategory, type StatusFilter } from '../../shared/device.ts';
import { EncodedBody } from '../http/encoded-body.ts';
import { HandlerResult } from '../http/handler-result.ts';
import type { SiteWatch } from './collection/coverage-row.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';

/**
 * The header that says since when nobody watches the site. A client that has the list already gets it with the answer
 * 304, by which it updates the headers that it has stored (RFC 9111 section 3.2). One that is absent there would stay as
 * it was, so the header is always present.
 */
export function staleness(staleSince: string | null): Record<string, string> {
  return { 'LanReach-Stale-Since': staleSince ?? 'none' };
}

/** What an answer depends on, besides the address. */
export const VARY = 'Accept-Encoding, Authorization, X-Site';

/** Devices that are encoded before other requests get their turn. */
export const BATCH = 500;

/**
 * A body that is the same for every request on this version, and on this coverage if it tells how devices are watched:
 * made once, and kept with the snapshot.
 * @param minute of an answer that says when devices were seen last. A later one is no reason for another tag.
 */
export function encoded(
  snapshot: Snapshot,
  name: string,
  text: (devices: readonly StoredDevice[]) => Iterable<string>,
  {
    contentType = 'application/json',
    headers = {},
    watch,
    minute,
  }: { contentType?: string; headers?: Record<string, string>; watch?: SiteWatch; minute?: Date } = {},
): HandlerResult {
  const told = watch === undefined ? [] : [watch.tag];
  const body = snapshot.deriveFor(name, `${told.join()} ${minute?.getTime() ?? ''}`, (devices) => {
    // With the site, because the same address is of another one if the header X-Site is.
    const etag = `W/"${[snapshot.version.toString(36), snapshot.site, ...name.trim().split(' '), ...told].join('.')}"`;
    return new EncodedBody(() => text(devices), { contentType, etag });
  });
  return new HandlerResult(body, { headers });
}

/** @param more what else the answer has in it */
export function* listText(
  all: readonly StoredDevice[],
  shown: (device: StoredDevice) => unknown,
  more: object = {},
): Generator<string> {
  yield `${JSON.stringify({ success: true, ...more }).slice(0, -1)},"devices":`;
  yield* jsonArray(all, shown);
  yield '}';
}

export function* jsonArray<Item>(items: readonly Item[], shown: (item: Item) => unknown): Generator<string> {
  yield '[';
  for (let at = 0; at < items.length; at += BATCH) {
    yield (at === 0 ? '' : ',') + JSON.stringify(items.slice(at, at + BATCH).map(shown)).slice(1, -1);
  }
  yield ']';
}

export function withStatus(all: readonly StoredDevice[], status: StatusFilter | undefined) {
  const category = status === undefined ? null : categoryOf(status);
  return all.filter(({ record }) => category === null || inCategory(category, record));
}
