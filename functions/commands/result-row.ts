/** How the result of a job is stored: in the row of the job, or in one of its own. */
import { gzipSync } from 'node:zlib';
import type * as z from 'zod';
import type { EndedJob, StoredOutcome } from '../../shared/agent/messages.ts';
import type { JobId } from '../../shared/identity.ts';
import { summaryOf, type Tool } from '../../shared/tools/list.ts';
import { IS_NEW, type Scalar } from '../table/condition.ts';
import { rows } from '../table/rows.ts';
import type { Table } from '../table/table.ts';

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
