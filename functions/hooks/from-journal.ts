/** The deliveries that a hook has to make, from the entries of the journal. */
import type { DeviceEvent } from '../../shared/api/events.ts';
import type { HookEvent, HookFormat } from '../../shared/api/hook-events.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from '../devices/collection/change-row.ts';
import { eventsOf } from '../devices/events.ts';
import { mayBeBlip, withoutBlips } from './blips.ts';
import { summedUp, type ToTell } from './bursts.ts';
import { chooser, type Facts, newcomer } from './chosen.ts';
import type { NewDelivery } from './delivery-store.ts';
import { presenceChanged } from './flapping.ts';
import type { StoredHook } from './hook-store.ts';
import { isUrgentType } from './message.ts';
import { URGENT_END } from './queue.ts';
import { type Held, isExcepted, quietAt } from './quiet.ts';

/** Events of a type within a minute that are told one by one: a person reads some, and a program wants all but floods. */
const MOST_AT_ONCE: Record<HookFormat, number> = {
  json: 100,
  ...{ slack: 3, discord: 3, ntfy: 3, teams: 3, telegram: 3, gotify: 3, pushover: 3 },
};

const PRESENCE = ['online', 'offline', 'down'] as const;

interface News {
  deliveries: NewDelivery[];
  /** What happened in quiet hours. */
  held: Held[];
  /** What is to be written beside the cursor of the hook, with it. */
  state: Pick<StoredHook, 'recent' | 'bursts' | 'waiting'>;
}

interface Circumstances {
  facts: Facts;
  /** Of the site. */
  timeZone: string;
  now: Date;
}

export function newsOf(
  site: SiteId,
  hook: StoredHook,
  entries: readonly JournalEntry[],
  { facts, timeZone, now }: Circumstances,
): News {
  let { recent } = hook;
  const wants = (type: ToTell['type']) => hook.events.some((wanted) => wanted === type);
  const isChosen = chooser(hook, facts);
  const isForPeople = hook.format !== 'json';
  const wantsPresence = PRESENCE.some(wants);

  /** The event in the form in which it is told; null when it is not. */
  function toTell(event: DeviceEvent, entry: JournalEntry): ToTell | null {
    if (!isChosen(event, entry)) return null;
    if (wantsPresence && event.device !== null && PRESENCE.some((type) => type === event.type)) {
      const change = presenceChanged(recent, event.device.key, Math.floor(Date.parse(event.recordedAt) / 1000));
      recent = change.recent;
      if (change.tell === 'flapping') return { ...event, type: 'flapping' };
      if (change.tell === 'nothing') return null;
    }
    if (!wants(event.type) && !(isForPeople && mayBeBlip(event.type))) return null;
    return event.type === 'new' ? ofNewcomer(event, entry) : event;
  }

  const happened = entries.map((entry) =>
    eventsOf(entry, (key) => facts.get(key)?.devName ?? '').flatMap((event) => toTell(event, entry) ?? []),
  );
  const { changes, waiting } = isForPeople
    ? withoutBlips(hook.waiting, happened, { wants, now })
    : { changes: happened, waiting: [] };
  const { aloud, held } = withoutQuiet(hook, changes, timeZone);
  const { told, bursts } = summedUp(hook.bursts, aloud, { most: MOST_AT_ONCE[hook.format], now });
  return { deliveries: told.map((event) => deliveryOf(site, hook, event)), held, state: { recent, bursts, waiting } };
}

/** Parts what is told at once from what waits for the end of quiet hours. */
function withoutQuiet(hook: StoredHook, changes: readonly ToTell[][], timeZone: string) {
  const { quiet } = hook;
  if (quiet === undefined) return { aloud: changes, held: [] };
  const held: Held[] = [];
  let span: Held['span'] | null = null;
  /** Those of the event before, mostly: to find them takes a while. */
  function spanAt(at: Date): Held['span'] | null {
    if (quiet !== undefined && (span === null || at < span.since || at >= span.until))
      span = quietAt(quiet, timeZone, at);
    return span;
  }
  const aloud = changes.map((events) =>
    events.filter((event) => {
      if (isExcepted(quiet.exceptEvents, event.type)) return true;
      const inside = spanAt(new Date(event.recordedAt));
      if (inside !== null) held.push({ event, span: inside });
      return inside === null;
    }),
  );
  return { aloud, held };
}

/** With what is known of the device. */
function ofNewcomer(event: DeviceEvent, entry: JournalEntry): ToTell {
  const { devLastIP: ip = '', devVendor: vendor = '' } = newcomer(entry, event.device?.key) ?? {};
  return { ...event, ...(ip === '' ? {} : { ip }), ...(vendor === '' ? {} : { vendor }) };
}

/** Under a key that follows from the event, so that it is written once, however often the event is met. */
function deliveryOf(site: SiteId, hook: StoredHook, event: Omit<HookEvent, 'site'>): NewDelivery {
  const seconds = Math.floor(Date.parse(event.recordedAt) / 1000);
  const id = `${String(seconds).padStart(10, '0')}_${event.id.replace('.', '_')}${isUrgentType(event.type) ? URGENT_END : ''}`;
  return { hook: hook.id, id, webhookId: `${hook.id}_${id}`, event: { ...event, site } };
}
