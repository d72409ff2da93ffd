/**
 * Prevents two processes from using the same directory, and with it the same identity, journal or database.
 *
 * The lock is a Unix socket in the directory on which its holder listens. A process that wants the lock connects to it:
 * the kernel refuses the connection from the moment in which the holder ends, in whatever way, and a later process with
 * the same id cannot be mistaken for it. This also works between users, containers and processes that cannot see each
 * other in /proc. Only root and the owner of the directory, whose mode is 0700, can reach the socket.
 *
 * A file with a process id would mean nothing in another container, and would outlive a process that was killed. An
 * abstract socket has no owner: any user of the host could take its name and so keep the agent from starting.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { DRAFT_OF_LOCK, LOCK } from './layout.ts';
import { isListening, withShortPath } from './lock-socket.ts';

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
  setStatus(status: () => string): void;
  release(): void;
}

/** What the holder of a lock reports about itself. */
const Holder = z.object({ pid: z.int().positive(), status: z.string() });
type Holder = z.infer<typeof Holder>;

const TRY_EVERY_MS = 200;
const ANSWER_WITHIN_MS = 1_000;
const LONGEST_ANSWER = 2_000;
/** Attempts that fail because another process tries at the same time. */
const ATTEMPTS = 100;

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
  const holder = `Another agent is running with the state directory ${resolve(directory)}`;
  const giveUpAt = performance.now() + withinMs;
  let status = () => '';
  for (let isFirst = true; ; isFirst = false) {
    const answer = () => JSON.stringify({ pid: process.pid, status: status() } satisfies Holder);
    const release = await withShortPath(directory, (path) => acquire(path, answer));
    if (release !== null) {
      return {
        setStatus(current) {
          status = current;
        },
        release,
      };
    }
    if (performance.now() >= giveUpAt) throw new LockedError(holder, (await askHolder(directory))?.pid ?? null);
    if (isFirst) onWait?.(holder);
    await sleep(TRY_EVERY_MS);
  }
}

/** What the holder of a directory's lock reports about itself; null when there is none, or it does not answer. */
export async function askHolder(directory: string): Promise<Holder | null> {
  const text = await withShortPath(directory, (path) => read(join(path, LOCK))).catch(() => null);
  return Holder.safeParse(parseJson(text ?? '')).data ?? null;
}

/**
 * A process that wants the lock listens on a socket of its own, a draft, and looks at all others after that. So of two
 * that try at once, at least one sees the other, and tries again after a pause. Who sees nobody that listens gives its
 * draft the name of the lock, in the place of one that is left over.
 * @returns what releases the lock; null while another process holds it
 */
async function acquire(directory: string, answer: () => string): Promise<(() => void) | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draft = `${LOCK}.${randomBytes(8).toString('hex')}`;
    const server = await listen(join(directory, draft), answer);
    const others = (await readdir(directory)).filter((name) => DRAFT_OF_LOCK.test(name) && name !== draft);
    const inUse = await Promise.all(others.map((name) => isListening(join(directory, name))));
    // Looked at after the drafts, because a draft becomes the lock.
    const isHeld = await isListening(join(directory, LOCK));
    if (!isHeld && !inUse.includes(true) && (await takeName(directory, draft))) {
      for (const name of others) await rm(join(directory, name), { force: true });
      return () => server.close();
    }
    server.close(); // Also removes the draft.
    if (isHeld) return null;
    await sleep(5 + 20 * Math.random());
  }
  throw new Error(`Cannot lock ${directory}: too many processes try to lock it at once`);
}

/** Returns false when another process took the draft for one that is left over, before this one listened on it. */
async function takeName(directory: string, draft: string): Promise<boolean> {
  try {
    await rename(join(directory, draft), join(directory, LOCK));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Rejects when the file system does not support sockets. */
async function listen(path: string, answer: () => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // The process that asked has disconnected.
    socket.end(answer(), () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.on('error', (error) => {
      reject(new Error(`Cannot lock with the socket ${path}: ${error.message}`, { cause: error }));
    });
    server.listen(path, () => resolve(server.unref()));
  });
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
