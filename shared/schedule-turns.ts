/** When a schedule has its turns: pure, so that the service shows what the agents do. */
import { Cron } from 'croner';
import type { Timing } from './agent/plan.ts';
import type { Window } from './schedule-terms.ts';

/** What the turns of a schedule follow from. */
export interface Turns {
  timing: Timing;
  timeZone: string;
}

/** Names the schedule, for the jitter of its turns. */
interface TurnOf {
  schedule: string;
  site: string;
}

/** Turns outside of the window that are passed over in search of one inside. Every five minutes, they are a week. */
const MOST_PASSED_OVER = 2_016;

/** Turns of one schedule are at least so far apart. */
const LEAST_GAP_S = 300;
/** As many turns as an hour can have: minutes repeat every hour. */
const TURNS_LOOKED_AT = 60;

/**
 * The first turn after a time (both Unix, ms); null when there is none, or none inside of the window for long.
 *
 * By cron, a time of the clock that does not exist on a day is the next one that does, and one that is there twice counts
 * once; where the hour or the minute is a wildcard, what the clock shows twice is two turns.
 * @throws when the cron expression is none: see {@link faultOfCron}
 */
export function nextTurn(turns: Turns, after: number): number | null {
  return turnFinder(turns)(after);
}

type Step = (after: number) => number | null;

/** Making one takes as long as using it. */
function turnFinder({ timing, timeZone }: Turns): Step {
  const next = stepper(timing, timeZone);
  return (after) => firstWithin({ timing, timeZone }, next, after);
}

function firstWithin({ timing, timeZone }: Turns, next: Step, after: number): number | null {
  const { from, until, window } = timing;
  let turn = next(Math.max(after, from - 1));
  for (let passed = 0; turn !== null && passed <= MOST_PASSED_OVER; passed++) {
    if (until !== undefined && turn >= until) return null;
    if (window === undefined || isWithin(window, minuteOfDay(turn, timeZone))) return turn;
    turn = next(turn);
  }
  return null;
}

/** The turns after one time and up to another (Unix, ms), in order; the last `most` of them. */
export function turnsBetween(turns: Turns, after: number, upTo: number, most: number): number[] {
  const found: number[] = [];
  const next = turnFinder(turns);
  for (let turn = next(after); turn !== null && turn <= upTo; turn = next(turn)) {
    found.push(turn);
    if (found.length > most) found.shift();
  }
  return found;
}

/**
 * When a turn begins (Unix, ms): up to `jitterSeconds` after its time, by a number that follows from the schedule, the
 * site and the turn, and before the next turn.
 */
export function beginOfTurn(turns: Turns, of: TurnOf, turn: number): number {
  const { jitterSeconds } = turns.timing;
  if (jitterSeconds === 0) return turn;
  const next = nextTurn(turns, turn);
  const mostMs = Math.min(jitterSeconds * 1000, next === null ? Number.POSITIVE_INFINITY : next - turn);
  return turn + Math.floor(mostMs * fractionOf(`${of.schedule} ${of.site} ${turn}`));
}

/** When the first turn begins that has not begun at a time (Unix, ms); null when there is none. */
export function nextBegin(turns: Turns, of: TurnOf, after: number): number | null {
  let turn = nextTurn(turns, after - turns.timing.jitterSeconds * 1000 - 1);
  while (turn !== null) {
    const begin = beginOfTurn(turns, of, turn);
    if (begin > after) return begin;
    turn = nextTurn(turns, turn);
  }
  return null;
}

/** Why a cron expression cannot be used; null when it can. */
export function faultOfCron(expression: string): string | null {
  let next: Step;
  try {
    next = stepper({ cron: expression }, 'UTC');
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
  let turn = next(0);
  if (turn === null) return 'expected an expression that some time fits';
  for (let seen = 0; seen < TURNS_LOOKED_AT; seen++) {
    const later = next(turn);
    if (later === null) return null;
    if (later - turn < LEAST_GAP_S * 1000) return 'expected times that are at least five minutes apart';
    turn = later;
  }
  return null;
}

/** @returns what gives the first time after another at which there would be a turn, whatever the window */
function stepper({ everySeconds, cron }: Pick<Timing, 'everySeconds' | 'cron'>, timeZone: string): Step {
  if (everySeconds !== undefined) {
    const everyMs = everySeconds * 1000;
    return (after) => (Math.floor(after / everyMs) + 1) * everyMs;
  }
  if (cron === undefined) return () => null;
  // Paused: it computes times, and has no timer of its own.
  const expression = new Cron(cron, {
    timezone: timeZone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
  return (after) => expression.nextRun(new Date(after))?.getTime() ?? null;
}

/** Whether a time (Unix, ms) is in a window; every time is in none. */
export function isInWindow(window: Window | null, time: number, timeZone: string): boolean {
  return window === null || isWithin(window, minuteOfDay(time, timeZone));
}

function isWithin({ from, to }: Window, minute: number): boolean {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Making one takes as long as using it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(time: number, timeZone: string): number {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' });
    clocks.set(timeZone, clock);
  }
  return minutesOf(clock.format(time));
}

/** A number from 0 to below 1 that looks random: FNV-1a, with the last step of MurmurHash3, for its bits are uneven. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
