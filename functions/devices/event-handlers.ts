/** `/events`: what has happened to the devices of a site, in pages, and as a stream while it happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { devices as operations } from '../../shared/api/devices.ts';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Handlers, SiteCall } from '../http/call.ts';
import { userOf } from '../http/caller.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { EventStream, type ServerEvent } from '../http/event-stream.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { openSemaphore } from '../http/semaphore.ts';
import type { DeviceKey } from './collection/device-codec.ts';
import type { DeviceStore } from './collection/device-store.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { eventsOf } from './events.ts';

export const eventHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'listEvents' | 'listDeviceEvents'> = {
  async listEvents(context, call, { device, ...query }) {
    return answer(context, call, { ...query, key: device });
  },

  async listDeviceEvents(context, call, { mac, ...query }) {
    return answer(context, call, { ...query, key: mac });
  },
};

interface Filter {
  type?: EventType[] | undefined;
  since?: Date | undefined;
  key?: DeviceKey | undefined;
}

interface EventQuery extends Filter {
  limit: number;
  cursor?: string | undefined;
}

type EventsContext = Pick<DevicesContext, 'devices' | 'waitSlots'>;

async function answer(context: EventsContext, call: SiteCall, query: EventQuery): Promise<HandlerResult> {
  if (call.waiting().events) {
    const from = { site: call.site, user: userOf(call), lastEventId: call.lastEventId };
    return new HandlerResult(new EventStream((unread) => followEvents(context, from, query, unread)));
  }
  const { devices } = context;
  const snapshot = await devices.snapshot(call.site);
  const headers = {
    ETag: `W/${etagOf([snapshot.version, query])}`,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Accept-Encoding, Authorization, X-Site',
  };
  // Answered as 304. Who asks again and again should not have the journal read each time.
  if (namesEtag(call.ifNoneMatch, headers.ETag)) return new HandlerResult(null, { headers });
  return new HandlerResult({ success: true, ...(await pageOfEvents(devices, snapshot, query)) }, { headers });
}

/** Entries of the journal that one request looks at: as much as a filter may leave out. */
const MAX_ENTRIES = 2_000;
/** Characters of events in an answer, about: texts of devices can be long. */
const MAX_CHARACTERS = 4_000_000;

async function pageOfEvents(
  devices: DeviceStore,
  snapshot: Snapshot,
  { limit, cursor, ...filter }: EventQuery,
): Promise<{ events: DeviceEvent[]; unreadable: Unreadable[]; nextCursor: string | null }> {
  const place = cursor === undefined ? null : placeOf(cursor);
  const events: DeviceEvent[] = [];
  const unreadable: Unreadable[] = [];
  let entries = 0;
  let characters = 0;
  const before = place === null ? null : place.version + 1;
  const keys = keysOf(snapshot, filter.key);
  for await (const page of devices.changesBefore(snapshot, before, Math.min(Math.max(limit, 20), 500))) {
    unreadable.push(...page.unreadable);
    for (const entry of page.found) {
      if (filter.since !== undefined && isOlder(entry.at, filter.since))
        return { events, unreadable, nextCursor: null };
      for (const event of eventsOf(entry, namesIn(snapshot)).reverse()) {
        if (place !== null && !isBehind(place, placeOf(event.id))) continue;
        if (!fits(event, filter, keys)) continue;
        events.push(event);
        characters += JSON.stringify(event).length;
        if (events.length === limit || characters > MAX_CHARACTERS) return { events, unreadable, nextCursor: event.id };
      }
      if (++entries === MAX_ENTRIES) return { events, unreadable, nextCursor: `${entry.version}.0` };
    }
  }
  return { events, unreadable, nextCursor: null };
}

/** How often a stream looks whether something has changed. */
const LOOK_EVERY_MS = 2_000;
/** When a client should come back that was sent all there is, but had no place to wait for more. */
const WITHOUT_PLACE_MS = 5_000;
/** How long a stream lasts. A function is paid for as long as one is open. */
const STREAM_MS = 120_000;
/**
 * What a stream reads of the journal at each look: its entries, and their characters, about. Who is further behind reloads
 * the list sooner than all of this could be sent.
 */
const MAX_BEHIND = { entries: 1_000, characters: 1_000_000 };
/** Entries that a stream reads in one turn. */
const ENTRIES_A_TURN = 25;

/** Reading what streams have missed takes turns, so that many of them cannot keep other requests waiting. */
const catchingUp = openSemaphore({
  atOnce: 2,
  waiting: 12_000,
  waitMs: 60_000,
  refusal: 'Too many streams of events are catching up at the moment; try again later',
});

/** Where a stream begins, and whose it is. */
interface StreamStart {
  site: SiteId;
  user: string;
  /** The last event that the client has; with none, or one of another collection, it begins behind all that has happened. */
  lastEventId: string;
}

/**
 * New events as they come, until the stream's time is over or nobody reads any more; without a place to wait, only those
 * that are there. Each of the events has an id with which a client that comes back goes on behind it; so have the first,
 * `ready`, and the last, `end`, so that nothing is lost to a client that has not been sent any. Where it is too much that
 * has happened, the event `gap` stands for the rest of it.
 */
export async function* followEvents(
  { devices, waitSlots }: EventsContext,
  { site, user, lastEventId }: StreamStart,
  filter: Filter,
  unread: AbortSignal,
  { lookEveryMs = LOOK_EVERY_MS, lastsMs = STREAM_MS } = {},
): AsyncGenerator<ServerEvent> {
  const endAt = performance.now() + lastsMs;
  let version = await devices.carriedOut(site);
  let seen = startOfStream(lastEventId, version);
  const giveBack = waitSlots.take('stream', user);
  const isOver = () => giveBack === null || performance.now() > endAt;
  try {
    yield {
      event: 'ready',
      id: idOf(seen),
      retry: giveBack === null ? Math.max(lookEveryMs, WITHOUT_PLACE_MS) : lookEveryMs,
      data: {},
    };
    for (;;) {
      const left = { ...MAX_BEHIND };
      while (isBehind(endOf(version), seen)) {
        if (left.entries <= 0 || left.characters <= 0) {
          seen = endOf(version);
          yield { event: 'gap', id: idOf(seen), data: {} };
          break;
        }
        const behind = seen;
        // What was read is sent when the turn is over: a client that does not read holds none.
        const read = await catchingUp.run(() =>
          unread.aborted ? nothingRead(behind) : readBehind(devices, site, behind, version, filter.key),
        );
        left.entries -= read.entries;
        left.characters -= read.characters;
        for (const event of read.events) {
          if (!fits(event, filter, read.keys)) continue;
          seen = placeOf(event.id);
          yield { event: 'message', id: event.id, data: event };
          if (unread.aborted) return;
          if (performance.now() > endAt) return yield { event: 'end', id: idOf(seen), data: {} };
        }
        seen = read.seen;
        if (unread.aborted) return;
      }
      if (isOver()) return yield { event: 'end', id: idOf(seen), data: {} };
      await sleep(lookEveryMs, undefined, { signal: unread }).catch(() => {});
      if (unread.aborted) return;
      version = await devices.carriedOut(site);
    }
  } finally {
    giveBack?.();
  }
}

/** A part of what has happened behind a place. */
interface ReadBehind {
  events: DeviceEvent[];
  /** The place of the last of it. */
  seen: Place;
  entries: number;
  characters: number;
  /** The keys of the device that is asked for, as `keysOf` has them. */
  keys: ReadonlySet<DeviceKey> | null;
}

async function nothingRead(seen: Place): Promise<ReadBehind> {
  return { events: [], seen, entries: 0, characters: 0, keys: null };
}

/** The events of the next entries of the journal, up to a version. */
async function readBehind(
  devices: DeviceStore,
  site: SiteId,
  behind: Place,
  upTo: number,
  key: DeviceKey | undefined,
): Promise<ReadBehind> {
  const snapshot = await devices.snapshot(site);
  const read = { ...(await nothingRead(endOf(upTo))), keys: keysOf(snapshot, key) };
  const names = namesIn(snapshot);
  const from = behind.index === null ? behind.version : behind.version - 1;
  for await (const entry of devices.changesBetween(site, from, upTo, ENTRIES_A_TURN)) {
    read.events.push(...eventsOf(entry, names).filter(({ id }) => isBehind(placeOf(id), behind)));
    read.characters += JSON.stringify(entry.devices).length;
    if (++read.entries === ENTRIES_A_TURN) return { ...read, seen: endOf(entry.version) };
  }
  return read;
}

/** An event among all of a collection; without an index, the last one of its version. */
interface Place {
  version: number;
  index: number | null;
}

function placeOf(id: string): Place {
  const [version, index] = id.split('.');
  return { version: Number(version), index: index === undefined ? null : Number(index) };
}

/** Behind all events of a version. */
function endOf(version: number): Place {
  return { version, index: null };
}

function idOf({ version, index }: Place): string {
  return index === null ? String(version) : `${version}.${index}`;
}

function isBehind(one: Place, other: Place): boolean {
  if (one.version !== other.version) return one.version > other.version;
  return (one.index ?? Infinity) > (other.index ?? Infinity);
}

function startOfStream(lastEventId: string, version: number): Place {
  const now = endOf(version);
  if (!/^\d{1,16}(?:\.\d{1,7})?$/.test(lastEventId)) return now;
  const place = placeOf(lastEventId);
  return isBehind(place, now) ? now : place;
}

/** By the time at which the service learned of it: who asks from the last answer on misses nothing that came late. */
function fits({ recordedAt, type, device }: DeviceEvent, filter: Filter, keys: ReadonlySet<DeviceKey> | null): boolean {
  return (
    (filter.type === undefined || filter.type.includes(type)) &&
    (keys === null || (device !== null && keys.has(device.key))) &&
    (filter.since === undefined || !isOlder(new Date(recordedAt), filter.since))
  );
}

/**
 * The keys under which a device stands in the journal: that by which it is named, and those of all its MACs. Null when none
 * is named.
 */
function keysOf(snapshot: Snapshot, key: DeviceKey | undefined): ReadonlySet<DeviceKey> | null {
  if (key === undefined) return null;
  const device = snapshot.deviceOf(key);
  return new Set([key, ...(device === undefined ? [] : [device.key, ...Object.keys(device.joined ?? {})])]);
}

/** The journal knows seconds. */
function isOlder(at: Date, since: Date): boolean {
  return Math.floor(at.getTime() / 1000) < Math.floor(since.getTime() / 1000);
}

function namesIn(snapshot: Snapshot): (key: DeviceKey) => string {
  return (key) => snapshot.get(key)?.record.devName ?? '';
}
