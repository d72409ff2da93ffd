/** Rejects files that another user created or can change. Root uses another user's state directory as that user. */
import { type Stats, statSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { provideFormat, requireFormat } from './format-file.ts';
import { isWrittenByAgent } from './layout.ts';
import { nullIfAbsent } from './optional-file.ts';

/** The message says what is wrong and what to do. */
export class OwnershipError extends Error {
  override name = 'OwnershipError';
}

const ROOT = 0;
const STATE_DIRECTORY = 'The state directory';

/**
 * Checks that a folder or file belongs to this user or to root, and that no other user may write to it. Root trusts only
 * root, and not the user who ran sudo, because that user's other programs are not root.
 * @param what names it in the message, such as "The data folder"
 * @throws {OwnershipError}
 */
export function requireOwn(what: string, path: string, entry: Stats, uid = process.geteuid?.()): void {
  if (uid === undefined) return; // A system without numeric user ids.
  if (entry.uid !== uid && entry.uid !== ROOT) {
    const owner = uid === ROOT ? 'root' : `user ${uid}`;
    throw new OwnershipError(
      `${what} ${path} belongs to user ${entry.uid} and not to ${owner}, who would have to trust what is in it. ` +
        `Start as user ${entry.uid}${uid === ROOT ? ', without sudo,' : ''} or choose another path; ` +
        `or, after a look at what is in it: chown -R ${uid} ${path}`,
    );
  }
  if ((entry.mode & 0o022) === 0) return;
  const octal = (entry.mode & 0o777).toString(8).padStart(4, '0');
  throw new OwnershipError(
    `${what} ${path} can be changed by other users (its mode is ${octal}). Check its content, then remove that permission: ` +
      `chmod go-w ${path}`,
  );
}

/** As `requireOwn`, for a path that need not exist. */
export async function requireOwnIfThere(what: string, path: string): Promise<void> {
  const entry = await nullIfAbsent(stat(path));
  if (entry !== null) requireOwn(what, path, entry);
}

/**
 * Changes nothing.
 * @throws {OwnershipError} when this process must not use the state directory
 * @throws {OtherFormat} when it has another format
 */
export async function requireOwnStateDirectory(directory: string): Promise<void> {
  await requireOwnIfThere(STATE_DIRECTORY, directory);
  requireStateFormat(directory);
}

/** Changes nothing. @throws {OtherFormat} when the state directory has another format */
export function requireStateFormat(directory: string): void {
  // By the relative path: the absolute one may lead through folders that only root may pass.
  requireFormat(`${STATE_DIRECTORY} ${resolve(directory)}`, directory, isWrittenByAgent);
}

/**
 * Creates the state directory, readable for its owner only, with its format version.
 * @throws {OwnershipError} when another user could have written into it
 * @throws {OtherFormat} when it has another format; it is left untouched then
 */
export async function prepareStateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  requireOwn(STATE_DIRECTORY, resolve(directory), await stat(directory));
  requireStateFormat(directory);
  await chmod(directory, 0o700); // An existing directory may be readable for others.
  await provideFormat(directory);
}

/**
 * Makes root the owner of the state directory, so that links in it lead nowhere new. No effect for other users, and in a
 * directory of root.
 * @returns the path of the directory from now on, and a function that makes the process root again
 */
export async function enterAsOwner(directory: string): Promise<{ path: string; leave(): void }> {
  const entry = process.geteuid?.() === ROOT ? await nullIfAbsent(stat(directory)) : null;
  if (entry === null || entry.uid === ROOT) return { path: directory, leave() {} };
  // Entered first: systemd keeps the directory of a dynamic user in a folder that only root may pass.
  process.chdir(directory);
  const { uid, gid } = statSync('.');
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([gid]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
  return {
    path: '.',
    leave() {
      process.seteuid?.(ROOT);
      process.setegid?.(ROOT);
      process.setgroups?.(groups);
      process.chdir('/');
    },
  };
}
