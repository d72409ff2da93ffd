/** Tracks of charts: values over time, null for a lost run, and left out where there was no run. */
import type { TimeSpan } from './time-span.ts';

export interface Track {
  /** Such as the agent that has measured it. */
  name: string;
  /** Unix, ms, sorted: the start of each value. */
  times: readonly number[];
  /** One for each of the times. */
  values: readonly (number | null)[];
  /** The least and the greatest within each value. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** The duration of each value. */
  stepMs: number;
  /** For comparison only: it fills no gap of the other tracks. */
  isBeside?: boolean;
  /** Values of moments, not of buckets. */
  isMoment?: boolean;
}

/** The greatest distance of values without a gap, in steps. */
const TOLERANCE = 1.5;
/** Agents report every few minutes: later values may not have arrived yet. */
const ON_ITS_WAY_MS = 360_000;

export function later(track: Track, byMs: number): Track {
  return { ...track, times: track.times.map((time) => time + byMs) };
}

/** All times with a value, sorted. */
export function timesOf(tracks: readonly Track[]): number[] {
  return [...new Set(tracks.flatMap(({ times }) => times))].sort((a, b) => a - b);
}

/** The parts of the span without a value in any track. */
export function gapsOf(all: readonly Track[], { from, to }: TimeSpan): TimeSpan[] {
  const tracks = all.filter(({ isBeside = false }) => !isBeside);
  const step = Math.max(0, ...tracks.map(({ stepMs }) => stepMs));
  const gaps: TimeSpan[] = [];
  let known = from;
  for (const time of timesOf(tracks)) {
    if (time - known > step * (TOLERANCE - 1) && time > from) gaps.push({ from: known, to: Math.min(time, to) });
    known = Math.max(known, time + step);
  }
  if (to - known > Math.max(step * (TOLERANCE - 1), ON_ITS_WAY_MS)) gaps.push({ from: known, to });
  return gaps;
}

/** The indexes of values that a line connects: without nulls and gaps between them. */
export function runsOf({ times, values, stepMs }: Track): number[][] {
  const runs: number[][] = [];
  let last: number | null = null;
  values.forEach((value, i) => {
    if (value === null) {
      last = null;
      return;
    }
    const time = times[i] ?? 0;
    if (last !== null && time - last <= stepMs * TOLERANCE) runs.at(-1)?.push(i);
    else runs.push([i]);
    last = time;
  });
  return runs;
}

/** The greatest value of all; 0 without any. */
export function greatestOf(tracks: readonly Track[]): number {
  let greatest = 0;
  for (const { values, high = [] } of tracks) {
    for (const value of [...values, ...high]) if (value !== null && value > greatest) greatest = value;
  }
  return greatest;
}

/** The index of the nearest time; -1 without any. */
export function nearest(times: readonly number[], time: number): number {
  let at = -1;
  for (let i = 0; i < times.length; i++) {
    if (at === -1 || Math.abs((times[i] ?? 0) - time) < Math.abs((times[at] ?? 0) - time)) at = i;
  }
  return at;
}
