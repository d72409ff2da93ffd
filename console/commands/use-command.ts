/** One command on a site: started, followed live, stopped. */
import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { Job } from '../../shared/api/jobs.ts';
import { ask, startCommand } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { follow } from '../api/stream.ts';

export interface CommandState {
  /** As it was started, and as it has ended; null before the first start. */
  job: Job | null;
  /** What the tool has printed so far. */
  output: string;
  phase: string | null;
  /** 0 to 100; null when the tool does not say. */
  percent: number | null;
  isRunning: boolean;
  isCancelling: boolean;
  /** Why it could not be started or followed. What went wrong in the command itself stands in its job. */
  problem: Problem | null;
}

const IDLE: CommandState = {
  job: null,
  output: '',
  phase: null,
  percent: null,
  isRunning: false,
  isCancelling: false,
  problem: null,
};

const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'expired', 'interrupted', 'lost']);
/** Pauses before a broken stream is opened again. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** More than this is not kept in the page; the job has the whole of it. */
const MAX_OUTPUT = 1_000_000;

export interface Command extends CommandState {
  start(tool: string, site: string, fields: object, agent?: string): Promise<void>;
  /** Follows a command that was started before. */
  watch(job: Job): void;
  cancel(): Promise<void>;
}

export function hasEnded(job: Pick<Job, 'state'>): boolean {
  return FINAL.has(job.state);
}

export function useCommand(): Command {
  const [state, change] = useReducer(
    (before: CommandState, next: Partial<CommandState>) => ({ ...before, ...next }),
    IDLE,
  );
  const left = useRef(new AbortController());
  const job = useRef<Job | null>(null);
  useEffect(() => () => left.current.abort(), []);

  const watch = useCallback((started: Job) => {
    left.current.abort();
    left.current = new AbortController();
    job.current = started;
    if (hasEnded(started)) {
      change({ ...IDLE, job: started, output: started.output ?? '' });
      return;
    }
    change({ ...IDLE, job: started, isRunning: true });
    void followToEnd(started, left.current.signal, change);
  }, []);

  const start = useCallback(
    async (tool: string, site: string, fields: object, agent?: string) => {
      left.current.abort();
      change({ ...IDLE, isRunning: true });
      try {
        watch(await startCommand(tool, site, fields, agent));
      } catch (error) {
        change({ isRunning: false, problem: problemOf(error) });
      }
    },
    [watch],
  );

  const cancel = useCallback(async () => {
    if (job.current === null) return;
    change({ isCancelling: true });
    try {
      await ask('DELETE /jobs/{id}', { params: { id: job.current.id } });
    } catch (error) {
      change({ isCancelling: false, problem: problemOf(error) });
    }
  }, []);

  return { ...state, start, watch, cancel };
}

/** Goes on where a stream broke off: the API ends each after some minutes. */
async function followToEnd(
  job: Job,
  signal: AbortSignal,
  change: (next: Partial<CommandState>) => void,
): Promise<void> {
  let output = '';
  let lastEventId = '';
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const { event, id, data } of follow(
        `/jobs/${encodeURIComponent(job.id)}/events`,
        lastEventId,
        signal,
      )) {
        failures = 0;
        lastEventId = id ?? lastEventId;
        const content = JSON.parse(data);
        if (event === 'output') {
          output = (output + content.text).slice(-MAX_OUTPUT);
          change({ output, problem: null });
        } else if (event === 'accepted') {
          change({ job: { ...job, state: content.state } });
        } else if (event === 'progress') {
          change({ phase: content.phase, percent: content.percent, job: { ...job, state: 'running' } });
        } else if (event === 'result') {
          change({ job: content, isRunning: false, isCancelling: false, percent: null, problem: null });
          return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      const problem = problemOf(error);
      const isLasting = problem.status !== null && problem.status < 500 && problem.status !== 429;
      change({ problem, ...(isLasting ? { isRunning: false } : {}) });
      if (isLasting) return;
    }
    const pause = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0;
    await new Promise((resolve) => window.setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}
