/** Lists of devices as response bodies: built once for each version of the collection, and encoded piece by piece. */
import { categoryOf, inCategory, type StatusFilter } from '../../shared/device.ts';
import type { SiteCall } from '../http/call.ts';
import { EncodedBody } from '../http/encoded-body.ts';
import { namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import type { SiteWatch } from './collection/coverage-row.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';

/**
 * The header with the time since which no agent has watched the site. A client that has the list already gets it with a
 * 304, which updates the headers it has stored (RFC 9111 section 3.2). A missing one would stay as it was, so the header
 * is always present.
 */
export function staleness(staleSince: string | null): Record<string, string> {
  return { 'LanReach-Stale-Since': staleSince ?? 'none' };
}

/** What a response depends on, besides the URL. */
export const VARY = 'Accept-Encoding, Authorization, X-Site';

/** Devices that are encoded before other requests get a turn. */
export const BATCH = 500;

/**
 * A body that is the same for every request on this version, and on this coverage if it shows how devices are watched:
 * built once, and cached with the snapshot.
 * @param minute of a response that shows when devices were last seen. A later minute alone does not change the tag.
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
  const tags = watch === undefined ? [] : [watch.tag];
  const body = snapshot.deriveFor(name, `${tags.join()} ${minute?.getTime() ?? ''}`, (devices) => {
    // Includes the site, because X-Site makes the same URL name another one.
    const etag = `W/"${[snapshot.version.toString(36), snapshot.site, ...name.trim().split(' '), ...tags].join('.')}"`;
    return new EncodedBody(() => text(devices), { contentType, etag });
  });
  return new HandlerResult(body, { headers });
}
/** A private response with a tag of all it depends on. Clients poll: one that has it gets a 304, and nothing is computed. */
export async function revalidated(
  { ifNoneMatch }: Pick<SiteCall, 'ifNoneMatch'>,
  ETag: string,
  compute: () => Promise<object>,
  vary = VARY,
): Promise<HandlerResult> {
  const headers = { ETag, 'Cache-Control': 'private, no-cache', Vary: vary };
  return new HandlerResult(namesEtag(ifNoneMatch, ETag) ? null : await compute(), { headers });
}

/** @param more other members of the response */
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
  for (let at = 0; at < items.length; at += BATCH)
    yield (at === 0 ? '' : ',') + JSON.stringify(items.slice(at, at + BATCH).map(shown)).slice(1, -1);
  yield ']';
}

export function withStatus(all: readonly StoredDevice[], status: StatusFilter | undefined) {
  const category = status === undefined ? null : categoryOf(status);
  return all.filter(({ record }) => category === null || inCategory(category, record));
}
