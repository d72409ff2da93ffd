/** `lanreach site import`: many sites of one file. */
import { readFile } from 'node:fs/promises';
import { ApiError } from '../../client/errors.ts';
import { beginningOf, ROW_ENDS, unwrapped, withoutEqualsSigns } from '../../shared/csv.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import { state, table } from '../client/text.ts';
import type { Command } from '../command.ts';

const COLUMNS = ['id', 'name', 'tags'];
const MOST_BYTES = 10 * 1024 * 1024;

export function addImportSitesCommand(site: Command): void {
  site
    .part(
      'import',
      'add the sites of a CSV file with the columns id, name and tags; those that are there stay as they are',
    )
    .argument(
      '<file>',
      'whose first line names the columns; several tags stand with spaces, or in quotes with commas, between them',
    )
    .run(async ({ client, show }, file: string) => {
      const done: { id: string; outcome: string }[] = [];
      for (const { id, name, tags } of await rowsOf(file)) {
        const body = { id, name: name || undefined, tags: tags ? tagsIn(tags) : undefined };
        const outcome = await client.ask('POST /sites', { body }).then(
          () => 'added',
          (error: unknown) => {
            // What one row has wrong stops no other; what stops all of them does.
            if (!(error instanceof ApiError) || !['conflict', 'validation_failed'].includes(error.code)) throw error;
            return error.code === 'conflict' ? 'there already' : `failed: ${error.message}`;
          },
        );
        done.push({ id, outcome });
      }
      const failed = done.filter(({ outcome }) => outcome.startsWith('failed'));
      const rows = done.map(({ id, outcome }) => [id, state(outcome)]);
      await show({ success: failed.length === 0, sites: done }, () => table(['SITE', 'OUTCOME'], rows));
      if (failed.length > 0) throw new Failure('failure', `${failed.length} of ${done.length} sites were not added`);
    });
}

/** Separated by spaces or commas. */
export function tagsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((tag) => tag !== '');
}

interface Row {
  id: string;
  name?: string;
  tags?: string;
}

async function rowsOf(file: string): Promise<Row[]> {
  const content = await readFile(file).catch((error: Error) => {
    throw unreadableFile(file, error);
  });
  if (content.length > MOST_BYTES) throw new Failure('usage', `${file} is larger than 10 MB`);
  try {
    return await sitesIn(content);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure('usage', `${file} is no list of sites: ${why}`, { cause: error });
  }
}

/** @throws {Error} when it is no CSV with the columns of sites, or a row has a cell too few or too many */
export async function sitesIn(content: Uint8Array): Promise<Row[]> {
  const { parse } = await import('csv-parse/sync');
  const { start, delimiter } = beginningOf(content);
  const file = await withoutEqualsSigns(content.subarray(start), delimiter);
  const options = { delimiter, record_delimiter: ROW_ENDS, relax_column_count: true, skip_empty_lines: true };
  const [header = [], ...rows] = (parse(Buffer.from(file), options) as string[][])
    .map((cells) => cells.map((cell) => unwrapped(cell).trim()))
    .filter((cells) => cells.some((cell) => cell !== ''));
  const columns = header.slice(0, header.findLastIndex((name) => name !== '') + 1).map((name) => name.toLowerCase());
  const unknown = columns.filter((name) => !COLUMNS.includes(name));
  if (!columns.includes('id')) throw new Error('there is no column id');
  if (unknown.length > 0) throw new Error(`there is no column ${unknown.join(', ')} of sites`);
  return rows.map((cells): Row => {
    const isWhole = cells.length >= columns.length && cells.slice(columns.length).every((cell) => cell === '');
    if (!isWhole) throw new Error(`the row ${cells.join()} has ${cells.length} cells, expected ${columns.length}`);
    return { id: '', ...Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ''])) };
  });
}
