/** The folder in which everything lies that outlives the process. One process at a time may use it. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { LockedError, lockDirectory } from '../agent/state/lock.ts';
import { readIfThere } from '../agent/state/optional-file.ts';
import { OwnershipError, requireOwn, requireOwnIfThere } from '../agent/state/ownership.ts';
import type { AgentId } from '../shared/identity.ts';

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly tokenFile: string;
  readonly authority: string;
  /** The folder in which a local agent keeps its key and its journal. It is made by the agent. */
  agent(id: AgentId): string;
  /** Lets another process use the folder. */
  release(): void;
}

/**
 * Makes the folder where it is missing, for this user alone, and holds it until it is released or this process ends,
 * however it ends.
 * @throws {FolderInUse} when another process holds it
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const folder = resolve(path);
  try {
    makeFolder(folder);
    const entry = statSync(folder);
    if (!entry.isDirectory()) throw new Error('it is a file');
    requireOwn('The folder', folder, entry);
    accessSync(folder, constants.W_OK);
    chmodSync(folder, 0o700); // Others may have been allowed to read it.
  } catch (error) {
    const { message } = error as Error;
    const what = error instanceof OwnershipError ? message : `cannot use the folder ${folder}: ${message}`;
    throw new Error(`LANREACH_DATA: ${what}`, { cause: error });
  }
  const lock = await lockDirectory(folder, 0).catch((error: unknown) => {
    throw error instanceof LockedError ? new FolderInUse(folder, error.pid) : error;
  });
  return {
    path: folder,
    database: join(folder, 'lanreach.db'),
    tokenFile: join(folder, 'api-token'),
    authority: join(folder, 'ca'),
    agent: (id) => join(folder, 'agents', id.replace(':', '-')),
    release: lock.release,
  };
}

/** With the folders above it. (With `recursive`, Node tries for ever below /proc, and cannot be interrupted.) */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error; // Otherwise another process was quicker.
  }
}

export class FolderInUse extends Error {
  override name = 'FolderInUse';

  constructor(folder: string, pid: number | null) {
    const holder = pid === null ? 'another process' : `process ${pid}`;
    super(`The data folder ${folder} is in use by ${holder}. Stop it, or set LANREACH_DATA to another folder`);
  }
}

/**
 * The text of a file that holds a secret, or null when there is none.
 * @throws {OwnershipError} when others could have written it
 */
export async function readSecret(file: string): Promise<string | null> {
  await requireOwnIfThere('The file', file);
  return readIfThere(file);
}
