/**
 * Who may use a folder. Folders and files that another user created, or can change, are refused; root uses the state
 * directory of another user as that user.
 */
import { type Stats, statSync } from 'node:fs';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { provideFormat, requireFormat } from './format-file.ts';
import { isWrittenByAgent } from './layout.ts';

/** The message says what is wrong and what to do. */
export class OwnershipError extends Error {
  override name = 'OwnershipError';
}

const ROOT = 0;
const STATE_DIRECTORY = 'The state directory';

/**
 * Checks that a folder or file belongs to this user or to root, and that nobody else may write to it. For root only root
 * itself is trusted, and not the user who ran sudo, because that user's other programs are not root.
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

/** The same as `requireOwn`, for a path that need not exist. */
export async function requireOwnIfThere(what: string, path: string): Promise<void> {
  const entry = await statIfThere(path);
  if (entry !== null) requireOwn(what, path, entry);
}

/**
 * Changes nothing.
 * @throws {OwnershipError} when this process must not run an agent with the state directory
 * @throws {OtherFormat} when it was written in another format
 */
export async function requireOwnStateDirectory(directory: string): Promise<void> {
  await requireOwnIfThere(STATE_DIRECTORY, directory);
  requireStateFormat(directory);
}

/** Changes nothing. @throws {OtherFormat} when the state directory was written in another format */
export function requireStateFormat(directory: string): void {
  // Read by the path that was entered: its whole path may lead through folders that only root may pass.
  requireFormat(`${STATE_DIRECTORY} ${resolve(directory)}`, directory, isWrittenByAgent);
}

/**
 * Creates the state directory, readable for its owner only, with the number of its format.
 * @throws {OwnershipError} when another user could have written into it
 * @throws {OtherFormat} when it was written in another format; then nothing in it is touched
 */
export async function prepareStateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  requireOwn(STATE_DIRECTORY, resolve(directory), await stat(directory));
  requireStateFormat(directory);
  await chmod(directory, 0o700); // An existing directory may have been readable for others.
  await provideFormat(directory);
}

/**
 * Lets root enter the state directory of another user, and go on as that user, for whom the links that there may be in it
 * lead nowhere new. Changes nothing for other users, and in a directory of root.
 * @returns the path of the directory from now on, and a function that makes the process root again
 */
export async function enterAsOwner(directory: string): Promise<{ path: string; leave(): void }> {
  const entry = process.geteuid?.() === ROOT ? await statIfThere(directory) : null;
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

async function statIfThere(path: string): Promise<Stats | null> {
  return stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}
