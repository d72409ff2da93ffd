/** The deliveries that a hook has to make, from the entries of the journal. */
import type { HookEvent, HookFormat } from '../../shared/api/hooks.ts';
import { UNKNOWN_NAMES } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { JournalEntry } from '../../store/devices/change-row.ts';
import { type DeviceKey, unpackRecord } from '../../store/devices/device-codec.ts';
import type { NewDelivery } from '../../store/hooks/delivery-store.ts';
import type { StoredHook } from '../../store/hooks/hook-store.ts';
import { eventsOf } from '../devices/events.ts';
import { mayBeBlip, withoutBlips } from './blips.ts';
import { summedUp, type ToTell } from './bursts.ts';
import { presenceChanged } from './flapping.ts';
import { isUrgentType } from './message.ts';
import { URGENT_END } from './queue.ts';

/** Events of a type within a minute that are told one by one: a person reads some, and a program wants all but floods. */
const MOST_AT_ONCE: Record<HookFormat, number> = { json: 100, slack: 3, discord: 3, ntfy: 3 };

const PRESENCE = ['online', 'offline', 'down'] as const;

export interface News {
  deliveries: NewDelivery[];
  /** What is to be written beside the cursor of the hook, with it. */
  state: Pick<StoredHook, 'recent' | 'bursts' | 'waiting'>;
}

/** @param names what devices are called of which the entries do not say it */
export function newsOf(
  site: SiteId,
  hook: StoredHook,
  entries: readonly JournalEntry[],
  names: ReadonlyMap<DeviceKey, string>,
  now: Date,
): News {
  let { recent } = hook;
  const wants = (type: ToTell['type']) => hook.events.some((wanted) => wanted === type);
  const isForPeople = hook.format !== 'json';
  const wantsPresence = PRESENCE.some(wants);

  /** The event in the form in which it is told; null when it is not. */
  function toTell(event: ToTell, entry: JournalEntry): ToTell | null {
    // Who has chosen outages hears of their devices by them.
    if (event.outage !== undefined && wants(event.type === 'online' ? 'outage-over' : 'outage')) return null;
    if (wantsPresence && event.device !== null && PRESENCE.some((type) => type === event.type)) {
      const change = presenceChanged(recent, event.device.key, Math.floor(Date.parse(event.recordedAt) / 1000));
      recent = change.recent;
      if (change.tell === 'flapping') return { ...event, type: 'flapping' };
      if (change.tell === 'nothing') return null;
    }
    if (!wants(event.type) && !(isForPeople && mayBeBlip(event.type))) return null;
    if (isForPeople && isFirstName(event)) return null;
    return event.type === 'new' ? ofNewcomer(event, entry, hook.skipRandomMacs === true) : event;
  }

  const happened = entries.map((entry) =>
    eventsOf(entry, (key) => names.get(key) ?? '').flatMap((event) => toTell(event, entry) ?? []),
  );
  const { changes, waiting } = isForPeople
    ? withoutBlips(hook.waiting, happened, { wants, now })
    : { changes: happened, waiting: [] };
  const { told, bursts } = summedUp(hook.bursts, changes, { most: MOST_AT_ONCE[hook.format], now });
  return { deliveries: told.map((event) => deliveryOf(site, hook, event)), state: { recent, bursts, waiting } };
}

/**
 * Whether discovery has found a name for a device that had none. It asks for names after it has told who is there, so that
 * the first look at a network would be a message for each device behind the one that tells of it.
 */
function isFirstName({ type, cause, changes }: ToTell): boolean {
  if (type !== 'renamed' || cause !== 'sighting') return false;
  return UNKNOWN_NAMES.some((name) => name === changes.devName?.from);
}

/** The devices of which the entries do not say what they are called. */
export function unnamedIn(entries: readonly JournalEntry[]): DeviceKey[] {
  const unnamed = new Set<DeviceKey>();
  for (const entry of entries) {
    eventsOf(entry, (key) => {
      unnamed.add(key);
      return '';
    });
  }
  return [...unnamed];
}

/** With what is known of the device; null when it is one of those that are left out. */
function ofNewcomer(event: ToTell, { devices }: JournalEntry, skipsRandomMacs: boolean): ToTell | null {
  for (const change of devices ?? []) {
    if (change[1] !== '+' || change[0] !== event.device?.key) continue;
    const { devLastIP, devVendor, devRandomMAC } = unpackRecord(change[2], change[0]);
    if (skipsRandomMacs && devRandomMAC === 1) return null;
    return {
      ...event,
      ...(devLastIP === '' ? {} : { ip: devLastIP }),
      ...(devVendor === '' ? {} : { vendor: devVendor }),
    };
  }
  return event;
}

/** Under a key that follows from the event, so that it is written once, however often the event is met. */
function deliveryOf(site: SiteId, hook: StoredHook, event: Omit<HookEvent, 'site'>): NewDelivery {
  const seconds = Math.floor(Date.parse(event.recordedAt) / 1000);
  const id = `${String(seconds).padStart(10, '0')}_${event.id.replace('.', '_')}${isUrgentType(event.type) ? URGENT_END : ''}`;
  return { hook: hook.id, id, webhookId: `${hook.id}_${id}`, event: { ...event, site } };
}
