/** Exports of lists that grow with time. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConnectionError } from '../../client/errors.ts';
import { codeOf } from '../../shared/errno.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import type { Command } from '../command.ts';
import { TIME_EXAMPLES, toTime } from '../option-values.ts';

interface ExportOptions {
  site?: string;
  since?: string;
  until?: string;
  output?: string;
}

/** @param queryOf the query that the options added to it give; default: as they are */
export function addExportCommand<Added extends object>(
  parent: Command,
  what: string,
  route: 'GET /audit/export' | 'GET /jobs/export',
  queryOf: (session: Session, added: Added) => object | Promise<object> = (_, added) => added,
): Command {
  return parent
    .part('export', `write ${what} as CSV, or as a JSON object on each line with --json`)
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--until <time>', 'before this time only', toTime)
    .option('--output <file>', 'write to a file, which is there only when it is complete; default: standard output')
    .withSite()
    .run(async (session, { site, output, since, until, ...added }: ExportOptions & Added) => {
      const format = session.isJson ? 'ndjson' : 'csv';
      const query = { ...(await queryOf(session, added as unknown as Added)), since, until, format } as const;
      await writePieces(session, session.client.download(route, { site, query }), output);
    });
}

/** Writes the file as it arrives, and never holds all of it. */
async function writePieces({ note, write, isJson }: Session, pieces: AsyncIterable<string>, output?: string) {
  try {
    if (output === undefined) {
      for await (const piece of pieces) write(piece, isJson);
      return;
    }
    await writeWhole(pieces, output);
  } catch (error) {
    if (!(error instanceof ConnectionError) || error.code === 'ECONNREFUSED') throw error;
    throw new Failure('failure', `The export is incomplete, do it again: ${error.message}`, { cause: error });
  }
  note(`The export is in ${output}.`);
}

async function writeWhole(pieces: AsyncIterable<string>, output: string): Promise<void> {
  const part = `${output}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(part));
    await rename(part, output);
  } catch (error) {
    await rm(part, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined || codeOf(error) === '') throw error;
    throw new Failure('failure', `Cannot write ${output}: ${(error as Error).message}`, { cause: error });
  }
}
