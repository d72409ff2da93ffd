/** Removing a folder that belongs to somebody who is not trusted. */
import { constants } from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { codeOf } from '../../shared/errno.ts';

/**
 * Removes a file, or a folder with all that is in it; nothing that links in it lead to. Also not when its owner puts
 * links in the place of folders while it is removed: `rm` of Node.js would follow them, and as root delete whatever
 * they lead to. The folder in which it lies must not be such a person's to replace.
 */
export async function removeTree(path: string): Promise<void> {
  if (platform() !== 'linux') return rm(path, { recursive: true, force: true });
  try {
    return await unlink(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (codeOf(error) !== 'EISDIR') throw error;
  }
  // From here on the folder is known by what was opened, and not by a name that may mean something else a moment later.
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const opened = `/proc/self/fd/${folder.fd}`;
    for (const name of await readdir(opened)) await removeTree(`${opened}/${name}`);
  } finally {
    await folder.close();
  }
  await rmdir(path);
}
