/** `lanreach batches …`: what was started at many sites. */
import type { Batch, BatchSite } from '../../shared/api/batches.ts';
import type { Session } from '../client/session.ts';
import { table } from '../client/text.ts';
import type { Command } from '../command.ts';
import { batchRow, comparisonText, sitesText, standText } from './batch-text.ts';

const LISTED = 'its id, as "batches list" shows it';
const MOST_LISTED = 100;
/** Sites that a line of the comparison names. */
const NAMED = 10;

export function addBatchesCommands(batches: Command): void {
  batches
    .part('list', 'list the batches of the last 30 days, the newest first')
    .withLimit()
    .run(async ({ request }, { limit }: { limit: number }) => {
      const query = { limit: String(Math.min(limit, MOST_LISTED)) };
      await request('GET /batches', { query }, (answer) =>
        table(['BATCH', 'STATE', 'SUCCEEDED', 'SITES', 'STARTED', 'ID'], answer.batches.map(batchRow)),
      );
    });

  batches
    .part('show', 'show the outcome at each site, failures first')
    .argument('<batch>', LISTED)
    .option('--compare', 'show which sites give a different answer, and the spread of numbers')
    .run((session, id: string, { compare = false }: { compare?: boolean }) => showBatch(session, id, compare));

  batches
    .part('cancel', 'cancel a batch: running commands are cancelled, the rest is skipped')
    .argument('<batch>', LISTED)
    .run(({ request }, id: string) =>
      request('DELETE /batches/{id}', { params: { id } }, (batch) => `${standText(batch)}\n`),
    );
}

/** Shows each site of a batch, or the comparison. @returns the batch */
export async function showBatch(session: Session, id: string, compares: boolean): Promise<Batch> {
  const { client, show, note } = session;
  const { results, ...batch } = await wholeBatch(session, id);
  if (compares) {
    const query = { limit: session.isJson ? '5000' : String(NAMED) };
    const comparison = await client.ask('GET /batches/{id}/comparison', { params: { id }, query });
    await show({ ...batch, results, comparison }, () => comparisonText(comparison));
  } else {
    await show({ ...batch, results }, () => sitesText(results));
  }
  note(standText(batch));
  return batch;
}

async function wholeBatch({ client }: Session, id: string): Promise<Batch & { results: BatchSite[] }> {
  const results: BatchSite[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.ask('GET /batches/{id}', { params: { id }, query: { limit: '500', cursor } });
    results.push(...page.results);
    if (page.nextCursor === null) return { ...page, results };
    cursor = page.nextCursor;
  }
}
