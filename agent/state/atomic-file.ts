/** Files that are written completely or not at all, even if the process or the host crashes meanwhile. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UNFINISHED } from './layout.ts';

/**
 * Replaces a file. Its content is on disk when this resolves, its name after `syncDirectory`. A file that root writes
 * is given to the owner of its directory, which is the user that the service runs as.
 */
export async function writeAtomically(path: string, content: string, mode = 0o600): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    await rm(unfinished, { force: true }); // An existing file would keep its mode.
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
    await rm(unfinished, { force: true }).catch(() => {}); // The first failure is the one that is thrown.
    throw error;
  }
}

/** Syncs a directory, so that the names in it survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
