/**
 * What is known of a command while its events come in, one pure step for each event. A stream may break off and resume:
 * output that comes twice is shown once, because every piece says where it stands.
 */
import type { Job } from '../../shared/api/jobs.ts';

export interface JobProgress {
  job: Job;
  /** What the tool has printed; of very long output only the end. */
  output: string;
  /** Characters that were printed so far: where the stream goes on. */
  printed: number;
  phase: string | null;
  /** 0 to 100; null when the tool does not say. */
  percent: number | null;
  /** Commands that the agent runs before this one; null when it does not wait. */
  ahead: number | null;
}

/** The events of `GET /jobs/{id}/events`, apart from `error`. */
export type JobEvent =
  | { event: 'accepted'; data: { state: 'queued' | 'running' | 'finished' | 'unknown'; position?: number } }
  | { event: 'output'; data: { at: number; text: string } }
  | { event: 'progress'; data: { phase: string; percent: number | null } }
  | { event: 'result'; data: Job };

/** More than this is not kept in the page. */
export const MAX_OUTPUT = 1_000_000;

const FINAL_STATES: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'cancelled',
  'expired',
  'interrupted',
  'lost',
] satisfies Job['state'][]);

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return FINAL_STATES.has(state);
}

/** The job as the API answers it has the output up to now. */
export function progressOf(job: Job): JobProgress {
  const output = job.output ?? '';
  return { job, output, printed: output.length, phase: null, percent: null, ahead: null };
}

export function takeEvent(before: JobProgress, { event, data }: JobEvent): JobProgress {
  switch (event) {
    case 'accepted':
      if (data.state === 'running') return running(before);
      if (data.state !== 'queued') return before; // Its result follows, or says that it is lost.
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
  const isNew = at + text.length > before.printed;
  if (!isNew) return before;
  const output = (before.output + text.slice(Math.max(0, before.printed - at))).slice(-MAX_OUTPUT);
  return { ...before, output, printed: at + text.length };
}

/** Of output that was too long for the job, the longer part is shown: what was seen live, or what the job has kept. */
function ended(before: JobProgress, job: Job): JobProgress {
  const stored = job.output ?? '';
  const isLiveLonger = job.truncated && before.output.length > stored.length;
  return {
    job,
    output: isLiveLonger ? before.output : stored,
    printed: Math.max(before.printed, stored.length),
    phase: null,
    percent: null,
    ahead: null,
  };
}
