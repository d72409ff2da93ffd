/** When a schedule runs. Pure, so that the service predicts exactly what the agents do. */
import { Cron } from 'croner';
import type { Timing } from './agent/plan.ts';
import type { Window } from './schedule-terms.ts';

/** Everything that determines the runs of a schedule, except for their jitter. */
export interface Turns {
  timing: Timing;
  timeZone: string;
}

/** Identifies the schedule, for the jitter of its runs. */
interface TurnOf {
  schedule: string;
  site: string;
}

/** Runs outside of the window that are skipped in search of one inside: a week of them, every five minutes. */
const MOST_SKIPPED = 2_016;

/** The least interval between runs of one schedule. */
const LEAST_GAP_S = 300;
/** As many runs as an hour can have: minutes repeat every hour. */
const RUNS_CHECKED = 60;

/**
 * The first run after a time (both Unix, ms); null when there is none, or none inside of the window for long.
 *
 * With cron, a time that daylight saving skips becomes the next one that exists, and one that occurs twice counts once;
 * with a wildcard for the hour or the minute, it counts twice.
 * @throws when the cron expression is invalid: see {@link faultOfCron}
 */
export function nextRun(turns: Turns, after: number): number | null {
  return runFinder(turns)(after);
}

type Step = (after: number) => number | null;

/** Creating one takes as long as using it. */
function runFinder({ timing, timeZone }: Turns): Step {
  const next = stepper(timing, timeZone);
  const { from, until, window } = timing;
  return (after) => {
    let turn = next(Math.max(after, from - 1));
    for (let skipped = 0; turn !== null && skipped <= MOST_SKIPPED; skipped++) {
      if (until !== undefined && turn >= until) return null;
      if (window === undefined || isWithin(window, minuteOfDay(turn, timeZone))) return turn;
      turn = next(turn);
    }
    return null;
  };
}

/** The runs after one time and up to another (Unix, ms), in order; the last `most` of them. */
export function runsBetween(turns: Turns, after: number, upTo: number, most: number): number[] {
  const found: number[] = [];
  const next = runFinder(turns);
  for (let turn = next(after); turn !== null && turn <= upTo; turn = next(turn)) {
    found.push(turn);
    if (found.length > most) found.shift();
  }
  return found;
}

/** When a run starts (Unix, ms): up to `jitterSeconds` late, by a hash of schedule, site and run, and before the next run. */
export function startOfRun(turns: Turns, of: TurnOf, turn: number): number {
  const { jitterSeconds } = turns.timing;
  if (jitterSeconds === 0) return turn;
  const next = nextRun(turns, turn);
  const mostMs = Math.min(jitterSeconds * 1000, next === null ? Number.POSITIVE_INFINITY : next - turn);
  return turn + Math.floor(mostMs * fractionOf(`${of.schedule} ${of.site} ${turn}`));
}

/** The first start of a run after a time (Unix, ms), with jitter; null when there is none. */
export function nextStart(turns: Turns, of: TurnOf, after: number): number | null {
  let turn = nextRun(turns, after - turns.timing.jitterSeconds * 1000 - 1);
  while (turn !== null) {
    const begin = startOfRun(turns, of, turn);
    if (begin > after) return begin;
    turn = nextRun(turns, turn);
  }
  return null;
}

/** Why a cron expression is invalid; null when it is valid. */
export function faultOfCron(expression: string): string | null {
  let next: Step;
  try {
    next = stepper({ cron: expression }, 'UTC');
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
  let turn = next(0);
  if (turn === null) return 'expected an expression that some time fits';
  for (let seen = 0; seen < RUNS_CHECKED; seen++) {
    const later = next(turn);
    if (later === null) return null;
    if (later - turn < LEAST_GAP_S * 1000) return 'expected times that are at least five minutes apart';
    turn = later;
  }
  return null;
}

/** @returns a function for the first run after a time, regardless of the window */
function stepper({ everySeconds, cron }: Pick<Timing, 'everySeconds' | 'cron'>, timeZone: string): Step {
  if (everySeconds !== undefined) {
    const everyMs = everySeconds * 1000;
    return (after) => (Math.floor(after / everyMs) + 1) * everyMs;
  }
  if (cron === undefined) return () => null;
  // Paused: without a timer of its own.
  const expression = new Cron(cron, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
  return (after) => expression.nextRun(new Date(after))?.getTime() ?? null;
}

/** Whether a time (Unix, ms) is in a window; without a window, always. */
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

/** Creating one takes as long as using it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(time: number, timeZone: string): number {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' });
    clocks.set(timeZone, clock);
  }
  return minutesOf(clock.format(time));
}

/** A pseudo-random number in [0, 1): FNV-1a, with the last step of MurmurHash3, because its bits are uneven. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
