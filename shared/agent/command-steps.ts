/**
 * The steps of a command on its way through the processes. Nobody listens to them but `npm run bench -- --trace`; as
 * long as nobody does, a step costs one comparison.
 */
import { channel } from 'node:diagnostics_channel';

/** In the order in which a command takes them, and what has happened when one is reached. */
export const COMMAND_STEPS = {
  routed: 'the request is in the routes of the function',
  authenticated: 'its token is valid',
  chosen: 'an agent is chosen',
  recorded: "the job's row is written",
  arrived: 'the agent has the request',
  journalled: 'the request is in its journal',
  started: "the tool's program is started",
  ended: 'the program and its output have ended',
  parsed: 'the tool has its result',
  spooled: 'the result is in the spool',
  received: 'the function has the result',
} as const;
export type CommandStep = keyof typeof COMMAND_STEPS;

export interface StepReached {
  step: CommandStep;
  /** The id of the job; that of the HTTP request where there is no job yet. */
  id: string;
  /** The HTTP request from which the job comes, where a job begins. */
  requestId?: string | undefined;
}

export const STEPS_CHANNEL = 'lanreach.command.step';
const steps = channel(STEPS_CHANNEL);

export function reached(step: CommandStep, id: string, requestId?: string): void {
  if (steps.hasSubscribers) steps.publish({ step, id, requestId } satisfies StepReached);
}
