/**
 * Keeps two processes from using one directory at the same time, and so one identity, one journal or one database.
 *
 * A lock is a Unix socket in the directory on which its holder listens. Whether the holder lives is asked of the kernel, by
 * connecting: it refuses connections from the moment in which the process ends, in whatever way, and no other process
 * that gets the same number can be taken for it. This also holds between users, containers and processes that cannot
 * see each other in /proc. Nobody but the owner of the directory, whose mode is 0700, and root can get at the socket.
 *
 * A file with a process id would mean nothing to another container, and outlive a process that was killed. An abstract
 * socket has no owner: any user of the host could take its name and so keep the agent from starting.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readdir, realpath, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';

/** Another process holds the directory. */
export class LockedError extends Error {
  override name = 'LockedError';
  /** The process that holds it; null when it does not say so in time. */
  readonly pid: number | null;

  constructor(message: string, pid: number | null) {
    super(message);
    this.pid = pid;
  }
}

export interface Lock {
  /** Whoever asks the holder is given this text from now on; until then the empty one. */
  tell(say: () => string): void;
  release(): void;
}

/** What the holder of a lock says of itself. */
export interface Holder {
  pid: number;
  said: string;
}

const Answer = z.object({ pid: z.int().positive(), said: z.string() });

const TRY_EVERY_MS = 200;
const ANSWER_WITHIN_MS = 1_000;
const LONGEST_ANSWER = 2_000;
/** Tries that other starters may spoil in a row: each spoils one of ours at the most. */
const ATTEMPTS = 100;

/** Begins the names of locks (see `LOCK_FILE`). */
const PREFIX = 'lock';

/**
 * Holds a directory until `release`, or until the process ends in whatever way.
 * @param withinMs how long to wait for another holder to go: one that has lost its parent may be on its way out
 * @param onWait called once, with who is in the way, when it has to be waited for
 * @throws {LockedError}
 */
export async function lockDirectory(
  directory: string,
  withinMs: number,
  { onWait }: { onWait?: (holder: string) => void } = {},
): Promise<Lock> {
  const holder = `Another agent is running with the state in ${directory}`;
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

/** What the holder of a directory says of itself; null when there is none, or it does not answer. */
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
 * from a dead process is to make number n + 1, which only one of several can do: the socket is made under another name,
 * listens, and is then given its number by a link, so nobody ever sees it dead before its time. The file with the
 * greatest number is never deleted, also not by its release, so no number is used twice.
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
    // Between our look and our step others may have gone several numbers further, and have removed ours.
    const isLatest = isMade && latestOf(await readdir(folder.path)) === latest + 1;
    if (isLatest) {
      await removeDead(folder, latest);
      return server;
    }
    server.close();
    if (isMade) await attemptTo(() => unlink(mine));
  }
  throw new Error(`Cannot lock ${folder.path}: too many processes try at once`);
}

/** Removes the locks before this one, and what processes have left that were killed while they took one. */
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

/** Whether it worked; not when another process has been quicker. */
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
  /** Of a socket in it, for the calls that take no long path. */
  pathOf(name: string): string;
}

/** An address of a socket holds 108 bytes on Linux and 104 on macOS. */
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

/** Rejects when the file system takes no sockets. */
async function listen(path: string, say: () => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // Whoever asked did not wait.
    socket.end(JSON.stringify({ pid: process.pid, said: say() } satisfies Holder), () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`Cannot lock with the socket ${path}: ${error.message}`, { cause: error }));
    });
    // Any user who gets into the directory may connect: root makes locks in directories of other users. Here and not by
    // `chmod`, which would follow a link that one of them puts in the place of the socket. Node.js makes it at once.
    const mask = process.umask(0);
    try {
      server.listen(path, () => resolve(server.unref()));
    } finally {
      process.umask(mask);
    }
  });
}

/** ECONNRESET: it ended between the connection and its acceptance. */
const GONE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT']);

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      // A process that is stopped has a full queue at last (EAGAIN), and whoever may not connect cannot know.
      socket.once('error', (error) => resolve(!GONE.has(codeOf(error))));
    });
  } finally {
    socket.destroy();
  }
}

/** All that is said over a connection; null when it is not over in time, or too long. */
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
