/**
 * The rule of presence: when a device counts as online, and when as offline.
 *
 * A device is online at the first sign of it. It is offline only when three cycles in a row missed it, a rescan of its address
 * failed in the last of them, and there was no sign of it for a grace period. A failed cycle does not count; probes of single
 * devices may decide earlier (`silence.ts`). With less than this, a phone that loses every second packet would flap all day.
 *
 * The state is plain JSON, and each step is a pure function.
 * @promise One missed scan takes no device offline: `agent/discovery/device-presence.test.ts`.
 */
import * as z from 'zod';
import { Absence, MAX_ABSENCES } from '../../shared/agent/discovery.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, Millis } from '../../shared/time.ts';

const MISSES = 3;
/** How long an online device may be silent. */
const GRACE_MS = 5 * MINUTE_MS;
/** The same for devices that save power: they sleep for up to twelve minutes at a time. */
const LONG_GRACE_MS = 15 * MINUTE_MS;
/** A device that returns after this long, and within the hour, may have slept. */
const SLEEPS_FROM_MS = 4 * MINUTE_MS;
/** A device that was off for some minutes once is no sleeper; one that is so often a day is. */
const SLEEPS_OF_SLEEPER = 3;
const FLAPPING_CHANGES = 3;
/** At least so many devices, and one in ten of those online, that fall silent in one cycle are many. */
const MANY = 3;
const MANY_IS_ONE_IN = 10;

export const PresenceState = z.object({
  online: z.boolean(),
  /** When it came online or went offline. */
  since: Millis,
  /** The last sign of it. */
  seenAt: Millis,
  /** Start of the silence: the last sign, or the start of the agent, which may have missed signs before. */
  silentSince: Millis,
  /** Consecutive cycles that missed it; 0 for a device that is offline. */
  misses: z.int().min(0),
  /** Whether it fell silent together with many others, as in a power cut: then it was not asleep. */
  silentWithMany: z.boolean(),
  /** When it was found to have slept, oldest first; as many as decide whether it is a sleeper. */
  sleeps: z.array(Millis).max(SLEEPS_OF_SLEEPER),
  /** When it last changed between online and offline, oldest first; as many as decide whether it flaps. */
  changes: z.array(Millis).max(FLAPPING_CHANGES),
  /** Its absences since its state was last confirmed, oldest first. */
  absences: z.array(Absence).max(MAX_ABSENCES).optional(),
});
export type PresenceState = z.infer<typeof PresenceState>;

/**
 * The result of a cycle for one device.
 * - `seen`: there was a sign of it
 * - `missed`: the cycle worked and there was none
 * - `absent`: there was none, and neither in a rescan of its address, which worked as well
 * - `gone`: several probes of it alone, seconds apart, failed while others responded: no grace is left
 * - `unknown`: the cycle failed, or does not cover the device's network
 */
export type Observation = 'seen' | 'missed' | 'absent' | 'gone' | 'unknown';

export interface Traits {
  /** It may sleep, as phones do. */
  sleeps?: boolean;
  /** It alerts when it is gone, and so never gets the longer grace. */
  alerts?: boolean;
  /** This cycle is the first to miss many others, too. */
  withMany?: boolean;
  /** Another one goes offline in this cycle: devices that went together are reported together. */
  withAnother?: boolean;
}

/** A device that is seen for the first time. */
export function firstSeen(at: number): PresenceState {
  const silence = { silentSince: at, misses: 0, silentWithMany: false };
  return { online: true, since: at, seenAt: at, ...silence, sleeps: [], changes: [] };
}

export function observe(state: PresenceState, result: Observation, at: number, traits: Traits = {}): PresenceState {
  if (result === 'unknown') return state;
  if (result === 'seen') return seen(state, at);
  if (!state.online) return state;
  if (result === 'gone') return changed({ ...state, misses: 0, online: false }, at);
  // After the clock was set back, silence counts from now on.
  const silentSince = Math.min(state.silentSince, at);
  const silentWithMany = state.silentWithMany || (state.misses === 0 && traits.withMany === true);
  const missed = { ...state, silentSince, silentWithMany, misses: Math.min(state.misses + 1, MISSES) };
  const isOver = missed.misses >= MISSES && at - silentSince >= graceOf(state, at, traits);
  return result === 'absent' && isOver ? changed({ ...missed, online: false, misses: 0 }, at) : missed;
}

/** Whether to rescan for a device before a cycle misses it. */
export function needsRescan({ online, misses }: PresenceState): boolean {
  return online && misses + 1 >= MISSES;
}

/** Whether so many silent devices of those online fell silent together. */
export function areMany(silent: number, online: number): boolean {
  return silent >= MANY && silent * MANY_IS_ONE_IN >= online;
}

/** The state after the agent was not running: it saw nothing, so silence counts from now on. */
export function resumed(state: PresenceState, at: number): PresenceState {
  return { ...state, silentSince: at, misses: 0, silentWithMany: false };
}

/** Whether a device changes too often between online and offline to report each change. */
export function isFlapping({ changes }: PresenceState, at: number): boolean {
  return changes.length >= FLAPPING_CHANGES && changes.every((change) => at - change < HOUR_MS);
}

/** How many devices are online, and how many of all flap. */
export function countPresence(devices: readonly { presence: PresenceState }[], at: number) {
  return {
    online: devices.filter(({ presence }) => presence.online).length,
    flapping: devices.filter(({ presence }) => isFlapping(presence, at)).length,
  };
}

function seen(state: PresenceState, at: number): PresenceState {
  const silentMs = at - state.silentSince;
  // Cycles missed it, rather than that none ran.
  const wasMissed = !state.online || state.misses >= 2;
  const slept = wasMissed && !state.silentWithMany && silentMs >= SLEEPS_FROM_MS && silentMs <= HOUR_MS;
  const sleeps = slept ? [...state.sleeps, at].slice(-SLEEPS_OF_SLEEPER) : state.sleeps;
  const present = { ...resumed(state, at), online: true, seenAt: at, sleeps };
  if (state.online) return present;
  const [first, ...others] = [...(state.absences ?? []), [state.since, state.seenAt, at] satisfies Absence];
  return changed({ ...present, absences: [first, ...others.slice(1 - MAX_ABSENCES)] }, at);
}

function changed(state: PresenceState, at: number): PresenceState {
  return { ...state, since: at, changes: [...state.changes, at].slice(-FLAPPING_CHANGES) };
}

function graceOf({ sleeps }: PresenceState, at: number, traits: Traits): number {
  const [first = 0, last = 0] = [sleeps[0], sleeps.at(-1)];
  // Three sleeps within a day make a sleeper for a week.
  const isPattern = sleeps.length >= SLEEPS_OF_SLEEPER && last - first <= DAY_MS && at - last < 7 * DAY_MS;
  const grace = !traits.alerts && (traits.sleeps || isPattern) ? LONG_GRACE_MS : GRACE_MS;
  // The last signs of devices that went together may be of two scans, 90 s apart.
  return grace - (traits.withAnother ? 90_000 : 0);
}
