/** Checks of a deployment, each with a deadline of its own, and how they are run. */
import { deadline } from '../../shared/async.ts';

/** `unclear`: it could not be tried, or the answer says nothing about the question. */
export type Outcome = 'passed' | 'failed' | 'unclear';

export interface Finding {
  outcome: Outcome;
  /** Figures and observations, one sentence each. Secrets are removed when the report is written. */
  facts: string[];
}

export interface Check<Means> {
  /** The statement that holds if the check passes. */
  title: string;
  timeoutMs: number;
  /** How long it may take to undo what it has changed after `signal` was aborted (ms); 0 if there is nothing to undo. */
  undoMs?: number;
  /** Throws when the statement does not hold. `signal` is aborted at the deadline, and by an interruption. */
  run(means: Means, signal: AbortSignal): Promise<Finding>;
}

/** A change of the deployment could not be undone. The message says what the operator has to do. */
export class NotUndone extends Error {}

export interface Result extends Finding {
  title: string;
  durationMs: number;
}

export const passed = (...facts: string[]): Finding => ({ outcome: 'passed', facts });
export const failed = (...facts: string[]): Finding => ({ outcome: 'failed', facts });
export const unclear = (...facts: string[]): Finding => ({ outcome: 'unclear', facts });

/**
 * Runs the checks one after the other. A check that throws, or that is not done at its deadline, has failed.
 * @param interrupted aborts the check that is running; those after it are left out
 */
export async function runChecks<Means>(
  checks: readonly Check<Means>[],
  means: Means,
  onResult: (result: Result) => void,
  interrupted: AbortSignal = new AbortController().signal,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    if (interrupted.aborted) break;
    const start = performance.now();
    const finding = await withDeadline(check, means, interrupted).catch((error: unknown) => failed(messageOf(error)));
    const result = { title: check.title, ...finding, durationMs: Math.round(performance.now() - start) };
    results.push(result);
    onResult(result);
  }
  return results;
}

async function withDeadline<Means>(check: Check<Means>, means: Means, interrupted: AbortSignal): Promise<Finding> {
  const { timeoutMs, undoMs = 0 } = check;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`Not done within ${timeoutMs / 1000} s`)), timeoutMs);
  const signal = AbortSignal.any([late.signal, interrupted]);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const running = check.run(means, signal);
  try {
    return await Promise.race([running, aborted]);
  } catch (error) {
    if (!signal.aborted) throw error;
    const end = running.then(
      () => null,
      (reason: unknown) => reason,
    );
    const left = await deadline(end, undoMs, () => null);
    throw left instanceof NotUndone ? left : signal.reason;
  } finally {
    clearTimeout(timer);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
