/** The events of a job or a batch until its result, over as many connections as necessary. */
import { follow } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import type { JobEvent } from './job-progress.ts';

/** Pauses before the retries of a broken stream. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

interface Listener<Event> {
  onEvent(event: Event): void;
  /** False while waiting for the next retry. */
  onConnection(isOpen: boolean): void;
}

/** @param position received characters of the output */
export function followJob(
  id: string,
  position: () => number,
  signal: AbortSignal,
  listener: Listener<JobEvent>,
): Promise<void> {
  return followUntilResult(`/jobs/${encodeURIComponent(id)}/events`, () => String(position()), signal, listener);
}

/**
 * Resumes where a stream broke off: the API ends each after two minutes, or at once when it has no capacity, and the
 * computer may sleep meanwhile.
 * @param position the id of the last received event; empty: from the beginning
 * @throws {Problem} when the API rejects the request, so that a retry is useless
 */
export async function followUntilResult<Event extends { event: string; data: unknown }>(
  path: string,
  position: () => string,
  signal: AbortSignal,
  { onEvent, onConnection }: Listener<Event>,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let problem: Problem | null = null;
    let retryMs = 0;
    try {
      for await (const { event, data, ...one } of follow(path, position(), signal)) {
        if (failures > 0) onConnection(true);
        failures = 0;
        if (signal.aborted) return;
        retryMs = one.retryMs ?? retryMs;
        if (event === 'end') continue;
        onEvent({ event, data } as Event);
        if (event === 'result') return;
      }
    } catch (error) {
      if (signal.aborted) return;
      problem = problemOf(error);
      if (isLasting(problem)) throw problem;
      onConnection(false);
    }
    const pauseMs = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0;
    const demandedMs = Math.max(retryMs, (problem?.retryAfter ?? 0) * 1_000);
    await pause(Math.max(pauseMs * (0.5 + Math.random()), demandedMs), signal);
  }
}

function isLasting({ status }: Problem): boolean {
  return status !== null && status < 500 && status !== 429;
}

/** Ends early when the page becomes visible, or the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      window.clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = window.setTimeout(end, ms);
    const onVisible = () => document.visibilityState === 'visible' && end();
    signal.addEventListener('abort', end, { signal: over.signal });
    window.addEventListener('online', end, { signal: over.signal });
    document.addEventListener('visibilitychange', onVisible, { signal: over.signal });
    if (signal.aborted) end();
  });
}
