/** The folder in which everything lies that outlives the process. One process at a time may use it. */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
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
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  try {
    makeFolder(folder);
    if (!statSync(folder).isDirectory()) throw new Error('it is a file');
    accessSync(folder, constants.W_OK);
    chmodSync(folder, 0o700); // An existing one may have been made with wider rights.
  } catch (error) {
    throw new Error(`LANREACH_DATA: cannot use the folder ${folder}: ${(error as Error).message}`, { cause: error });
  }
  const release = hold(folder);
  return {
    path: folder,
    database: join(folder, 'lanreach.db'),
    tokenFile: join(folder, 'api-token'),
    authority: join(folder, 'ca'),
    agent: (id) => join(folder, 'agents', id.replace(':', '-')),
    release,
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
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(`The data folder ${folder} is in use by process ${pid}. Stop it, or set LANREACH_DATA to another folder`);
    this.pid = pid;
  }
}

/**
 * Writes a file so that a reader, or the next start after a power cut, finds either the old text or the new one.
 * Only this user may read it.
 */
export function writeSafely(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}

/** The text of a file, or null when there is none. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/* ---- The lock ------------------------------------------------------------------------------------------------- */

/** A process, told apart from a later one that happens to get the same id. */
const Holder = z.object({ pid: z.int().positive(), startedAt: z.string() });
type Holder = z.infer<typeof Holder>;

const LOCK_FILE = /^lock\.(\d+)$/;
const ATTEMPTS = 20;

/**
 * The lock is the file `lock.<n>` with the greatest n, and belongs to the process that it names, as long as that one
 * lives. To take over from a dead process is to create number n + 1, which only one of several can do. A lock file is
 * never deleted while it has the greatest number (release empties it), so that a number is not used twice.
 */
function hold(folder: string): () => void {
  const me = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) ?? '' } satisfies Holder);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const latest = latestLock(folder);
    const holder = holderOf(join(folder, `lock.${latest}`));
    if (holder !== null && isAlive(holder)) throw new FolderInUse(folder, holder.pid);
    const mine = join(folder, `lock.${latest + 1}`);
    if (!createOnce(mine, me)) continue;
    // Between our look and our step others may have gone several numbers further, and have tidied up ours.
    if (latestLock(folder) !== latest + 1) {
      rmSync(mine, { force: true });
      continue;
    }
    for (const number of lockNumbers(folder)) {
      if (number <= latest) rmSync(join(folder, `lock.${number}`), { force: true });
    }
    return () => writeFileSync(mine, '');
  }
  throw new Error(`Cannot lock the data folder ${folder}: too many processes try at once`);
}

function lockNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const number = LOCK_FILE.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function latestLock(folder: string): number {
  return Math.max(0, ...lockNumbers(folder));
}

/** Creates a file together with its text, or returns false when it exists: nobody ever sees it empty. */
function createOnce(file: string, text: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function holderOf(lock: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(readFileSync(lock, 'utf8')));
  } catch {
    return null; // Released, tidied up, or written by a version that nobody runs any more.
  }
}

function isAlive({ pid, startedAt }: Holder): boolean {
  const start = startOf(pid);
  if (start !== null) return start === startedAt;
  if (startedAt !== '') return false; // It could be told once and cannot now: the process is gone.
  try {
    process.kill(pid, 0); // Without /proc a later process with the same id cannot be told from the holder.
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process was started: the boot of the host and the ticks since then. Null when it cannot be told. */
function startOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may hold blanks and parentheses itself; field 22 is counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X'; // Dead, but its parent has not asked how it died.
    return hasEnded ? null : `${boot} ${fields[19]}`;
  } catch {
    return null;
  }
}
