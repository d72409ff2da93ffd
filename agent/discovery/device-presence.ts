/**
 * The rule of presence: when a device counts as online, and when as offline.
 *
 * A device is online at the first sign of it. It is offline only when three cycles in a row have missed it, a second look
 * at its address has failed in the last of them, and there was no sign of it for a time of grace. A cycle that did not
 * work counts for nothing; single questions may say more (`silence.ts`). With less than this, a phone that loses every second packet is said to go and come all day.
 *
 * The state is plain JSON, and each step depends on nothing else.
 * @promise One missed scan takes no device offline: `agent/discovery/device-presence.test.ts`.
 */
import * as z from 'zod';
import { Absence, MAX_ABSENCES } from '../../shared/agent/discovery.ts';
import { Millis } from '../../shared/time.ts';

const MISSES = 3;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a device that is there may be silent. */
const GRACE_MS = 5 * MINUTE_MS;
/** The same for devices that save power: they sleep for up to twelve minutes at a time. */
const LONG_GRACE_MS = 15 * MINUTE_MS;
/** Silent for longer than this and then back within the hour: the device may have been asleep, and not away. */
const SLEEPS_FROM_MS = 4 * MINUTE_MS;
const SLEEPS_UNTIL_MS = HOUR_MS;
/** A device that was off for some minutes once is no sleeper; one that does so all day is. */
const SLEEPS_OF_SLEEPER = 3;
const SLEEPS_WITHIN_MS = 24 * HOUR_MS;
/** How long it is remembered that a device sleeps. */
const SLEEPER_FOR_MS = 7 * 24 * HOUR_MS;
const FLAPPING_CHANGES = 3;
/** So much less grace has a device that is absent when another one goes: their last signs may be of two looks. */
const TOGETHER_MS = 90_000;
/** Devices that fall silent in one cycle are many from this number on, if they are one in ten of those online. */
const MANY = 3;
const MANY_IS_ONE_IN = 10;

export const PresenceState = z.object({
  online: z.boolean(),
  /** When it came online or went offline. */
  since: Millis,
  /** When there was last a sign of it. */
  seenAt: Millis,
  /** From when on silence counts: the last sign, or the start of the agent, which may have missed signs before. */
  silentSince: Millis,
  /** Cycles in a row that have missed it; 0 for a device that is offline. */
  misses: z.int().min(0),
  /** Whether it fell silent together with many others, as in a power cut: then nobody sleeps. */
  silentWithMany: z.boolean(),
  /** When it was found to have slept, oldest first; no more than decide whether it is a sleeper. */
  sleeps: z.array(Millis).max(SLEEPS_OF_SLEEPER),
  /** When it last changed between online and offline, oldest first; no more than decide whether it flaps. */
  changes: z.array(Millis).max(FLAPPING_CHANGES),
  /** How it went and came back since it was last told for certain, oldest first. */
  absences: z.array(Absence).max(MAX_ABSENCES).optional(),
});
export type PresenceState = z.infer<typeof PresenceState>;

/**
 * What a cycle says of one device.
 * - `seen`: there was a sign of it
 * - `missed`: the cycle worked and there was none
 * - `absent`: there was none, and a second look at its address, which worked as well, found nothing either
 * - `gone`: several questions to it alone, seconds apart, have found nothing, and others have answered: no grace is left
 * - `unknown`: the cycle did not work, or does not cover the device's network
 */
export type Observation = 'seen' | 'missed' | 'absent' | 'gone' | 'unknown';

/** What else is known of the device. */
export interface Traits {
  /** It is of a kind that sleeps, such as a phone. */
  sleeps?: boolean;
  /** Somebody wants to be alerted when it is gone: it gets no longer grace, whatever it looks like. */
  alerts?: boolean;
  /** Many others have been missed for the first time in this cycle, too. */
  withMany?: boolean;
  /** Another one goes offline in this cycle: devices that have gone together are told together. */
  withAnother?: boolean;
}

/** A device that is seen for the first time. */
export function firstSeen(at: number): PresenceState {
  const silence = { silentSince: at, misses: 0, silentWithMany: false };
  return { online: true, since: at, seenAt: at, ...silence, sleeps: [], changes: [] };
}

export function observe(
  state: PresenceState,
  observation: Observation,
  at: number,
  traits: Traits = {},
): PresenceState {
  if (observation === 'unknown') return state;
  if (observation === 'seen') return seen(state, at);
  if (!state.online) return state;
  if (observation === 'gone') return changed({ ...state, misses: 0, online: false }, at);
  // A clock that was set back: silence is counted from now on.
  const silentSince = Math.min(state.silentSince, at);
  const silentWithMany = state.silentWithMany || (state.misses === 0 && traits.withMany === true);
  const missed = { ...state, silentSince, silentWithMany, misses: Math.min(state.misses + 1, MISSES) };
  const isOver = missed.misses >= MISSES && at - silentSince >= graceOf(state, at, traits);
  return observation === 'absent' && isOver ? changed({ ...missed, online: false, misses: 0 }, at) : missed;
}

/** Whether a device that a cycle is about to miss is to be looked for a second time. */
export function needsSecondLook({ online, misses }: PresenceState): boolean {
  return online && misses + 1 >= MISSES;
}

/** Whether so many of those online that fall silent in one cycle have done so together. */
export function areMany(silent: number, online: number): boolean {
  return silent >= MANY && silent * MANY_IS_ONE_IN >= online;
}

/** The state with which an agent goes on after it was not running: nobody has looked, so that silence begins anew. */
export function resumed(state: PresenceState, at: number): PresenceState {
  return { ...state, silentSince: at, misses: 0, silentWithMany: false };
}

/** Whether a device changes so often between online and offline that nobody wants to be told each time. */
export function isFlapping({ changes }: PresenceState, at: number): boolean {
  return changes.length >= FLAPPING_CHANGES && changes.every((change) => at - change < HOUR_MS);
}

/** How many devices are online, and how many of them come and go. */
export function countPresence(
  devices: readonly { presence: PresenceState }[],
  at: number,
): { online: number; flapping: number } {
  return {
    online: devices.filter(({ presence }) => presence.online).length,
    flapping: devices.filter(({ presence }) => isFlapping(presence, at)).length,
  };
}

function seen(state: PresenceState, at: number): PresenceState {
  const silentMs = at - state.silentSince;
  // Cycles have missed it meanwhile: it is not that nobody has looked.
  const wasMissed = !state.online || state.misses >= 2;
  const slept = wasMissed && !state.silentWithMany && silentMs >= SLEEPS_FROM_MS && silentMs <= SLEEPS_UNTIL_MS;
  const sleeps = slept ? [...state.sleeps, at].slice(-SLEEPS_OF_SLEEPER) : state.sleeps;
  const present = { ...resumed(state, at), online: true, seenAt: at, sleeps };
  if (state.online) return present;
  const [first, ...others] = [...(state.absences ?? []), [state.since, state.seenAt, at] satisfies Absence];
  return changed({ ...present, absences: [first, ...others.slice(1 - MAX_ABSENCES)] }, at);
}

function changed(state: PresenceState, at: number): PresenceState {
  return { ...state, since: at, changes: [...state.changes, at].slice(-FLAPPING_CHANGES) };
}

function graceOf(state: PresenceState, at: number, traits: Traits): number {
  return ownGraceOf(state, at, traits) - (traits.withAnother === true ? TOGETHER_MS : 0);
}

function ownGraceOf({ sleeps }: PresenceState, at: number, traits: Traits): number {
  if (traits.alerts === true) return GRACE_MS;
  const [first = 0, last = 0] = [sleeps[0], sleeps.at(-1)];
  const isPattern = sleeps.length >= SLEEPS_OF_SLEEPER && last - first <= SLEEPS_WITHIN_MS;
  return traits.sleeps === true || (isPattern && at - last < SLEEPER_FOR_MS) ? LONG_GRACE_MS : GRACE_MS;
}
