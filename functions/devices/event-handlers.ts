/** `/events`: what happened to the devices of a site, in pages, or as a stream while it happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { devices as operations } from '../../shared/api/devices.ts';
import { type DeviceEvent, EventId, type EventType } from '../../shared/api/events.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { Handlers, SiteCall } from '../http/call.ts';
import { userOf } from '../http/caller.ts';
import { checkCursor, invalid } from '../http/errors.ts';
import { etagOf } from '../http/etag.ts';
import { EventStream, RETRY_MS, type ServerEvent, STREAM_MS } from '../http/event-stream.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { reachIn } from '../sites/many-sites.ts';
import type { DeviceKey } from './collection/device-codec.ts';
import type { DeviceStore } from './collection/device-store.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { revalidated, VARY } from './encoded-list.ts';
import { eventsOf } from './events.ts';
import { eventsOfSites, manySites, readHeads } from './events-of-sites.ts';

export const eventHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'listEvents' | 'listDeviceEvents'> = {
  async listEvents(context, call, { device, sites, ...query }) {
    if (sites !== undefined) return respondOfSites(context, call, sites, { ...query, key: device });
    return respond(context, call, { ...query, key: device });
  },

  async listDeviceEvents(context, call, { mac, ...query }) {
    return respond(context, call, { ...query, key: mac });
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

async function respondOfSites(
  context: DevicesContext,
  call: SiteCall,
  named: string,
  query: EventQuery,
): Promise<HandlerResult> {
  if (call.waiting().events) throw invalid('query.sites', 'expected no `sites` for a stream, which is of one site');
  return manySites.run(async () => {
    const read = await readHeads(context, reachIn(named, call.reach));
    const keys = query.key === undefined ? null : new Set([query.key]);
    const fitting = { ...query, fits: (event: DeviceEvent) => fits(event, query, keys) };
    const page = async () => ({ success: true, ...(await eventsOfSites(context, read, fitting)) });
    return revalidated(call, `W/${etagOf([read, query])}`, page, `Accept, ${VARY}`);
  });
}

type EventsContext = Pick<DevicesContext, 'devices' | 'waitSlots'>;

async function respond(context: EventsContext, call: SiteCall, query: EventQuery): Promise<HandlerResult> {
  if (call.waiting().events) {
    const from = { site: call.site, user: userOf(call), lastEventId: call.lastEventId };
    return new HandlerResult(new EventStream((unread) => followEvents(context, from, query, unread)));
  }
  const { devices } = context;
  const snapshot = await devices.snapshot(call.site);
  const page = async () => ({ success: true, ...(await pageOfEvents(devices, snapshot, query)) });
  return revalidated(call, `W/${etagOf([snapshot.version, query])}`, page, `Accept, ${VARY}`);
}

/** Journal entries that one request reads at most, so many of which a filter may leave out. */
const MAX_ENTRIES = 2_000;
/** Approximate characters of events in a response: texts of devices can be long. */
const MAX_CHARACTERS = 4_000_000;

async function pageOfEvents(
  devices: DeviceStore,
  snapshot: Snapshot,
  { limit, cursor, ...filter }: EventQuery,
): Promise<{ events: DeviceEvent[]; unreadable: Unreadable[]; nextCursor: string | null }> {
  checkCursor(
    cursor === undefined || EventId.safeParse(cursor).success,
    'expected the nextCursor of a list of one site',
  );
  const after = cursor === undefined ? null : positionOf(cursor);
  const events: DeviceEvent[] = [];
  const unreadable: Unreadable[] = [];
  let entries = 0;
  let characters = 0;
  const before = after === null ? null : after.version + 1;
  const keys = keysOf(snapshot, filter.key);
  for await (const page of devices.changesBefore(snapshot, before, Math.min(Math.max(limit, 20), 500))) {
    unreadable.push(...page.unreadable);
    for (const entry of page.found) {
      if (filter.since !== undefined && isOlder(entry.at, filter.since))
        return { events, unreadable, nextCursor: null };
      for (const event of eventsOf(entry, namesIn(snapshot)).reverse()) {
        if (after !== null && !isLater(after, positionOf(event.id))) continue;
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

const POLL_MS = 2_000;
/** What a stream reads at each poll, about: beyond it, a client reloads the list sooner than it receives all events. */
const MAX_BACKLOG = { entries: 1_000, characters: 1_000_000 };
/** Entries that a stream reads while it holds a slot. */
const BATCH = 25;

/** Streams take turns at reading their backlogs, so that many of them cannot starve other requests. */
const catchingUp = openSemaphore({
  atOnce: 2,
  waiting: 12_000,
  refusal: 'Too many streams of events are catching up at the moment; try again later',
});

interface StreamStart {
  site: SiteId;
  user: string;
  /** The last event that the client has; empty, or of another collection, the stream starts after the latest event. */
  lastEventId: string;
}

/**
 * New events as they come, until the stream's time is over or the client is gone; without a wait slot, only the present
 * ones. Each event has an id from which a returning client resumes; so have `ready`, the first, and `end`, the last, so
 * that a client which received no event loses none. When the backlog is too long, the event `gap` stands for the rest.
 */
export async function* followEvents(
  { devices, waitSlots }: EventsContext,
  { site, user, lastEventId }: StreamStart,
  filter: Filter,
  disconnected: AbortSignal,
  { pollMs = POLL_MS, lastsMs = STREAM_MS } = {},
): AsyncGenerator<ServerEvent> {
  const endAt = performance.now() + lastsMs;
  let version = await devices.carriedOut(site);
  let seen = startOfStream(lastEventId, version);
  const release = waitSlots.take('stream', user);
  const isOver = () => release === null || performance.now() > endAt;
  try {
    // Without a slot there is no stream to wait on, so the client should poll less often.
    yield {
      event: 'ready',
      id: idOf(seen),
      retry: release === null ? Math.max(pollMs, RETRY_MS.withoutSlot) : pollMs,
      data: {},
    };
    for (;;) {
      const left = { ...MAX_BACKLOG };
      while (isLater(endOf(version), seen)) {
        if (left.entries <= 0 || left.characters <= 0) {
          seen = endOf(version);
          yield { event: 'gap', id: idOf(seen), data: {} };
          break;
        }
        const from = seen;
        // Sent after the slot is released: a client that does not read holds none.
        const read = await catchingUp.run(() =>
          disconnected.aborted ? nothingRead(from) : readBacklog(devices, site, from, version, filter.key),
        );
        left.entries -= read.entries;
        left.characters -= read.characters;
        for (const event of read.events) {
          if (!fits(event, filter, read.keys)) continue;
          seen = positionOf(event.id);
          yield { event: 'message', id: event.id, data: event };
          if (disconnected.aborted) return;
          if (performance.now() > endAt) return yield { event: 'end', id: idOf(seen), data: {} };
        }
        seen = read.seen;
        if (disconnected.aborted) return;
      }
      if (isOver()) return yield { event: 'end', id: idOf(seen), data: {} };
      await sleep(pollMs, undefined, { signal: disconnected }).catch(() => {});
      if (disconnected.aborted) return;
      version = await devices.carriedOut(site);
    }
  } finally {
    release?.();
  }
}

interface Backlog {
  events: DeviceEvent[];
  /** The position up to which it was read. */
  seen: Position;
  entries: number;
  characters: number;
  /** Of the filter's device, as `keysOf` has them. */
  keys: ReadonlySet<DeviceKey> | null;
}

async function nothingRead(seen: Position): Promise<Backlog> {
  return { events: [], seen, entries: 0, characters: 0, keys: null };
}

/** The events of the next entries of the journal, up to a version. */
async function readBacklog(
  devices: DeviceStore,
  site: SiteId,
  after: Position,
  upTo: number,
  key: DeviceKey | undefined,
): Promise<Backlog> {
  const snapshot = await devices.snapshot(site);
  const read = { ...(await nothingRead(endOf(upTo))), keys: keysOf(snapshot, key) };
  const names = namesIn(snapshot);
  const from = after.index === null ? after.version : after.version - 1;
  for await (const entry of devices.changesBetween(site, from, upTo, BATCH)) {
    read.events.push(...eventsOf(entry, names).filter(({ id }) => isLater(positionOf(id), after)));
    read.characters += JSON.stringify(entry.devices).length;
    if (++read.entries === BATCH) return { ...read, seen: endOf(entry.version) };
  }
  return read;
}

/** An event's position in its collection; without an index, after the last one of the version. */
interface Position {
  version: number;
  index: number | null;
}

function positionOf(id: string): Position {
  const [version, index] = id.split('.');
  return { version: Number(version), index: index === undefined ? null : Number(index) };
}

const endOf = (version: number): Position => ({ version, index: null });

const idOf = ({ version, index }: Position): string => (index === null ? String(version) : `${version}.${index}`);

function isLater(one: Position, other: Position): boolean {
  if (one.version !== other.version) return one.version > other.version;
  return (one.index ?? Infinity) > (other.index ?? Infinity);
}

function startOfStream(lastEventId: string, version: number): Position {
  const now = endOf(version);
  if (!/^\d{1,16}(?:\.\d{1,7})?$/.test(lastEventId)) return now;
  const position = positionOf(lastEventId);
  return isLater(position, now) ? now : position;
}

/** By `recordedAt`: a caller that continues from its last response also gets what was reported late. */
function fits({ recordedAt, type, device }: DeviceEvent, filter: Filter, keys: ReadonlySet<DeviceKey> | null): boolean {
  return (
    (filter.type === undefined || filter.type.includes(type)) &&
    (keys === null || (device !== null && keys.has(device.key))) &&
    (filter.since === undefined || !isOlder(new Date(recordedAt), filter.since))
  );
}

/** The keys under which the journal may have a device: the given one, and those of all its MACs. Null without a filter. */
function keysOf(snapshot: Snapshot, key: DeviceKey | undefined): ReadonlySet<DeviceKey> | null {
  if (key === undefined) return null;
  const device = snapshot.deviceOf(key);
  return new Set([key, ...(device === undefined ? [] : [device.key, ...Object.keys(device.joined ?? {})])]);
}

/** The journal has seconds. */
function isOlder(at: Date, since: Date): boolean {
  return Math.floor(at.getTime() / 1000) < Math.floor(since.getTime() / 1000);
}

const namesIn =
  (snapshot: Snapshot): ((key: DeviceKey) => string) =>
  (key) =>
    snapshot.get(key)?.record.devName ?? '';
