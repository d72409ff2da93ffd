/** Reads the events of a span of time from the journal of a site. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from './collection/change-row.ts';
import type { DeviceKey } from './collection/device-codec.ts';
import type { DeviceStore } from './collection/device-store.ts';
import { eventsOf } from './events.ts';

/** Including `since`, excluding `until`. */
export interface Span {
  since: Date;
  until: Date;
}

/** Entries and events that are read for one response, the newest. */
const MAX_READ = { entries: 20_000, events: 50_000 };
/** Entries that are decoded before other requests get a turn. */
const PAGE = 200;
/** @param namesFor the names of devices whose entries do not contain them */
export async function readChanges(
  devices: Pick<DeviceStore, 'changesRecorded'>,
  site: SiteId,
  { since, until }: Span,
  namesFor: (entries: readonly JournalEntry[]) => Promise<(key: DeviceKey) => string>,
): Promise<{ events: DeviceEvent[]; truncated: boolean; unreadable: Unreadable[] }> {
  const events: DeviceEvent[] = [];
  const unreadable: Unreadable[] = [];
  // The journal has seconds.
  const from = Math.floor(since.getTime() / 1000) * 1000;
  // Agents that were cut off report up to a week late.
  const recordedUntil = new Date(until.getTime() + 7 * 86_400_000);
  let entries = 0;
  for await (const page of devices.changesRecorded(site, new Date(from), recordedUntil, PAGE)) {
    unreadable.push(...page.unreadable);
    const nameOf = await namesFor(page.found);
    for (const entry of page.found) {
      for (const event of eventsOf(entry, nameOf)) {
        const at = Date.parse(event.at);
        if (at >= from && at < until.getTime()) events.push(event);
      }
    }
    await yieldToEventLoop();
    entries += page.found.length;
    if (entries >= MAX_READ.entries || events.length >= MAX_READ.events) return { events, truncated: true, unreadable };
  }
  return { events, truncated: false, unreadable };
}
