/** Runs one command to its end, however its tool behaves. */
import type { AgentOutcome } from '../../shared/agent/messages.ts';
import { END_WITHIN_MS } from '../../shared/agent/timing.ts';
import { startOf } from '../../shared/text.ts';
import type { Command } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { runTool } from '../tools/registry.ts';
import type { ToolContext } from '../tools/tool.ts';
import { failed, NOTHING_PRINTED, type Printed, Stop } from './outcomes.ts';

export type RunAnyTool = typeof runTool;

/** Characters of output, whatever the tool's own limits. The result may be cut further, to fit into one packet. */
const MAX_OUTPUT = 1_000_000;

/**
 * Never rejects: a command whose tool throws, hangs or does not stop has failed.
 * @param limitMs the command's timeout
 * @param stop stops it earlier, with a {@link Stop} as its reason
 * @param onDefect called with an error of a tool that is not a {@link ToolFailure}
 */
export async function runCommand(
  run: RunAnyTool,
  command: Command,
  context: Omit<ToolContext, 'signal'>,
  { limitMs, stop, onDefect }: { limitMs: number; stop: AbortSignal; onDefect(error: unknown): void },
): Promise<AgentOutcome> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Stop('timed_out', `${command.tool} did not end within ${Math.round(limitMs / 1000)} s`));
  }, limitMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  let shown = '';
  const onOutput = (text: string) => {
    if (shown.length <= MAX_OUTPUT) shown += text;
    context.onOutput(text);
  };
  // The output always begins with what followers received, so that they can continue from there.
  const whole = (outcome: AgentOutcome): AgentOutcome => {
    const output = outcome.output.startsWith(shown) ? outcome.output : shown;
    if (output.length <= MAX_OUTPUT) return { ...outcome, output };
    return { ...outcome, output: startOf(output, MAX_OUTPUT), truncated: true };
  };
  const patience = watchForOverdue(signal);
  try {
    const running = (async () => run(command, { ...context, signal, onOutput }))(); // Async: a tool may throw at once.
    const answer = await Promise.race([running, patience.overdue]);
    return whole(stopped(signal, answer) ?? { state: 'succeeded', reason: null, message: null, ...answer });
  } catch (error) {
    const halted = stopped(signal, error instanceof ToolFailure ? error : NOTHING_PRINTED);
    if (halted !== null) return whole(halted);
    if (error instanceof ToolFailure) return whole(failed(error.reason, error.message, error));
    onDefect(error);
    return whole(failed('internal_error', `${command.tool} failed because of a defect in the agent`));
  } finally {
    clearTimeout(timer);
    patience.end();
  }
}

/** The outcome of a command that was stopped, with its output so far; null when it was not stopped. */
function stopped(signal: AbortSignal, printed: Printed): AgentOutcome | null {
  if (!(signal.reason instanceof Stop)) return null;
  const { reason, message } = signal.reason;
  const state = { cancelled: 'cancelled', timed_out: 'failed', agent_restarted: 'interrupted' } as const;
  return { ...failed(reason, message, printed), state: state[reason] };
}

/**
 * `overdue` rejects when the tool does not stop in time after an abort. Callers must call `end`: Node.js keeps a combined
 * signal, and all that its listeners reference, as long as it has listeners.
 */
function watchForOverdue(signal: AbortSignal): { overdue: Promise<never>; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  let wait = () => {};
  const overdue = new Promise<never>((_, reject) => {
    wait = () => {
      timer = setTimeout(() => reject(new Error('the tool did not stop')), END_WITHIN_MS);
    };
  });
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait, { once: true });
  return {
    overdue,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
    },
  };
}
