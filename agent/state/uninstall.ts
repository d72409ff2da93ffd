/** Removes what the agent has stored on this host. */
import { lstat, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { isOfAgent, LOCK_FILE } from './layout.ts';
import { lockDirectory } from './lock.ts';
import { removeTree } from './remove-tree.ts';

/**
 * Removes the state of an agent that is not running, and the directory. Files that are not the agent's are kept, and
 * the directory with them, because a setting may name a directory that holds other things.
 * @returns names of the files that are kept; empty when there are none
 * @throws {LockedError} while an agent runs
 */
export async function removeState(directory: string): Promise<string[]> {
  const entry = await lstat(directory).catch((error) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (entry === null) return [];
  const lock = await lockDirectory(directory, 0);
  try {
    for (const name of await readdir(directory)) {
      if (isOfAgent(name)) await removeTree(join(directory, name));
    }
    const left = (await readdir(directory)).filter((name) => !LOCK_FILE.test(name));
    if (left.length > 0) return left.sort();
    // The locks are removed last, because without them an agent could start on a half-removed state directory.
    for (const name of await readdir(directory)) await removeTree(join(directory, name));
    // For a dynamic user, systemd creates the directory elsewhere and puts a symbolic link here.
    await rmdir(await realpath(directory));
    if (entry.isSymbolicLink()) await unlink(directory);
    return [];
  } finally {
    lock.release();
  }
}
