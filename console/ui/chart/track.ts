/** What a chart draws: values over time, where nobody measured left out, and where there was no answer null. */
import type { TimeSpan } from './time-span.ts';

export interface Track {
  /** Such as the agent that has measured it. */
  name: string;
  /** Unix, ms, in their order: the beginning of what a value is about. */
  times: readonly number[];
  /** One for each of the times. */
  values: readonly (number | null)[];
  /** The least and the most within each, where that is known. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** How long each value holds. The next one that is further away stands behind a gap. */
  stepMs: number;
  /** Stands beside the others for comparison: that it was measured fills no gap of theirs. */
  isBeside?: boolean;
  /** Measured at this very time, and not summed up from then on. */
  isMoment?: boolean;
}

/** How much later than usual the next value may come without a gap, in steps. */
const TOLERANCE = 1.5;
/** Agents tell every few minutes what they have measured: what is younger may be on its way. */
const ON_ITS_WAY_MS = 360_000;

/** The same as if it had been so much later, to compare it with what was then. */
export function later(track: Track, byMs: number): Track {
  return { ...track, times: track.times.map((time) => time + byMs) };
}

/** All times at which one of the tracks has a value, in their order. */
export function timesOf(tracks: readonly Track[]): number[] {
  return [...new Set(tracks.flatMap(({ times }) => times))].sort((a, b) => a - b);
}

/** The stretches of the span in which none of the tracks was measured. */
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

/** The places of values between which a line can be drawn: without one that is missing, and without a gap. */
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

/** The place of the time that is nearest; -1 without any. @param times in their order */
export function nearest(times: readonly number[], time: number): number {
  let at = -1;
  for (let i = 0; i < times.length; i++) {
    if (at === -1 || Math.abs((times[i] ?? 0) - time) < Math.abs((times[at] ?? 0) - time)) at = i;
  }
  return at;
}
