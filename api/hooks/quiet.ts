/**
 * Quiet hours: what happens in them is held, and told when they end, as one message. It is held by one delivery that is not
 * due before that, and which says behind which version of the journal it begins. What it tells is read when it is due, so
 * that nothing grows meanwhile, and whoever is stopped loses nothing.
 */
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import type { Quiet } from '../../shared/api/hook-terms.ts';
import { MAX_TOLD } from '../../shared/api/hooks.ts';
import type { SiteId } from '../../shared/identity.ts';
import { isInWindow, nextTurn, turnsBetween } from '../../shared/schedule-turns.ts';
import type { DeviceStore } from '../../store/devices/device-store.ts';
import type { NewDelivery } from '../../store/hooks/delivery-store.ts';
import type { StoredHook } from '../../store/hooks/hook-store.ts';
import { eventsOf } from '../devices/events.ts';
import type { Span } from '../devices/read-changes.ts';
import { sumUp } from '../devices/sum-up.ts';
import type { ToTell } from './bursts.ts';
import { chooser, factsOf } from './chosen.ts';

/** Longer than a day of 25 hours. */
const LOOK_BACK_MS = 26 * 3_600_000;
const ENTRIES_AT_ONCE = 100;
/** Entries of the journal that are read for one message; it says that there were more. */
const MAX_ENTRIES = 5_000;
/** Sentences of one device. */
const MAX_SENTENCES = 8;

/** What is told when quiet hours are over. */
export interface Held {
  event: ToTell;
  span: Span;
}

/** The quiet hours in which a time lies, from their beginning to their end; null when it lies in none. */
export function quietAt(quiet: Quiet, timeZone: string, at: Date): Span | null {
  const { from, to } = quiet;
  const time = at.getTime();
  if (!isInWindow({ from, to }, time, timeZone)) return null;
  const daily = (clock: string) => {
    const [hour = '', minute = ''] = clock.split(':');
    const cron = `${Number(minute)} ${Number(hour)} * * *`;
    return { timing: { cron, from: 1, jitterSeconds: 0 }, timeZone };
  };
  const [since] = turnsBetween(daily(from), time - LOOK_BACK_MS, time, 1);
  const until = nextTurn(daily(to), time);
  return until === null ? null : { since: new Date(since ?? time), until: new Date(until) };
}

/**
 * The delivery that holds what happens in quiet hours. Its key follows from their end.
 * @param behind the version of the collection behind which all of it is
 * @param again of what is found only after the delivery of these quiet hours was attempted
 */
export function holding(
  site: SiteId,
  hook: StoredHook,
  { since, until }: Span,
  behind: number,
  again = '',
): NewDelivery {
  const id = `${String(Math.floor(until.getTime() / 1000)).padStart(10, '0')}_quiet${again}`;
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
  return { hook: hook.id, id, webhookId: `${hook.id}_${id}`, event, heldBehind: behind };
}

/** What a delivery tells: its event, or what it has held; null when nothing of it is to be told any more, because the hook was changed. */
export async function heldEvent(
  devices: Pick<DeviceStore, 'finalChanges' | 'namesOf' | 'recordsOf'>,
  site: SiteId,
  hook: StoredHook,
  { event, heldBehind }: Pick<NewDelivery, 'event' | 'heldBehind'>,
): Promise<NewDelivery['event'] | null> {
  const { digest } = event;
  if (digest === undefined || heldBehind === undefined) return event;
  const [since, until] = [Date.parse(digest.since), Date.parse(digest.until)];
  const events: DeviceEvent[] = [];
  let [behind, entriesRead, isWhole] = [Math.max(heldBehind, hook.from), 0, false];
  while (!isWhole && entriesRead < MAX_ENTRIES) {
    const { entries, next } = await devices.finalChanges(site, behind, ENTRIES_AT_ONCE);
    const inside = entries.filter(({ at }) => at.getTime() >= since && at.getTime() < until);
    const facts = await factsOf(devices, site, hook, inside);
    const isChosen = chooser(hook, facts);
    for (const entry of inside) {
      const some = eventsOf(entry, (key) => facts.get(key)?.devName ?? '');
      events.push(...some.filter((event) => isChosen(event, entry) && isHeld(hook, event.type)));
    }
    entriesRead += entries.length;
    const last = entries.at(-1);
    behind = last?.version ?? behind;
    isWhole = next !== 'more' || last === undefined || last.at.getTime() >= until;
  }
  if (events.length === 0) return null;
  const { summary, changes } = sumUp(events);
  const told = changes
    .slice(0, MAX_TOLD)
    .map((group) => ({ ...group, sentences: group.sentences.slice(-MAX_SENTENCES) }));
  const said = `${isWhole ? 'In the quiet hours' : 'In the quiet hours, of which not all can be told'}: ${summary}`;
  return { ...event, digest: { ...digest, summary: said, changes: told, more: changes.length - told.length } };
}

function isHeld(hook: StoredHook, type: EventType): boolean {
  return hook.events.includes(type) && !isExcepted(hook, type);
}

const PRESENCE: readonly string[] = ['online', 'offline', 'down'];

/** Whether events of this type are told in quiet hours too. */
export function isExcepted({ quiet }: Pick<StoredHook, 'quiet'>, type: ToTell['type']): boolean {
  const excepted = quiet?.exceptEvents ?? [];
  return excepted.some((one) => one === type || (type === 'flapping' && PRESENCE.includes(one)));
}
