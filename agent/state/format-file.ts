/**
 * The number of the format in a folder: a file with it, which is there before anything else.
 * @promise The agent refuses data of another format, and leaves it untouched: `agent/state/format-file.test.ts`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMAT, FORMAT_FILE, formatIn, OtherFormat } from '../../shared/format.ts';
import { syncDirectory, writeAtomically } from './atomic-file.ts';

/** Whether the folder has the number of this version. */
export function hasFormat(folder: string): boolean {
  return formatIn(textOf(folder)) === FORMAT;
}

/**
 * Changes nothing.
 * @param what names the folder in the message, with its path
 * @param isOurs whether a file of this name, other than the number, was written by a program of ours
 * @throws {OtherFormat} when the number is another one, or missing although something of ours is there
 */
export function requireFormat(what: string, folder: string, isOurs: (name: string) => boolean): void {
  const text = textOf(folder);
  const found = formatIn(text);
  if (found === FORMAT) return;
  if (text === null && !(existsSync(folder) && readdirSync(folder).some(isOurs))) return;
  throw new OtherFormat(what, found);
}

/** Writes the number, if it is missing. It is on the disk when this resolves. */
export async function provideFormat(folder: string): Promise<void> {
  if (textOf(folder) !== null) return;
  await writeAtomically(join(folder, FORMAT_FILE), `${FORMAT}\n`);
  await syncDirectory(folder);
}

function textOf(folder: string): string | null {
  const file = join(folder, FORMAT_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
