/** `lanreach batches …`: what was started at many sites. */
import type { Command } from 'commander';
import type { Batch, BatchSite } from '../../shared/api/batches.ts';
import type { Api } from '../client/api.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { table } from '../client/text.ts';
import { batchRow, comparisonText, sitesText, standText } from './batch-text.ts';
import { limitOption } from './limit-option.ts';

const LISTED = 'its id, as "batches list" shows it';
const MOST_LISTED = 100;
/** Sites that a line of the comparison names. */
const NAMED = 10;

export function addBatchesCommands(batches: Command): void {
  batches
    .command('list')
    .description('list the batches of the last 30 days, the newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const session = openSession(command);
      const query = { limit: String(Math.min(limit, MOST_LISTED)) };
      const answer = await session.client.ask('GET /batches', { query });
      await session.show(answer, () =>
        table(['BATCH', 'STATE', 'SUCCEEDED', 'SITES', 'STARTED', 'ID'], answer.batches.map(batchRow)),
      );
      noteUnreadable(session, answer.unreadable);
    });

  batches
    .command('show')
    .description('show the outcome at each site, failures first')
    .argument('<batch>', LISTED)
    .option('--compare', 'show which sites give a different answer, and the spread of numbers')
    .action(async (id: string, { compare = false }: { compare?: boolean }, command: Command) => {
      await showBatch(openSession(command), id, compare);
    });

  batches
    .command('cancel')
    .description('cancel a batch: running commands are cancelled, the rest is skipped')
    .argument('<batch>', LISTED)
    .action(async (id: string, _: object, command: Command) => {
      const { client, show } = openSession(command);
      const batch = await client.ask('DELETE /batches/{id}', { params: { id } });
      await show(batch, () => `${standText(batch)}\n`);
    });
}

/** Shows each site of a batch, or the comparison. @returns the batch */
export async function showBatch(session: Session, id: string, compares: boolean): Promise<Batch> {
  const { client, show, note } = session;
  const { results, ...batch } = await wholeBatch(client, id);
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

async function wholeBatch(client: Api, id: string): Promise<Batch & { results: BatchSite[] }> {
  const results: BatchSite[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.ask('GET /batches/{id}', {
      params: { id },
      query: { limit: '500', ...(cursor === undefined ? {} : { cursor }) },
    });
    results.push(...page.results);
    if (page.nextCursor === null) return { ...page, results };
    cursor = page.nextCursor;
  }
}
