/** Flapping: whether a change of presence is news, or one of many. */
import type { RecentPresence } from './hook-store.ts';

export const PRESENCE: readonly string[] = ['online', 'offline', 'down'];
/** This many changes of presence within an hour are flapping. */
export const FLAPPING_CHANGES = 3;
/** A device stops flapping after this many seconds without a change. */
export const QUIET_S = 3_600;

/** Devices that are remembered. Beyond that, those that changed longest ago are evicted, and each of their changes is sent. */
const MAX_DEVICES = 200;

/**
 * What to send of a change of presence: the change itself; once, that the device is flapping; and then nothing, until it
 * has not changed for an hour.
 * @param at time of the change (Unix, s); not before those in `recent`
 */
export function presenceChanged(
  recent: RecentPresence,
  key: string,
  at: number,
): { notify: 'change' | 'flapping' | 'nothing'; recent: RecentPresence } {
  const lately = Object.entries(recent).filter(([, known]) => at - (known.at.at(-1) ?? 0) < QUIET_S);
  const others = lately.filter(([other]) => other !== key);
  const [, known] = lately.find(([other]) => other === key) ?? [];
  const times = [...(known?.at ?? []), at].slice(-FLAPPING_CHANGES);
  const isOften = times.length === FLAPPING_CHANGES && at - (times[0] ?? 0) < QUIET_S;
  const flapping = known?.flapping === true || isOften;
  const notify = !flapping ? 'change' : known?.flapping ? 'nothing' : 'flapping';
  // Objects keep the order in which keys were added, so that the device that changed last is the last one.
  const kept = [...others, [key, { at: times, flapping }] as const].slice(-MAX_DEVICES);
  return { notify, recent: Object.fromEntries(kept) };
}
