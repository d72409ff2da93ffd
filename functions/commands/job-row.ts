/** The row of a job, as it is stored and read. */
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { type EndedJob, JobState, Reason, StoredOutcome } from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { AgentId, JobId, siteOfJob } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { Millis } from '../../shared/time.ts';
import { StoredCommand } from '../../shared/tools/list.ts';
import { parseToolResult } from '../../shared/tools/parse-result.ts';
import { ResultSummary } from '../../shared/tools/summary.ts';
import type { Item } from '../table/table.ts';

/** The start time of a command that never started. */
export const NEVER = 0;

/** How a job ended, as attributes of its row. */
export const endOf = ({ reason, startedAt, endedAt }: EndedJob) => ({
  reason: reason ?? '',
  startedAt: startedAt ?? NEVER,
  endedAt,
});

const JsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({ code: 'custom', message: 'expected JSON', input: text });
    return z.NEVER;
  }
});
/** The attribute is missing until the event has happened, and `NEVER` when it did not. */
const Time = Millis.or(z.literal(NEVER))
  .optional()
  .transform((time) => (time === undefined || time === NEVER ? null : time));

const Row = z.object({
  sk: JobId,
  agent: AgentId,
  actor: z.string(),
  sourceAddress: z.string().optional(),
  // Its targets were parsed when the command was created; readers of the job get their texts.
  command: JsonText.pipe(StoredCommand),
  state: JobState,
  reason: Reason.nullable().catch(null),
  createdAt: Millis,
  startedAt: Time,
  endedAt: Time,
  leaseUntil: z.number(),
  summary: JsonText.pipe(ResultSummary).nullish().catch(null),
  result: z.unknown().optional(),
  /** Present when the result has a row of its own. */
  resultRow: z.unknown().optional(),
});
export type Row = z.infer<typeof Row>;

/** A malformed row must not make a whole list fail. */
export function readRow(item: Item): { row: Row; problem: null } | { row: null; problem: string } {
  const parsed = Row.safeParse(item);
  return parsed.success ? { row: parsed.data, problem: null } : { row: null, problem: problemOf(parsed.error) };
}

/** Without the fields that only a result has. */
export function toJob(row: Row): Job {
  const { sk: id, agent, actor, command, state, reason, createdAt, startedAt, endedAt, summary = null } = row;
  return {
    ...{ id, site: siteOfJob(id), agent, agentOfflineSince: null },
    ...{ tool: command.tool, request: command, state, reason, message: null, actor },
    createdAt: new Date(createdAt).toISOString(),
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    ...{ output: null, summary, result: null, truncated: false },
  } as Job; // The compiler cannot see that the request belongs to the tool.
}

/** Adds the stored result to state, reason and times. */
export function withOutcome(job: Job, packed: unknown): Job {
  if (packed === undefined) return job;
  try {
    const json = gunzipSync(z.instanceof(Uint8Array).parse(packed)).toString('utf8');
    const { result = null, ...outcome } = StoredOutcome.parse(JSON.parse(json));
    return { ...job, ...outcome, result: parseToolResult(job.tool, result) } as Job;
  } catch (error) {
    const message = `The result cannot be shown: its stored form cannot be read (${problemOf(error)})`;
    return { ...job, message };
  }
}
