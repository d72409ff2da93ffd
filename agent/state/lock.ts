/**
 * Prevents two processes from using the same directory, and with it the same identity, journal or database.
 *
 * The lock is a Unix socket in the directory on which its holder listens. The kernel refuses connections from the moment
 * the holder ends, in whatever way, and a later process with the same id cannot be mistaken for it. This also works
 * between users, containers and PID namespaces. Only root and the owner of the directory (mode 0700) reach the socket.
 *
 * A file with a process id would mean nothing in another container, and would outlive a killed process. An abstract
 * socket has no owner: any user of the host could take its name and so prevent the agent from starting.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson } from '../../shared/json.ts';
import { DRAFT_OF_LOCK, LOCK } from './layout.ts';
import { isListening, withShortPath } from './lock-socket.ts';
import { nullIfAbsent } from './optional-file.ts';

export class LockedError extends Error {
  override name = 'LockedError';
  /** The holder; null when it does not respond in time. */
  readonly pid: number | null;

  constructor(message: string, pid: number | null) {
    super(message);
    this.pid = pid;
  }
}

export interface Lock {
  /** Sets the status that the holder reports to other processes; empty at first. */
  setStatus(status: () => string): void;
  release(): void;
}

const Holder = z.object({ pid: z.int().positive(), status: z.string() });
type Holder = z.infer<typeof Holder>;

const LONGEST_ANSWER = 2_000;
/** Bound of the attempts that collide with those of other processes. */
const ATTEMPTS = 100;

/**
 * Locks a directory until `release` or the end of the process.
 * @param withinMs how long to wait for another holder, which may be about to end
 * @param onWait called once before a wait, with a sentence about the holder
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
      const setStatus = (current: () => string) => {
        status = current;
      };
      return { setStatus, release };
    }
    if (performance.now() >= giveUpAt) throw new LockedError(holder, (await queryHolder(directory))?.pid ?? null);
    if (isFirst) onWait?.(holder);
    await sleep(200);
  }
}

/** The report of the holder of a directory's lock; null when there is none, or it does not respond. */
export async function queryHolder(directory: string): Promise<Holder | null> {
  const text = await withShortPath(directory, (path) => read(join(path, LOCK))).catch(() => null);
  return Holder.safeParse(parseJson(text ?? '')).data ?? null;
}

/**
 * Listens on a socket of its own, a draft, and checks all others after that. So of two concurrent processes, at least one
 * sees the other, and retries after a pause. If no other socket is in use, the draft takes the name of the lock, in place
 * of a stale one.
 * @returns the function that releases the lock; null while another process holds it
 */
async function acquire(directory: string, answer: () => string): Promise<(() => void) | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draft = `${LOCK}.${randomBytes(8).toString('hex')}`;
    const server = await listen(join(directory, draft), answer);
    const others = (await readdir(directory)).filter((name) => DRAFT_OF_LOCK.test(name) && name !== draft);
    const inUse = await Promise.all(others.map((name) => isListening(join(directory, name))));
    // Checked after the drafts, because a draft becomes the lock.
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

/** Returns false when another process removed the draft as stale, before this one listened on it. */
async function takeName(directory: string, draft: string): Promise<boolean> {
  return (await nullIfAbsent(rename(join(directory, draft), join(directory, LOCK)).then(() => true))) ?? false;
}

/** Rejects when the file system does not support sockets. */
async function listen(path: string, answer: () => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // The other process has disconnected.
    socket.end(answer(), () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.on('error', (error) => {
      reject(new Error(`Cannot lock with the socket ${path}: ${error.message}`, { cause: error }));
    });
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Everything that arrives over a connection; null when that takes too long or is too much. */
async function read(path: string): Promise<string | null> {
  const socket = connect(path).setEncoding('utf8');
  const timer = setTimeout(() => socket.destroy(new Error('no answer')), 1_000);
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
