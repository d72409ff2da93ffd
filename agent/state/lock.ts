/**
 * Prevents two processes from using the same directory, and with it the same identity, journal or database.
 *
 * A lock is a Unix socket in the directory on which its holder listens. A process that wants the lock connects to it:
 * the kernel refuses the connection from the moment in which the holder ends, in whatever way, and a later process with
 * the same id cannot be mistaken for it. This also works between users, containers and processes that cannot see each
 * other in /proc. Only root and the owner of the directory, whose mode is 0700, can reach the socket.
 *
 * A file with a process id would mean nothing in another container, and would outlive a process that was killed. An
 * abstract socket has no owner: any user of the host could take its name and so keep the agent from starting.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, realpath, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';

/** Another process holds the lock of the directory. */
export class LockedError extends Error {
  override name = 'LockedError';
  /** The process that holds it; null when it does not answer in time. */
  readonly pid: number | null;

  constructor(message: string, pid: number | null) {
    super(message);
    this.pid = pid;
  }
}

export interface Lock {
  /** Sets the text that is sent to processes that ask the holder; it is empty at first. */
  tell(say: () => string): void;
  release(): void;
}

/** What the holder of a lock reports about itself. */
export interface Holder {
  pid: number;
  said: string;
}

const Answer = z.object({ pid: z.int().positive(), said: z.string() });

const TRY_EVERY_MS = 200;
const ANSWER_WITHIN_MS = 1_000;
const LONGEST_ANSWER = 2_000;
/** Failed attempts in a row before giving up; each is caused by another process that wants the lock. */
const ATTEMPTS = 100;

/** Prefix of the names of locks (see `LOCK_FILE`). */
const PREFIX = 'lock';

/**
 * Locks a directory until `release`, or until the process ends in whatever way.
 * @param withinMs how long to wait for another holder, which may be about to end
 * @param onWait called once, with the name of the holder, if there is one to wait for
 * @throws {LockedError}
 */
export async function lockDirectory(
  directory: string,
  withinMs: number,
  { onWait }: { onWait?: (holder: string) => void } = {},
): Promise<Lock> {
  const holder = `Another agent is running with the state directory ${directory}`;
  const giveUpAt = performance.now() + withinMs;
  let say = () => '';
  for (let isFirst = true; ; isFirst = false) {
    const server = await inFolder(directory, (folder) => acquire(folder, () => say()));
    if (server !== null) {
      return {
        tell(answer) {
          say = answer;
        },
        release: () => server.close(),
      };
    }
    if (performance.now() >= giveUpAt) {
      const answer = await askHolder(directory);
      throw new LockedError(holder, answer?.pid ?? null);
    }
    if (isFirst) onWait?.(holder);
    await sleep(TRY_EVERY_MS);
  }
}

/** What the holder of a directory's lock reports about itself; null when there is none, or it does not answer. */
export async function askHolder(directory: string): Promise<Holder | null> {
  const text = await inFolder(directory, async (folder) => {
    const latest = latestOf(await readdir(directory));
    return latest === 0 ? null : read(folder.pathOf(`${PREFIX}.${latest}`));
  }).catch(() => null);
  try {
    return Answer.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}

/* ---- How it is taken ------------------------------------------------------------------------------------------ */

/**
 * The lock is the socket `lock.<n>` with the greatest n, and belongs to the process that listens on it. To take over
 * from a process that has ended is to create number n + 1, which only one of several can do: the socket is created
 * under another name, listens, and is then hard-linked to its number, so that nobody sees it before it listens. The
 * file with the greatest number is never deleted, not even when the lock is released, so that no number is used twice.
 * @returns null while another process holds it
 */
async function acquire(folder: Folder, say: () => string): Promise<Server | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const latest = latestOf(await readdir(folder.path));
    if (latest > 0 && (await isListening(folder.pathOf(`${PREFIX}.${latest}`)))) return null;
    const draft = `${PREFIX}.new-${randomBytes(8).toString('hex')}`;
    const server = await listen(folder.pathOf(draft), say);
    const mine = join(folder.path, `${PREFIX}.${latest + 1}`);
    const isMade = await attemptTo(() => link(join(folder.path, draft), mine));
    await attemptTo(() => unlink(join(folder.path, draft)));
    // Since the directory was read, others may have gone several numbers further, and removed this one.
    const isLatest = isMade && latestOf(await readdir(folder.path)) === latest + 1;
    if (isLatest) {
      await removeDead(folder, latest);
      return server;
    }
    server.close();
    if (isMade) await attemptTo(() => unlink(mine));
  }
  throw new Error(`Cannot lock ${folder.path}: too many processes try to lock it at once`);
}

/** Removes the locks before this one, and files of processes that were killed while they took one. */
async function removeDead(folder: Folder, upTo: number): Promise<void> {
  for (const name of await readdir(folder.path)) {
    const number = numberOf(name);
    const isDraft = name.startsWith(`${PREFIX}.new-`);
    const isOver = number !== null ? number <= upTo : isDraft && !(await isListening(folder.pathOf(name)));
    if (isOver) await attemptTo(() => unlink(join(folder.path, name)));
  }
}

function latestOf(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => numberOf(name) ?? 0));
}

function numberOf(name: string): number | null {
  if (!name.startsWith(`${PREFIX}.`)) return null;
  const number = /^\d{1,15}$/.exec(name.slice(PREFIX.length + 1))?.[0];
  return number === undefined ? null : Number(number);
}

/** Whether the step succeeded; false when another process was faster. */
async function attemptTo(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(codeOf(error))) return false;
    throw error;
  }
}

/* ---- Its socket ----------------------------------------------------------------------------------------------- */

interface Folder {
  path: string;
  /** Path of a socket in the folder, short enough for a socket address. */
  pathOf(name: string): string;
}

/** A socket address has room for 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100;

async function inFolder<T>(directory: string, act: (folder: Folder) => Promise<T>): Promise<T> {
  const path = await realpath(directory);
  const longestName = `${PREFIX}.new-${'0'.repeat(16)}`;
  if (Buffer.byteLength(join(path, longestName)) <= LONGEST_PATH) {
    return act({ path, pathOf: (name) => join(path, name) });
  }
  let handle: FileHandle | null = null;
  try {
    handle = await open(path);
    const opened = `/proc/self/fd/${handle.fd}`;
    return await act({ path, pathOf: (name) => `${opened}/${name}` });
  } finally {
    await handle?.close();
  }
}

/** Rejects when the file system does not support sockets. */
async function listen(path: string, say: () => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // The process that asked has disconnected.
    socket.end(JSON.stringify({ pid: process.pid, said: say() } satisfies Holder), () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.on('error', (error) => {
      reject(new Error(`Cannot lock with the socket ${path}: ${error.message}`, { cause: error }));
    });
    // Every user who can enter the directory may connect, because root creates locks in directories of other users. Set
    // by umask and not by `chmod`, which would follow a link that such a user puts in the socket's place. Node.js
    // creates the socket synchronously.
    const mask = process.umask(0);
    try {
      server.listen(path, () => resolve(server.unref()));
    } finally {
      process.umask(mask);
    }
  });
}

/** ECONNRESET: the process ended between the connection and its acceptance. */
const GONE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT']);

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      // EAGAIN (the full queue of a stopped process) and EACCES do not prove that the holder has ended.
      socket.once('error', (error) => resolve(!GONE.has(codeOf(error))));
    });
  } finally {
    socket.destroy();
  }
}

/** Everything that is received over a connection; null when that takes too long or is too much. */
async function read(path: string): Promise<string | null> {
  const socket = connect(path).setEncoding('utf8');
  const timer = setTimeout(() => socket.destroy(new Error('no answer')), ANSWER_WITHIN_MS);
  let answer = '';
  try {
    for await (const text of socket) {
      answer += text;
      if (answer.length > LONGEST_ANSWER) return null;
    }
    return answer;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
