/** Outcomes of commands that do not complete, and the common fields of messages about them. */
import { type AgentOutcome, PROTOCOL_VERSION, type Reason } from '../../shared/agent/messages.ts';
import { CLOCK_SKEW_MS } from '../../shared/agent/timing.ts';
import type { JobId } from '../../shared/identity.ts';

/** The common fields of all messages about a job. */
export function base(id: JobId) {
  return { v: PROTOCOL_VERSION, id } as const;
}

/** Why a command is stopped early: the `reason` of the abort signal. */
export class Stop extends Error {
  override name = 'Stop';
  readonly reason: 'cancelled' | 'timed_out' | 'agent_restarted';

  constructor(reason: Stop['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export type Printed = Pick<AgentOutcome, 'output' | 'truncated'>;

export const NOTHING_PRINTED: Printed = { output: '', truncated: false };

export function failed(reason: Reason, message: string, printed = NOTHING_PRINTED): AgentOutcome {
  const { output, truncated } = printed;
  return { state: 'failed', reason, message, output, truncated, result: null };
}

export function beforeStart(reason: Stop['reason']): AgentOutcome {
  const cancelled = reason === 'cancelled';
  const what = cancelled ? 'command was cancelled' : 'agent was stopped';
  const state = cancelled ? 'cancelled' : 'interrupted';
  return { ...failed(reason, `The ${what} before the command started`), state };
}

export function arrivedTooLate(lateMs: number): AgentOutcome {
  const message = `The request arrived ${seconds(lateMs)} s after its deadline, by the clock of the agent's host`;
  return { ...failed('deadline_passed', message), state: 'expired' };
}

export function waitedTooLong(): AgentOutcome {
  const message = "The agent was busy with other commands until the request's deadline had passed";
  return { ...failed('deadline_passed', message), state: 'expired' };
}

/** The agent cannot know which clock is wrong, or whether the message was slow; in no case may the command start. */
export function clocksDiffer(ageMs: number): AgentOutcome {
  const direction = ageMs > 0 ? 'ahead of' : 'behind';
  const message = `The clock of the agent's host is ${seconds(Math.abs(ageMs))} s ${direction} the clock of the sender; the limit is ${seconds(CLOCK_SKEW_MS)} s`;
  return failed('clock_skew', message);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
