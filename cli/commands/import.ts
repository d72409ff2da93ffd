/** `lanreach devices import` */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Option } from 'commander';
import type { Question } from '../../client/client.ts';
import { ApiError, UnexpectedAnswerError } from '../../client/errors.ts';
import type { AnswerOf } from '../../client/routes.ts';
import { type Part, splitCsv } from '../client/csv-parts.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { fields } from '../client/text.ts';
import type { Command } from '../command.ts';
import { flag } from '../option-values.ts';
import { noteUndo } from './device-names.ts';

/** A hundred thousand devices take about ten seconds to import. */
const IMPORT_TIMEOUT_MS = 120_000;
/** A part of a file that is too large for one request: small enough for every deployment, in bytes and in rows. */
const PART_BYTES = 3_000_000;

interface ImportOptions {
  mode?: 'merge' | 'replace';
  allowSkipped?: boolean;
  dryRun?: boolean;
}

type Imported = AnswerOf<'POST /devices/import'>;

export function addImportCommand(command: Command): void {
  const modes = new Option('--mode <mode>', 'replace also removes the devices that the file does not name');
  command
    .part('import', 'add and update devices from a CSV file; one that is too large for a request goes up in parts')
    .argument('<file>', '- reads standard input')
    .addOption(modes.choices(['merge', 'replace']))
    .option('--allow-skipped', 'replace although lines cannot be read, and remove also the devices that they may name')
    .option('--dry-run', 'change nothing, only report the changes')
    .withYes()
    .withSite()
    .run(async (session, path: string, { mode, allowSkipped, dryRun }: ImportOptions) => {
      const { show, note, site } = session;
      const file = await readInput(session, path);
      const question = { site, query: { mode, allowSkipped: flag(allowSkipped), dryRun: flag(dryRun) } };
      const answer = await importFile(session, file, question).catch((error: unknown) => {
        if (error instanceof ApiError) noteSkipped(error.skipped, error.skippedCount, note);
        throw error;
      });
      const { inserted, updated, deleted, change } = answer;
      await show(answer, () => fields({ new: inserted - updated, updated, deleted }));
      noteLines(answer, note);
      if (deleted > 0 && change !== null) noteUndo(session, change);
    });
}

async function importFile(
  { client, note }: Session,
  file: Buffer<ArrayBuffer>,
  question: Question<'POST /devices/import'>,
): Promise<Imported> {
  const send = (content: Buffer<ArrayBuffer>) =>
    client.ask('POST /devices/import', { ...question, file: new Blob([content]), timeoutMs: IMPORT_TIMEOUT_MS });
  try {
    return await send(file);
  } catch (error) {
    const parts = isTooLarge(error) ? splitCsv(file, PART_BYTES) : [];
    if (parts.length < 2) throw error;
    if (question.query?.mode === 'replace') {
      const message = 'The file is too large for one request. In parts it cannot replace: no part names all devices';
      throw new Failure('usage', message, { cause: error });
    }
    return await sendParts(parts, send, note);
  }
}

/** A gateway in front of the API may refuse it as well. */
function isTooLarge(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof UnexpectedAnswerError) && error.status === 413;
}

async function sendParts(
  parts: readonly Part[],
  send: (content: Buffer<ArrayBuffer>) => Promise<Imported>,
  note: Session['note'],
): Promise<Imported> {
  let all: Imported | null = null;
  for (const [i, { content, lineInFile }] of parts.entries()) {
    try {
      const one = inFile(await send(content), lineInFile);
      all = all === null ? one : added(all, one);
    } catch (error) {
      if (i > 0) note(`The first ${i} of ${parts.length} parts are done; importing them again updates their devices.`);
      throw error;
    }
    note(`Part ${i + 1} of ${parts.length} is done.`);
  }
  return all!; // There are at least two.
}

/** The answer about a part, with the lines of the whole file. */
function inFile(answer: Imported, lineInFile: Part['lineInFile']): Imported {
  const moved = ({ line, reason }: Imported['skipped'][number]) => ({ line: lineInFile(line), reason });
  return {
    ...answer,
    skipped_lines: answer.skipped_lines.map(lineInFile),
    skipped: answer.skipped.map(moved),
    adjusted: answer.adjusted.map(moved),
  };
}

/** What both did together; the change is that of the last part. */
function added(one: Imported, other: Imported): Imported {
  return {
    ...other,
    inserted: one.inserted + other.inserted,
    updated: one.updated + other.updated,
    deleted: one.deleted + other.deleted,
    skipped_lines: [...one.skipped_lines, ...other.skipped_lines],
    skipped: [...one.skipped, ...other.skipped],
    skipped_count: one.skipped_count + other.skipped_count,
    adjusted: [...one.adjusted, ...other.adjusted],
    adjusted_count: one.adjusted_count + other.adjusted_count,
  };
}

function noteLines(answer: Imported, note: Session['note']): void {
  const { skipped, skipped_count, adjusted, adjusted_count, ignored_columns } = answer;
  noteSkipped(skipped, skipped_count, note);
  for (const { line, reason } of adjusted) note(`line ${line} was changed: ${reason}`);
  noteMore(note, adjusted_count - adjusted.length, 'were changed');
  if (ignored_columns.length > 0) note(`ignored columns: ${ignored_columns.join(', ')}`);
}

function noteSkipped(skipped: ApiError['skipped'], count: number, note: Session['note']): void {
  for (const { line, reason } of skipped) note(`line ${line} was skipped: ${reason}`);
  noteMore(note, count - skipped.length, 'were skipped');
}

function noteMore(note: Session['note'], lines: number, what: string): void {
  if (lines > 0) note(`${lines} more lines ${what}`);
}

async function readInput({ world: { stdin } }: Session, path: string): Promise<Buffer<ArrayBuffer>> {
  const content = path === '-' ? buffer(stdin) : readFile(path);
  return content.then(
    (bytes) => bytes as Buffer<ArrayBuffer>,
    (error: Error) => {
      throw unreadableFile(path, error);
    },
  );
}
