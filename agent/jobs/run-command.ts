/** Runs one command to its end, however its tool behaves, and says how it ended. */
import type { AgentOutcome } from '../../shared/agent/messages.ts';
import { END_WITHIN_MS } from '../../shared/agent/timing.ts';
import { startOf } from '../../shared/text.ts';
import type { Command } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { runTool } from '../tools/registry.ts';
import type { ToolContext } from '../tools/tool.ts';
import { failed, NOTHING_PRINTED, type Printed, Stop } from './outcomes.ts';

/** Runs any command with its tool. */
export type RunAnyTool = typeof runTool;

/**
 * Characters of output that are kept, whatever limits a tool has of its own. The result may be cut further, to fit into
 * one packet.
 */
const MAX_OUTPUT = 1_000_000;

/**
 * Never rejects: a tool that throws, hangs or does not stop is a command that failed.
 * @param limitMs after this time the command is stopped
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
  const whole = (outcome: AgentOutcome) =>
    withinOutputLimit({ ...outcome, output: beginningWith(shown, outcome.output) });
  const patience = watchForOverdue(signal);
  try {
    const answer = await Promise.race([start(run, command, { ...context, signal, onOutput }), patience.overdue]);
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

/** Async, so that a tool that throws synchronously is no different from one that rejects. */
async function start(run: RunAnyTool, command: Command, context: ToolContext) {
  return run(command, context);
}

/** The outcome of a command that was stopped, with the output that it had printed; null when it was not stopped. */
function stopped(signal: AbortSignal, printed: Printed): AgentOutcome | null {
  if (!(signal.reason instanceof Stop)) return null;
  const { reason, message } = signal.reason;
  const { output, truncated } = printed;
  const state = { cancelled: 'cancelled', timed_out: 'failed', agent_restarted: 'interrupted' } as const;
  return { state: state[reason], reason, message, output, truncated, result: null };
}

/**
 * `overdue` rejects when the tool was told to stop and has not done so in time. `end` must be called: Node.js keeps a
 * combined signal, with all that its listeners refer to, for as long as it has listeners.
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

/**
 * The output of a command always begins with what was sent while it ran, so that a follower can continue from there. If
 * a tool failed, or returned another text, its output is what it has sent.
 */
function beginningWith(shown: string, output: string): string {
  return output.startsWith(shown) ? output : shown;
}

function withinOutputLimit(outcome: AgentOutcome): AgentOutcome {
  if (outcome.output.length <= MAX_OUTPUT) return outcome;
  return { ...outcome, output: startOf(outcome.output, MAX_OUTPUT), truncated: true };
}
