/** Takes back what the agent has stored on this host. */
import { lstat, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { isOfAgent, LOCK_FILE } from '../state/layout.ts';
import { lockDirectory } from '../state/lock.ts';
import { removeTree } from '../state/remove-tree.ts';

/**
 * Removes the state of an agent that does not run, and the directory. What the agent did not put there stays, and the
 * directory with it: a setting may name a directory that holds other things.
 * @returns names of what stays; empty when nothing does
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
    // The locks last: without them an agent could start that finds half of its state.
    for (const name of await readdir(directory)) await removeTree(join(directory, name));
    // systemd puts the state of dynamic users elsewhere, and a link to it here.
    await rmdir(await realpath(directory));
    if (entry.isSymbolicLink()) await unlink(directory);
    return [];
  } finally {
    lock.release();
  }
}
