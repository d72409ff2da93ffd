/** What the exports of lists that grow with time have in common: their options, and where the file goes. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { ConnectionError } from '../../client/errors.ts';
import type { Route } from '../../client/routes.ts';
import { codeOf } from '../../shared/errno.ts';
import type { Question } from '../client/api.ts';
import { Failure } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';

export interface ExportOptions {
  site?: string;
  since?: string;
  until?: string;
  output?: string;
}

export function addExportCommand(parent: Command, what: string): Command {
  return parent
    .command('export')
    .description(`write ${what} as CSV, or as a JSON object on each line with --json`)
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .option('--until <time>', 'before this time only', toTime)
    .option('--output <file>', 'write to a file, which is there only when it is complete; default: standard output')
    .addOption(siteOption());
}

/** Writes the file as it arrives, and never holds all of it. */
export async function runExport<R extends Route>(
  command: Command,
  route: R,
  ask: (format: 'csv' | 'ndjson') => Question<R>,
): Promise<void> {
  const { client, note, write, isJson } = openSession(command);
  const { output } = command.opts<ExportOptions>();
  const pieces = client.download(route, ask(isJson ? 'ndjson' : 'csv'));
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
