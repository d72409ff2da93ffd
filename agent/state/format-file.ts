/**
 * The format version of a folder: a file that is written before any other.
 * @promise The agent refuses data of another format, and leaves it untouched: `agent/state/format-file.test.ts`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT, FORMAT_FILE, formatIn, OtherFormat } from '../../shared/format.ts';
import { syncDirectory, writeAtomically } from './atomic-file.ts';

export function hasFormat(folder: string): boolean {
  return formatIn(textOf(folder)) === FORMAT;
}

/**
 * Changes nothing.
 * @param what names the folder in the message, with its path
 * @param isOurs whether one of our programs writes a file of this name
 * @throws {OtherFormat} when the version is another one, or missing beside a file of ours
 */
export function requireFormat(what: string, folder: string, isOurs: (name: string) => boolean): void {
  const text = textOf(folder);
  const found = formatIn(text);
  if (found === FORMAT) return;
  if (text === null && !(existsSync(folder) && readdirSync(folder).some(isOurs))) return;
  throw new OtherFormat(what, found);
}

/** Writes the format version, if it is missing. It is on disk when this resolves. */
export async function provideFormat(folder: string): Promise<void> {
  if (textOf(folder) !== null) return;
  await writeAtomically(join(folder, FORMAT_FILE), `${FORMAT}\n`);
  await syncDirectory(folder);
}

function textOf(folder: string): string | null {
  const file = join(folder, FORMAT_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
