/** Removes the agent's state from this host. */
import { lstat, readdir, realpath, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isLock, isOfAgent } from './layout.ts';
import { lockDirectory } from './lock.ts';
import { nullIfAbsent } from './optional-file.ts';
import { enterAsOwner } from './ownership.ts';

/**
 * Removes the state directory. Keeps files that are not the agent's, and the directory with them, because a setting may
 * name a directory that holds other things.
 * @returns the names of the kept files
 * @throws {LockedError} while an agent runs
 */
export async function removeState(directory: string): Promise<string[]> {
  const entry = await nullIfAbsent(lstat(directory));
  if (entry === null) return [];
  const { path, leave } = await enterAsOwner(directory);
  try {
    const left = await empty(path);
    if (left.length > 0) return left.sort();
  } finally {
    leave();
  }
  // For a dynamic user, systemd creates the directory elsewhere and puts a symbolic link here.
  await rmdir(await realpath(directory));
  if (entry.isSymbolicLink()) await unlink(directory);
  return [];
}

/** Removes the agent's files, the lock last: without it an agent could start meanwhile. */
async function empty(directory: string): Promise<string[]> {
  const remove = (name: string) => rm(join(directory, name), { recursive: true, force: true });
  const lock = await lockDirectory(directory, 0);
  try {
    for (const name of await readdir(directory)) if (isOfAgent(name)) await remove(name);
    const left = await readdir(directory);
    const foreign = left.filter((name) => !isLock(name));
    if (foreign.length === 0) for (const name of left) await remove(name);
    return foreign;
  } finally {
    lock.release();
  }
}
