/** Files that are written completely or not at all, even if the process or the host crashes meanwhile. */
import {
  closeSync,
  fdatasync,
  fsync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { codeOf } from '../../shared/errno.ts';
import { UNFINISHED } from './layout.ts';

/**
 * The only steps that wait for the disk. The others work on the system's cache and take some microseconds, a tenth of
 * what a trip to the thread pool of Node.js takes, so they are made here and now: except for a content above this length,
 * which takes milliseconds and, where the cache may take no more, as long as the disk.
 */
const WRITE_AT_ONCE_LENGTH = 64 * 1024;
const writeContent = promisify(writeFile);
export const syncContent = promisify(fdatasync);
const syncNames = promisify(fsync);

/**
 * Replaces a file. Its content is on disk when this resolves, its name after `syncDirectory`.
 * @param content all of it, or pieces that are made when it is their turn
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array | Generator<string>,
  mode = 0o600,
): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    const file = create(unfinished, mode);
    try {
      const pieces = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
      for (const piece of pieces) {
        if (piece.length <= WRITE_AT_ONCE_LENGTH) writeFileSync(file, piece);
        else await writeContent(file, piece);
      }
      await syncContent(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    try {
      rmSync(unfinished, { force: true });
    } catch {} // The first failure is the one that is thrown.
    throw error;
  }
}

/** A new file: one that is left over from a crash would keep its mode, and is removed. */
function create(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    unlinkSync(path);
    return openSync(path, 'wx', mode);
  }
}

/** Syncs a directory, so that the names in it survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = openSync(path, 'r');
  try {
    await syncNames(directory);
  } finally {
    closeSync(directory);
  }
}
