/** Files that are either there as a whole or not at all, whatever happens while they are written. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UNFINISHED } from './layout.ts';

/**
 * Puts a file in place; its content is on disk when this resolves, its name after `syncDirectory`. Written by root, it
 * belongs to the owner of its directory: to the user that the service runs as.
 */
export async function writeAtomically(path: string, content: string, mode = 0o600): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    await rm(unfinished, { force: true }); // Opening an old one would keep its mode.
    const handle = await open(unfinished, 'wx', mode);
    try {
      await handle.writeFile(content);
      if (process.getuid?.() === 0) {
        const { uid, gid } = await stat(dirname(path));
        await handle.chown(uid, gid);
      }
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {}); // The first failure is the one to tell.
    throw error;
  }
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
