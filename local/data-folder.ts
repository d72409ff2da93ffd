/** The folder with all persistent data. Only one process may use it at a time. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { provideFormat, requireFormat } from '../agent/state/format-file.ts';
import { LockedError, lockDirectory } from '../agent/state/lock.ts';
import { readIfThere } from '../agent/state/optional-file.ts';
import { OwnershipError, requireOwn, requireOwnIfThere } from '../agent/state/ownership.ts';
import { ROWS } from '../shared/backup/contents.ts';
import { OtherFormat } from '../shared/format.ts';
import type { AgentId } from '../shared/identity.ts';

/** See `state.ts`. */
export const STATE_FILE = 'state.json';
const DATABASE = 'lanreach.mdb';
const TOKEN_FILE = 'api-token';
const AUTHORITY = 'ca';
const AGENTS = 'agents';
/** What a server has written, and not the file system, or an operator for the agent. */
const OF_SERVER: ReadonlySet<string> = new Set([DATABASE, TOKEN_FILE, AUTHORITY, STATE_FILE, ROWS]);

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly tokenFile: string;
  readonly authority: string;
  /** The folder of the local agents. */
  readonly agents: string;
  /** The folder for the key and the journal of a local agent, which creates it. */
  agent(id: AgentId): string;
  /** Releases the lock of the folder. */
  release(): void;
}

/**
 * Creates the folder if missing, accessible only to this user, and locks it until `release` or the end of this process.
 * @throws {FolderInUse} if another process has locked it
 * @throws {OtherFormat} if it has another format, without a change
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const folder = resolve(path);
  try {
    makeFolder(folder);
    const entry = statSync(folder);
    if (!entry.isDirectory()) throw new Error('it is a file; expected a folder');
    requireOwn('The folder', folder, entry);
    accessSync(folder, constants.W_OK);
    requireFormat(`The data folder ${folder}`, folder, (name) => OF_SERVER.has(name));
    chmodSync(folder, 0o700); // An existing folder may be readable for others.
  } catch (error) {
    if (error instanceof OtherFormat) throw error;
    const { message } = error as Error;
    const what = error instanceof OwnershipError ? message : `cannot use the folder ${folder}: ${message}`;
    throw new Error(`LANREACH_DATA: ${what}`, { cause: error });
  }
  const lock = await lockDirectory(folder, 0).catch((error: unknown) => {
    throw error instanceof LockedError ? new FolderInUse(folder, error.pid) : error;
  });
  await provideFormat(folder);
  return {
    path: folder,
    database: join(folder, DATABASE),
    tokenFile: join(folder, TOKEN_FILE),
    authority: join(folder, AUTHORITY),
    agents: join(folder, AGENTS),
    agent: (id) => join(folder, AGENTS, id.replace(':', '-')),
    release: lock.release,
  };
}

/** Creates the parent folders too. (Node's option `recursive` loops forever below /proc, and cannot be interrupted.) */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error; // Else another process has created it.
  }
}

export class FolderInUse extends Error {
  override name = 'FolderInUse';

  constructor(folder: string, pid: number | null) {
    const holder = pid === null ? 'another process' : `process ${pid}`;
    super(`The data folder ${folder} is in use by ${holder}. Stop it, or set LANREACH_DATA to another folder`);
  }
}

/** The text of a file with a secret, or null without one. @throws {OwnershipError} if others could have written it */
export async function readSecret(file: string): Promise<string | null> {
  await requireOwnIfThere('The file', file);
  return readIfThere(file);
}
