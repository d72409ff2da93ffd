/** Interprets how a program ended. */
import type { Finished, RunOptions, RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';

/**
 * The failure of a program that was stopped early, with its output so far; null when it was not stopped.
 * @param output the output for the caller, if it is not the standard output itself
 */
export function stoppedEarly(program: string, finished: Finished, output = finished.stdout): ToolFailure | null {
  const kept = { output, truncated: finished.truncated };
  if (finished.aborted) return new ToolFailure('cancelled', `${program} was cancelled`, kept);
  if (finished.timedOut) return new ToolFailure('timed_out', `${program} did not end within its time limit`, kept);
  return null;
}

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws {ToolFailure} when it was stopped, when it failed, and when it printed more than `maxBytes`
 */
export async function outputOf(
  run: RunProcess,
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> {
  const finished = await run(program, args, options);
  const stopped = stoppedEarly(program, finished);
  if (stopped !== null) throw stopped;
  if (finished.code !== 0)
    throw new ToolFailure('tool_failed', `${program} failed: ${firstErrorLine(program, finished)}`);
  if (finished.truncated) throw new ToolFailure('tool_failed', `${program} printed more than can be read`);
  return finished.stdout;
}

/** Why a program failed: the first line of its standard error that is not a warning, else its exit code or signal. */
export function firstErrorLine(program: string, { stderr, code, signal }: Finished): string {
  const lines = stderr.split('\n').filter((text) => text.trim() !== '');
  const line = lines.find((text) => !/^\s*warning\b/i.test(text)) ?? lines[0];
  if (line !== undefined) return line.trim().slice(0, 300);
  return signal === null ? `${program} ended with exit code ${code}` : `${program} was ended by ${signal}`;
}
