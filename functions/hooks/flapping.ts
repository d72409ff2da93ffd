/** Whether people want to hear that a device came or went, or whether it does so all the time. */
import type { RecentPresence } from './hook-store.ts';

/** So many changes of presence within an hour are flapping. */
export const FLAPPING_CHANGES = 3;
/** After so many seconds without a change a device does not flap any more. */
export const QUIET_S = 3_600;

/** Devices that are remembered. Beyond that, those that changed longest ago are forgotten, and told one by one. */
const MAX_DEVICES = 200;

/**
 * What to tell of a change of presence: the change itself; once, that the device is flapping; and then nothing, until it
 * has not changed for an hour.
 * @param at time of the change (Unix, s); not before those in `recent`
 */
export function presenceChanged(
  recent: RecentPresence,
  key: string,
  at: number,
): { tell: 'change' | 'flapping' | 'nothing'; recent: RecentPresence } {
  const lately = Object.entries(recent).filter(([, known]) => at - (known.at.at(-1) ?? 0) < QUIET_S);
  const others = lately.filter(([other]) => other !== key);
  const [, known] = lately.find(([other]) => other === key) ?? [];
  const times = [...(known?.at ?? []), at].slice(-FLAPPING_CHANGES);
  const isOften = times.length === FLAPPING_CHANGES && at - (times[0] ?? 0) < QUIET_S;
  const flapping = known?.flapping === true || isOften;
  const tell = !flapping ? 'change' : known?.flapping ? 'nothing' : 'flapping';
  // Objects keep the order in which keys were added, so that the device that changed last is the last one.
  const kept = [...others, [key, { at: times, flapping }] as const].slice(-MAX_DEVICES);
  return { tell, recent: Object.fromEntries(kept) };
}
