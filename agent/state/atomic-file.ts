/** Files that are written atomically, even if the process or the host crashes meanwhile. */
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
 * Only syncs, and contents above this length, go through the thread pool of Node.js. All else works on the page cache and
 * takes some microseconds, a tenth of a trip to that pool; a longer content takes milliseconds, or waits for a full cache.
 */
const WRITE_AT_ONCE_LENGTH = 64 * 1024;
const writeContent = promisify(writeFile);
export const syncContent = promisify(fdatasync);
const syncNames = promisify(fsync);

/** Replaces a file: its content is then on disk, its name after `syncDirectory`. Generators are read lazily. */
export async function writeAtomically(path: string, content: string | Uint8Array | Generator<string>, mode = 0o600) {
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
    } catch {} // The first failure is the one to throw.
    throw error;
  }
}

/** Removes a file that a crash has left, which would keep its mode. */
function create(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    unlinkSync(path);
    return openSync(path, 'wx', mode);
  }
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = openSync(path, 'r');
  try {
    await syncNames(directory);
  } finally {
    closeSync(directory);
  }
}
