/** Safe removal of a folder that belongs to a user who is not trusted. */
import { constants } from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { codeOf } from '../../shared/errno.ts';

/**
 * Removes a file, or a folder with its content, but nothing that links in it lead to. This holds even if its owner
 * replaces folders by links meanwhile: `rm` of Node.js would follow those, and as root delete what they lead to. The
 * parent folder must not be writable for such a user.
 */
export async function removeTree(path: string): Promise<void> {
  if (platform() !== 'linux') return rm(path, { recursive: true, force: true });
  try {
    return await unlink(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    if (codeOf(error) !== 'EISDIR') throw error;
  }
  // From here on the folder is accessed by its descriptor, because its name may be given to something else at any
  // moment.
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const opened = `/proc/self/fd/${folder.fd}`;
    for (const name of await readdir(opened)) await removeTree(`${opened}/${name}`);
  } finally {
    await folder.close();
  }
  await rmdir(path);
}
