/** A request that the agent has accepted, until its result is stored. */
import type { AgentOutcome, Request } from '../../shared/agent/messages.ts';
import type { PlannedRun } from '../../shared/agent/plan.ts';
import type { JobId } from '../../shared/identity.ts';
import type { LiveOutput } from './live-output.ts';

/** `late`: no slot was free in time, and the command did not run. */
export type PlannedEnd = AgentOutcome | 'late';

export interface Planned {
  run: PlannedRun;
  ended(end: PlannedEnd): void;
}

export interface Job {
  id: JobId;
  request: Request;
  /** Null for a request of a caller. */
  planned: Planned | null;
  live: LiveOutput;
  /** `accepting` until it is in the journal, `ending` while its result is stored. */
  state: 'accepting' | 'queued' | 'running' | 'ending';
  stop: AbortController;
  /** Commands ahead of it in the queue, as last reported to its followers. */
  position: number | null;
  startedAt: number | null;
  /** Ends a queued job at its deadline. */
  expiry: NodeJS.Timeout | undefined;
  /** Acknowledges a short command that has no result by then. */
  lateAck: NodeJS.Timeout | undefined;
}

/** Log fields that identify the job, and the HTTP request that caused it. */
export function idsOf({ id, requestId }: Request): { jobId: JobId; requestId?: string } {
  return { jobId: id, ...(requestId === undefined ? {} : { requestId }) };
}
