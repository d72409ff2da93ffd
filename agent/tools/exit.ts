/** Interprets the exit of a program. */
import type { Finished, RunOptions, RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';

/** The failure of a program that timed out or was cancelled, else null. @param output for the caller */
export function stoppedEarly(program: string, finished: Finished, output = finished.stdout): ToolFailure | null {
  const kept = { output, truncated: finished.truncated };
  if (finished.aborted) return new ToolFailure('cancelled', `${program} was cancelled`, kept);
  if (finished.timedOut) return new ToolFailure('timed_out', `${program} did not end within its time limit`, kept);
  return null;
}

/** The standard output. @throws {ToolFailure} when the program was stopped, failed or printed more than `maxBytes` */
export async function outputOf(run: RunProcess, program: string, args: readonly string[], options: RunOptions) {
  const finished = await run(program, args, options);
  const stopped = stoppedEarly(program, finished);
  if (stopped !== null) throw stopped;
  if (finished.code !== 0)
    throw new ToolFailure('tool_failed', `${program} failed: ${firstErrorLine(program, finished)}`);
  if (finished.truncated) throw new ToolFailure('tool_failed', `${program} printed more than can be read`);
  return finished.stdout;
}

/** The first line of its standard error that is not a warning, else its exit code or signal. */
export function firstErrorLine(program: string, { stderr, code, signal }: Finished): string {
  const lines = stderr.split('\n').filter((text) => text.trim() !== '');
  const line = lines.find((text) => !/^\s*warning\b/i.test(text)) ?? lines[0];
  if (line !== undefined) return line.trim().slice(0, 300);
  return signal === null ? `${program} ended with exit code ${code}` : `${program} was ended by ${signal}`;
}
