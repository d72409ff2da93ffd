/** The progress of a command, by its events. After a stream resumes, positions let the page drop repeated output. */
import type { Job } from '../../shared/api/jobs.ts';

export interface JobProgress {
  job: Job;
  /** The printed output so far; of very long output only the end. */
  output: string;
  /** Printed characters so far: where the stream resumes. */
  printed: number;
  phase: string | null;
  /** 0 to 100; null when the tool does not report it. */
  percent: number | null;
  /** Commands in the agent's queue before this one; null when it does not wait. */
  ahead: number | null;
}

export const NO_PROGRESS = { phase: null, percent: null, ahead: null };

/** The events of `GET /jobs/{id}/events`, apart from `error`. */
export type JobEvent =
  | { event: 'accepted'; data: { state: 'queued' | 'running' | 'finished' | 'unknown'; position?: number } }
  | { event: 'output'; data: { at: number; text: string } }
  | { event: 'progress'; data: { phase: string; percent: number | null } }
  | { event: 'result'; data: Job };

/** Characters that the page keeps. */
export const MAX_OUTPUT = 1_000_000;

const FINAL_STATES: readonly Job['state'][] = ['succeeded', 'failed', 'cancelled', 'expired', 'interrupted', 'lost'];

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return FINAL_STATES.includes(state);
}

/** A job of the API has the output so far. */
export function progressOf(job: Job): JobProgress {
  const output = job.output ?? '';
  return { job, output, printed: output.length, ...NO_PROGRESS };
}

export function takeEvent(before: JobProgress, { event, data }: JobEvent): JobProgress {
  switch (event) {
    case 'accepted':
      if (data.state === 'running') return running(before);
      if (data.state !== 'queued') return before; // The result follows, with state `lost` if need be.
      return { ...before, job: { ...before.job, state: 'accepted' }, ahead: data.position ?? null };
    case 'output':
      return withOutput(running(before), data);
    case 'progress':
      return { ...running(before), phase: data.phase, percent: data.percent };
    case 'result':
      return ended(before, data);
  }
}

function running(before: JobProgress): JobProgress {
  if (before.job.state === 'running' && before.ahead === null) return before;
  return { ...before, job: { ...before.job, state: 'running' }, ahead: null };
}

function withOutput(before: JobProgress, { at, text }: { at: number; text: string }): JobProgress {
  if (at + text.length <= before.printed) return before;
  const output = (before.output + text.slice(Math.max(0, before.printed - at))).slice(-MAX_OUTPUT);
  return { ...before, output, printed: at + text.length };
}

/** The job truncates very long output; then the longer of the live and the stored output stays. */
function ended(before: JobProgress, job: Job): JobProgress {
  const stored = job.output ?? '';
  const output = job.truncated && before.output.length > stored.length ? before.output : stored;
  return { job, output, printed: Math.max(before.printed, stored.length), ...NO_PROGRESS };
}
