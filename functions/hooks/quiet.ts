/**
 * Quiet hours: what happens in them is held, and told when they end, as one message. It is held by one delivery that is not
 * due before that, and which says of which part of the journal it tells. That is read when it is due, so that nothing grows
 * meanwhile. The part ends with what was held last, and stays as it is from the first attempt on: so each event is in the
 * part of one delivery, whenever it is attempted, and whatever becomes of the hook.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { MAX_TOLD } from '../../shared/api/hook-events.ts';
import type { Quiet } from '../../shared/api/hook-terms.ts';
import type { SiteId } from '../../shared/identity.ts';
import { isInWindow } from '../../shared/schedule-turns.ts';
import { thousands } from '../../shared/text.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import { eventsOf } from '../devices/events.ts';
import type { Span } from '../devices/read-changes.ts';
import { sumUp } from '../devices/sum-up.ts';
import type { ToTell } from './bursts.ts';
import { chooser, type Facts, factsOf } from './chosen.ts';
import type { NewDelivery, Held as Part } from './delivery-store.ts';
import type { StoredHook } from './hook-store.ts';

const MINUTE_MS = 60_000;
const ENTRIES_AT_ONCE = 100;
/** Events that are summed up in one message, the last; it says how many there were before them. */
export const MAX_EVENTS = 5_000;
/** Sentences of one device. */
const MAX_SENTENCES = 8;

/** What is told when quiet hours are over. */
export interface Held {
  event: ToTell;
  span: Span;
}

/**
 * The quiet hours in which a time lies, from their beginning to their end; null when it lies in none. By the clock, minute
 * by minute: what it shows twice in a year can be inside, outside and inside again.
 */
export function quietAt({ from, to }: Quiet, timeZone: string, at: Date): Span | null {
  const isQuiet = (time: number) => isInWindow({ from, to }, time, timeZone);
  if (!isQuiet(at.getTime())) return null;
  let since = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  let until = since + MINUTE_MS;
  while (isQuiet(since - MINUTE_MS)) since -= MINUTE_MS;
  while (isQuiet(until)) until += MINUTE_MS;
  return { since: new Date(since), until: new Date(until) };
}

/**
 * The delivery that holds what happens in quiet hours. Its key follows from their end, and from when they were set: what is
 * held after they were changed is told by another one.
 * @param held the part of the journal of which it tells
 */
export function holding(site: SiteId, hook: StoredHook, span: Span, held: Part): NewDelivery {
  return { ...deliveryOf(site, hook, span, ''), held };
}

/**
 * The delivery that tells of what is found only after that of these quiet hours was attempted.
 * @param events at least one, in order
 */
export function foundLate(site: SiteId, hook: StoredHook, span: Span, events: readonly ToTell[]): NewDelivery {
  const delivery = deliveryOf(site, hook, span, `_${Math.max(...events.map(versionOf))}`);
  return { ...delivery, event: withTold(delivery.event, events.map(asItHappened), 0) };
}

function deliveryOf(site: SiteId, hook: StoredHook, { since, until }: Span, end: string) {
  const set = hook.quietSince === undefined ? '' : `_${secondsOf(new Date(hook.quietSince)).toString(36)}`;
  const id = `${String(secondsOf(until)).padStart(10, '0')}_quiet${set}${end}`;
  const event: NewDelivery['event'] = {
    ...{
      id,
      at: until.toISOString(),
      recordedAt: until.toISOString(),
      type: 'digest',
      site,
      device: null,
      changes: {},
    },
    ...{ actor: hook.createdBy, cause: 'digest' },
    digest: { since: since.toISOString(), until: until.toISOString(), summary: '', changes: [], more: 0 },
  };
  return { hook: hook.id, id, webhookId: `${hook.id}_${id}`, event };
}

/** Whether an event is in the part of the journal of which a delivery tells. */
export function isIn({ behind, upTo, without }: Part, event: Pick<ToTell, 'id'>): boolean {
  const version = versionOf(event);
  return version > behind && version <= upTo && !without.includes(event.id);
}

export const versionOf = ({ id }: Pick<ToTell, 'id'>) => Number(id.split('.')[0]);
const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000);

/** What a delivery tells: its event, or what it has held; null when nothing of it is to be told any more, because the hook was changed. */
export async function heldEvent(
  devices: Pick<DeviceStore, 'changesBetween' | 'recordsOf'>,
  site: SiteId,
  hook: StoredHook,
  { event, held }: Pick<NewDelivery, 'event' | 'held'>,
): Promise<NewDelivery['event'] | null> {
  const { digest } = event;
  if (digest === undefined || held === undefined) return event;
  const [since, until] = [Date.parse(digest.since), Date.parse(digest.until)];
  const wants = (one: DeviceEvent) =>
    hook.events.includes(one.type) && !isExcepted(held.except, one.type) && isIn(held, one);
  let facts: Facts = new Map();
  const events: DeviceEvent[] = [];
  let earlier = 0;

  async function take(entries: readonly JournalEntry[]): Promise<void> {
    facts = await factsOf(devices, site, hook, entries, { known: facts, wants });
    const isChosen = chooser(hook, facts);
    for (const entry of entries) {
      const some = eventsOf(entry, (key) => facts.get(key)?.devName ?? '');
      events.push(...some.filter((one) => wants(one) && isChosen(one, entry)));
    }
    earlier += events.splice(0, Math.max(0, events.length - MAX_EVENTS)).length;
    await yieldToEventLoop();
  }

  let page: JournalEntry[] = [];
  for await (const entry of devices.changesBetween(site, Math.max(held.behind, hook.from), held.upTo)) {
    if (entry.at.getTime() < since || entry.at.getTime() >= until) continue;
    page.push(entry);
    if (page.length < ENTRIES_AT_ONCE) continue;
    await take(page);
    page = [];
  }
  await take(page);
  return events.length === 0 ? null : withTold(event, events, earlier);
}

/** @param earlier how many events there were before these */
function withTold(event: NewDelivery['event'], events: readonly DeviceEvent[], earlier: number): NewDelivery['event'] {
  const { digest } = event;
  if (digest === undefined) return event;
  const { summary, changes } = sumUp(events);
  const told = changes
    .slice(0, MAX_TOLD)
    .map((group) => ({ ...group, sentences: group.sentences.slice(-MAX_SENTENCES) }));
  const before = earlier === 0 ? '' : `, after ${thousands(earlier)} other ${earlier === 1 ? 'event' : 'events'}`;
  const said = `In the quiet hours${before}: ${summary}`;
  return { ...event, digest: { ...digest, summary: said, changes: told, more: changes.length - told.length } };
}

/** Without that it happens again and again: the summary shows it. */
function asItHappened(event: ToTell): DeviceEvent {
  const isThere = event.changes.devPresentLastScan?.to === 1;
  return { ...event, ...(event.type === 'flapping' ? { type: isThere ? 'online' : 'offline' } : {}) } as DeviceEvent;
}

const PRESENCE: readonly string[] = ['online', 'offline', 'down'];

/** Whether events of this type are told in quiet hours too. */
export function isExcepted(except: readonly EventType[] = [], type: ToTell['type']): boolean {
  return except.some((one) => one === type || (type === 'flapping' && PRESENCE.includes(one)));
}
