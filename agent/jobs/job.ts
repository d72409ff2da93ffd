/** A request that the agent has taken, from then until its result is stored. */
import { type AgentOutcome, PROTOCOL_VERSION, type Request } from '../../shared/agent/messages.ts';
import type { PlannedRun } from '../../shared/agent/plan.ts';
import type { JobId } from '../../shared/identity.ts';
import type { LiveOutput } from './live-output.ts';

/** How a planned command ended: `late` when there was no place for it in time, and it was not run. */
export type PlannedEnd = AgentOutcome | 'late';

export interface Planned {
  run: PlannedRun;
  ended(end: PlannedEnd): void;
}

export interface Job {
  id: JobId;
  request: Request;
  /** Of a command that nobody has sent: why it is run, and who is told of its end. */
  planned: Planned | null;
  /** Its output so far, and the instances that follow it. */
  live: LiveOutput;
  /** `accepting` until it is in the journal, `ending` while its result is being stored. */
  state: 'accepting' | 'queued' | 'running' | 'ending';
  stop: AbortController;
  /** Commands ahead of it in the queue, as last sent to its followers. */
  position: number | null;
  startedAt: number | null;
  /** Ends a queued job at its deadline. */
  expiry: NodeJS.Timeout | undefined;
  /** Acknowledges a short command that has no result by then. */
  lateAck: NodeJS.Timeout | undefined;
}

/** What every message about a job begins with. */
export function base(id: JobId) {
  return { v: PROTOCOL_VERSION, id } as const;
}

/** What leads from a line of the log to the job, and to the HTTP request that it comes from. */
export function idsOf({ id, requestId }: Request): { jobId: JobId; requestId?: string } {
  return { jobId: id, ...(requestId === undefined ? {} : { requestId }) };
}
