/** The row of a job and its result, which has a row of its own if it is large. */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { type EndedJob, JobState, Reason, StoredOutcome } from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
import { AuditEntry } from '../../shared/api/records.ts';
import { AgentId, JobId, siteOfJob } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { Millis } from '../../shared/time.ts';
import { StoredCommand, summaryOf, type Tool } from '../../shared/tools/list.ts';
import { parseToolResult } from '../../shared/tools/parse-result.ts';
import { ResultSummary } from '../../shared/tools/summary.ts';
import { IS_NEW, type Scalar } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import type { Item, Table } from '../table/table.ts';

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
  /** Absent for a token of no person. */
  person: JsonText.pipe(AuditEntry.shape.person).catch(null),
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

/** DynamoDB limits items to 400 KB. Agents send results of less than 131 KB. */
const MAX_STORED_BYTES = 350_000;
/** Up to this size, a result is stored in the row of its job, which saves a call and stays below 3 KB. */
const MAX_INLINE_BYTES = 2_048;

/**
 * Stores the result in a row of its own, if it is too large for that of its job, and then the end of the job with the
 * summary for lists.
 * @param job.expiry of that row (Unix, s)
 * @param store stores the end, with these attributes of the row. @returns whether it did
 */
export async function withResult(
  table: Table,
  { id, tool, expiry }: { id: JobId; tool: Tool; expiry: number },
  { message, output, truncated, result }: EndedJob,
  store: (attributes: Record<string, Scalar>) => Promise<boolean>,
): Promise<boolean> {
  const pack = (outcome: z.infer<typeof StoredOutcome>) => gzipSync(JSON.stringify(outcome));
  const packed = pack({ message, output, truncated, result });
  const fits = packed.length <= MAX_STORED_BYTES;
  // An agent may compress better than we do. A result that fits only because of that loses its output.
  const stored = fits ? packed : pack({ message, output: '', truncated: true, result: null });
  const isInline = stored.length <= MAX_INLINE_BYTES;
  // Before the job has ended. A row that exists already has the same result, sent a second time.
  const row = { ...rows.result(id), result: stored, ttl: expiry };
  const isOurs = !isInline && (await table.put(row, IS_NEW));
  const summary = summaryOf(tool, result);
  const isStored = await store({
    ...(isInline ? { result: stored } : { resultRow: 1 }),
    ...(summary === null ? {} : { summary: JSON.stringify(summary) }),
  });
  if (isOurs && !isStored) await removeUnusedResult(table, id);
  return isStored;
}

/** The job has ended in another way, or was removed with its site, while its result was being stored. */
async function removeUnusedResult(table: Table, id: JobId): Promise<void> {
  const job = await table.get(rows.job(id), { consistent: true });
  // Another delivery of the same result may have ended the job.
  if (job?.resultRow === undefined) await table.remove(rows.result(id));
}
