/** Refuses folders and files that another user has put in place, or can change. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codeOf } from '../../shared/errno.ts';

/** The message says what is wrong and what to do about it. */
export class OwnershipError extends Error {
  override name = 'OwnershipError';
}

/** The user that this process runs as; null where the system knows no users by number. */
const OWN_UID = process.getuid?.() ?? null;
const ROOT = 0;

/**
 * Checks that a folder or file belongs to a user or to root, and that nobody else may write to it. For root that means
 * root alone: also not the user who has become root by sudo, whose other programs have not.
 * @param what names it in the message, such as "The data folder"
 * @param uid the user; without it the one that this process runs as
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
    `${what} ${path} can be changed by other users (its mode is ${octal}). Take that right from them, after a look at ` +
      `what is in it: chmod go-w ${path}`,
  );
}

/** The same as `requireOwn`, for what lies at this path. Passes when there is nothing. */
export async function requireOwnIfThere(what: string, path: string): Promise<void> {
  const entry = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (entry !== null) requireOwn(what, path, entry);
}
