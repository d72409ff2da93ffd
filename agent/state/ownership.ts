/** Refuses folders and files that another user created, or can change. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codeOf } from '../../shared/errno.ts';

/** The message says what is wrong and what to do. */
export class OwnershipError extends Error {
  override name = 'OwnershipError';
}

/** The user that this process runs as; null on a system without numeric user ids. */
const OWN_UID = process.getuid?.() ?? null;
const ROOT = 0;

/**
 * Checks that a folder or file belongs to a user or to root, and that nobody else may write to it. For root only root
 * itself is trusted, and not the user who ran sudo, because that user's other programs are not root.
 * @param what names it in the message, such as "The data folder"
 * @param uid the user; by default the one that this process runs as
 * @throws {OwnershipError}
 */
export function requireOwn(what: string, path: string, entry: Stats, uid: number | null = OWN_UID): void {
  if (uid === null) return;
  if (entry.uid !== uid && entry.uid !== ROOT) {
    const owner = uid === ROOT ? 'root' : `user ${uid}`;
    throw new OwnershipError(
      `${what} ${path} belongs to user ${entry.uid} and not to ${owner}, who would have to trust what is in it. ` +
        `Start as user ${entry.uid}${uid === ROOT ? ', without sudo,' : ''} or choose another path; ` +
        `or, after a look at what is in it: chown -R ${uid} ${path}`,
    );
  }
  requireClosed(what, path, entry);
}

/** Checks that none but its owner may write to a folder or file. @throws {OwnershipError} */
export function requireClosed(what: string, path: string, { mode }: Stats): void {
  if ((mode & 0o022) === 0 || OWN_UID === null) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  throw new OwnershipError(
    `${what} ${path} can be changed by other users (its mode is ${octal}). Check its content, then remove that permission: ` +
      `chmod go-w ${path}`,
  );
}

/** The same as `requireOwn`, for a path that need not exist. */
export async function requireOwnIfThere(what: string, path: string): Promise<void> {
  const entry = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (entry !== null) requireOwn(what, path, entry);
}
