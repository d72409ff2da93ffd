/** Messages about several events: of a minute, of quiet hours, and of a day or a week. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DeviceEvent } from '../../shared/api/events.ts';
import { type HookEvent, MAX_DIGEST_GROUPS, MAX_NAMED } from '../../shared/api/hook-events.ts';
import type { SiteId } from '../../shared/identity.ts';
import { thousands } from '../../shared/text.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import { readChanges, type Span } from '../devices/read-changes.ts';
import { sumUp } from '../devices/sum-up.ts';
import { type Facts, factsOf, unnamedIn } from './chosen.ts';
import type { Progress, StoredHook } from './hook-store.ts';
import { isPassed, type Notice, stepsOf } from './steps.ts';

/** Entries of the journal read at a time. */
export const ENTRIES_AT_ONCE = 100;
/** The last events that one message sums up; it has the number of those before them. */
export const MAX_EVENTS = 5_000;
/** Sentences of one device in a digest. */
const MAX_SENTENCES = 8;

/** @param events of the message, in order; at least one */
export function noticeOf(events: readonly Notice[], actor: string): Notice {
  const [first, last] = [events[0] as Notice, events.at(-1) as Notice];
  if (events.length === 1) return first;
  const things = events.map(thingsOf);
  if (events.every(({ type }, i) => type === first.type && things[i]?.length !== 0)) {
    const { id, at, recordedAt, cause } = last;
    const named = new Map(things.flat().map((thing) => [thing.key, thing]));
    const count = events.reduce((sum, event) => sum + (event.count ?? 1), 0);
    const devices = [...named.values()].slice(0, MAX_NAMED);
    const { type } = first;
    return { id, at, recordedAt, actor: last.actor, cause, type, device: null, changes: {}, count, devices };
  }
  const span = { since: new Date(first.at), until: new Date(last.at) };
  return { ...digestOf(last.id, span, actor, events.map(asItHappened)), at: last.at, recordedAt: last.recordedAt };
}

/** What an event is about, if one notification can be about several of that kind. */
function thingsOf({ device, devices, subject }: Notice): NonNullable<Notice['devices']> {
  if (devices !== undefined || device !== null) return devices ?? (device === null ? [] : [device]);
  const isOneOfMany = subject !== undefined && ['agent', 'check', 'schedule'].includes(subject.kind);
  return isOneOfMany ? [{ mac: '', key: subject.id, name: subject.name }] : [];
}

/** The summary of what quiet hours have held; null when none of it is to be sent any more, because the hook has changed. */
export async function heldNotice(
  devices: Pick<DeviceStore, 'changesBetween' | 'recordsOf'>,
  site: SiteId,
  hook: StoredHook,
  { from, since, until, except }: NonNullable<Progress['held']>,
): Promise<Notice | null> {
  const events: DeviceEvent[] = [];
  let facts: Facts = new Map();
  let place = { ...hook, ...from };
  let earlier = 0;

  async function take(entries: readonly JournalEntry[]): Promise<void> {
    const wants = ({ type }: DeviceEvent) => hook.events.includes(type);
    facts = await factsOf(devices, site, hook, entries, { known: facts, wants });
    const steps = stepsOf(place, entries, facts, { now: until, asItHappened: true });
    for (const { id, event, after } of steps) {
      place = { ...place, ...after };
      const isAhead = after.cursor >= hook.cursor && !isPassed(id, hook.passed);
      if (event === null || isAhead || except.includes(id)) continue;
      events.push(asItHappened(event));
    }
    earlier += events.splice(0, Math.max(0, events.length - MAX_EVENTS)).length;
    await yieldToEventLoop();
  }

  let page: JournalEntry[] = [];
  const upTo = hook.passed === null ? hook.cursor : Number(hook.passed.split('.')[0]);
  for await (const entry of devices.changesBetween(site, from.cursor, upTo)) {
    page.push(entry);
    if (page.length < ENTRIES_AT_ONCE) continue;
    await take(page);
    page = [];
  }
  await take(page);
  if (events.length === 0) return null;
  const before = earlier === 0 ? '' : `, after ${thousands(earlier)} other ${earlier === 1 ? 'event' : 'events'}`;
  const span = { since: new Date(since), until: new Date(until) };
  return digestOf(`quiet_${hook.cursor}`, span, hook.createdBy, events, `In the quiet hours${before}: `);
}

export async function changesNotice(
  devices: Pick<DeviceStore, 'changesRecorded' | 'namesOf'>,
  site: SiteId,
  hook: StoredHook,
  span: Span,
): Promise<Notice> {
  const { events, truncated } = await readChanges(devices, site, span, async (entries) => {
    const names = await devices.namesOf(site, unnamedIn(entries));
    return (key) => names.get(key) ?? '';
  });
  const prefix = truncated ? 'Too many changes for one message, the last of them: ' : '';
  return digestOf('digest', span, hook.createdBy, events, prefix);
}

function digestOf(
  id: string,
  { since, until }: Span,
  actor: string,
  events: readonly DeviceEvent[],
  prefix = '',
): Notice {
  const { summary, changes, summaryCodes } = sumUp(events);
  const listed = changes
    .slice(0, MAX_DIGEST_GROUPS)
    .map((group) => ({ ...group, sentences: group.sentences.slice(-MAX_SENTENCES) }));
  const at = until.toISOString();
  const more = changes.length - listed.length;
  const span = { since: since.toISOString(), until: at };
  const digest = { ...span, summary: `${prefix}${summary}`, summaryCodes, changes: listed, more };
  const about = { device: null, changes: {}, actor } satisfies Partial<HookEvent>;
  return { id, at, recordedAt: at, type: 'digest', cause: 'digest', ...about, digest };
}

/** With the change itself in place of the flapping, which a summary shows anyway. */
function asItHappened(event: Notice): DeviceEvent {
  const isThere = event.changes.devPresentLastScan?.to === 1;
  return { ...event, ...(event.type === 'flapping' ? { type: isThere ? 'online' : 'offline' } : {}) } as DeviceEvent;
}
