/** Starts, follows and stops a command on a site. */
import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { Job } from '../../shared/api/jobs.ts';
import { ask, startCommand } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { showProblem } from '../ui/toast.tsx';
import { followJob } from './follow-job.ts';
import { hasEnded, type JobProgress, NO_PROGRESS, progressOf, takeEvent } from './job-progress.ts';

export { hasEnded } from './job-progress.ts';

interface CommandState extends Omit<JobProgress, 'job' | 'printed'> {
  /** Null before the first start. */
  job: Job | null;
  isRunning: boolean;
  isCancelling: boolean;
  /** The connection broke; the page retries, and loses no output. */
  isReconnecting: boolean;
  /** Why the page cannot start or follow it. Problems of the command itself are in its job. */
  problem: Problem | null;
}

const STOPPED = { isRunning: false, isCancelling: false, isReconnecting: false };
const IDLE: CommandState = { job: null, output: '', ...NO_PROGRESS, ...STOPPED, problem: null };

export interface Command extends CommandState {
  start(tool: string, site: string, fields: object, agent?: string): Promise<void>;
  /** Follows a command that exists already. */
  watch(job: Job): void;
  cancel(): Promise<void>;
}

type Change = (next: Partial<CommandState>) => void;

export function useCommand(): Command {
  const [state, change] = useReducer((old: CommandState, next: Partial<CommandState>) => ({ ...old, ...next }), IDLE);
  /** Aborted when another command replaces this one, when it is cancelled, and when the component unmounts. */
  const present = useRef(new AbortController());
  const job = useRef<Job | null>(null);
  useEffect(() => () => present.current.abort(), []);

  const begin = useCallback((): AbortSignal => {
    present.current.abort();
    present.current = new AbortController();
    job.current = null;
    return present.current.signal;
  }, []);

  const follow = useCallback((found: Job, signal: AbortSignal) => {
    job.current = found;
    if (hasEnded(found)) void showEnded(found, signal, change);
    else void showUntilEnd(found, signal, change);
  }, []);

  const watch = useCallback((found: Job) => follow(found, begin()), [begin, follow]);

  const start = useCallback(
    async (tool: string, site: string, fields: object, agent?: string) => {
      const signal = begin();
      change({ ...IDLE, isRunning: true });
      try {
        const started = await startCommand(tool, site, fields, agent);
        if (!signal.aborted) follow(started, signal);
      } catch (error) {
        if (!signal.aborted) change({ isRunning: false, problem: problemOf(error) });
      }
    },
    [begin, follow],
  );

  const cancel = useCallback(async () => {
    const { signal } = present.current;
    if (job.current === null) return;
    change({ isCancelling: true });
    try {
      const stopped = await ask('DELETE /jobs/{id}', { params: { id: job.current.id } });
      if (signal.aborted) return;
      present.current.abort();
      change({ ...IDLE, job: stopped, output: stopped.output ?? '' });
    } catch (error) {
      if (signal.aborted) return;
      change({ isCancelling: false });
      // The command has ended meanwhile; its result follows.
      if (problemOf(error).code !== 'conflict') showProblem(error);
    }
  }, []);

  return { ...state, start, watch, cancel };
}

/** Follows a command that exists already. */
export function useStartedCommand(job: Job): Command {
  const command = useCommand();
  const { watch } = command;
  // biome-ignore lint/correctness/useExhaustiveDependencies: its id identifies a job
  useEffect(() => watch(job), [job.id, watch]);
  return command;
}

/** Jobs of a list have no output and no result. */
async function showEnded(job: Job, signal: AbortSignal, change: Change): Promise<void> {
  change({ ...IDLE, job, output: job.output ?? '' });
  if (job.output !== null) return;
  try {
    const whole = await ask('GET /jobs/{id}', { params: { id: job.id }, signal });
    change({ job: whole, output: whole.output ?? '' });
  } catch (error) {
    if (!signal.aborted) change({ problem: problemOf(error) });
  }
}

/** Pause between two renderings: a tool may print a thousand lines a second. */
const SHOW_EVERY_MS = 100;

async function showUntilEnd(job: Job, signal: AbortSignal, change: Change): Promise<void> {
  let progress = progressOf(job);
  let timer = 0;
  const show = (more: Partial<CommandState> = {}) => {
    window.clearTimeout(timer);
    timer = 0;
    change({ ...shownOf(progress), ...more });
  };
  change({ ...IDLE, ...shownOf(progress), isRunning: true });
  try {
    await followJob(job.id, () => progress.printed, signal, {
      onEvent(event) {
        progress = takeEvent(progress, event);
        if (hasEnded(progress.job)) show(STOPPED);
        else if (timer === 0) timer = window.setTimeout(show, SHOW_EVERY_MS);
      },
      onConnection: (isOpen) => change({ isReconnecting: !isOpen }),
    });
  } catch (error) {
    if (!signal.aborted) show({ isRunning: false, isReconnecting: false, problem: problemOf(error) });
  } finally {
    if (signal.aborted) window.clearTimeout(timer);
  }
}

function shownOf({ job, output, phase, percent, ahead }: JobProgress): Partial<CommandState> {
  return { job, output, phase, percent, ahead };
}
