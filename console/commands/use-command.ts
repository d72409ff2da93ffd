/** One command on a site: started, followed live, stopped. */
import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { Job } from '../../shared/api/jobs.ts';
import { ask, startCommand } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { showProblem } from '../ui/toast.tsx';
import { followJob } from './follow-job.ts';
import { hasEnded, type JobProgress, progressOf, takeEvent } from './job-progress.ts';

export { hasEnded } from './job-progress.ts';

interface CommandState {
  /** As it was started, and as it has ended; null before the first start. */
  job: Job | null;
  /** What the tool has printed so far. */
  output: string;
  phase: string | null;
  /** 0 to 100; null when the tool does not say. */
  percent: number | null;
  /** Commands that the agent runs before this one; null when it does not wait. */
  ahead: number | null;
  isRunning: boolean;
  isCancelling: boolean;
  /** The connection broke: it is opened again by itself, and nothing of the output is lost. */
  isReconnecting: boolean;
  /** Why it could not be started or followed. What went wrong in the command itself stands in its job. */
  problem: Problem | null;
}

const IDLE: CommandState = {
  job: null,
  output: '',
  phase: null,
  percent: null,
  ahead: null,
  isRunning: false,
  isCancelling: false,
  isReconnecting: false,
  problem: null,
};

export interface Command extends CommandState {
  start(tool: string, site: string, fields: object, agent?: string): Promise<void>;
  /** Follows a command that was started before. */
  watch(job: Job): void;
  cancel(): Promise<void>;
}

type Change = (next: Partial<CommandState>) => void;

export function useCommand(): Command {
  const [state, change] = useReducer(
    (before: CommandState, next: Partial<CommandState>) => ({ ...before, ...next }),
    IDLE,
  );
  /** Aborted when another command takes the place of this one, when it has ended, and when nobody looks any more. */
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
      // One that has ended by itself meanwhile needs no stopping; its result is on the way.
      if (problemOf(error).code !== 'conflict') showProblem(error);
    }
  }, []);

  return { ...state, start, watch, cancel };
}

/** A command that was started before, as it goes on. */
export function useStartedCommand(job: Job): Command {
  const command = useCommand();
  const { watch } = command;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a job is the same as long as its id is
  useEffect(() => watch(job), [job.id, watch]);
  return command;
}

/** A job out of a list comes without its output and its result. */
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

/** Pause between two pictures: a tool may print a thousand lines a second. */
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
        if (hasEnded(progress.job)) show({ isRunning: false, isCancelling: false, isReconnecting: false });
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
