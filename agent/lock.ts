/** Keeps two processes from using one state directory at the same time, and so one identity and one journal. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Another process holds the state directory. */
export class LockedError extends Error {
  override name = 'LockedError';
}

export interface Lock {
  /** What whoever asks is told from now on; until then nothing. Any user of the host can ask. */
  tell(say: () => string): void;
  release(): void;
}

const TRY_EVERY_MS = 200;
const TOLD_WITHIN_MS = 1_000;
const LONGEST_ANSWER = 2_000;

/**
 * Holds a directory until `release`, or until the process ends in whatever way.
 * @param withinMs how long to wait for another holder to go: one that has lost its parent may be on its way out
 * @param what the whole of it, for an agent that runs, or just the identity in it, for whoever changes that
 * @param onWait called once, with who is in the way, when it has to be waited for
 * @throws {LockedError}
 */
export async function lockDirectory(
  directory: string,
  withinMs: number,
  { what = 'directory', onWait }: { what?: 'directory' | 'identity'; onWait?: (holder: string) => void } = {},
): Promise<Lock> {
  // A socket in Linux's abstract namespace is the one lock that the kernel takes back from a process that was killed.
  if (platform() !== 'linux') return { tell: () => {}, release: () => {} };
  const name = await socketOf(directory, what);
  const holder =
    what === 'directory'
      ? `Another agent is running with the state in ${directory}`
      : `Another process is changing the identity in ${directory}`;
  const giveUpAt = performance.now() + withinMs;
  let say = () => '';
  for (let isFirst = true; ; isFirst = false) {
    const server = await listen(name, () => say());
    if (server !== null) {
      return {
        tell(answer) {
          say = answer;
        },
        release: () => server.close(),
      };
    }
    if (performance.now() >= giveUpAt) throw new LockedError(holder);
    if (isFirst) onWait?.(holder);
    await sleep(TRY_EVERY_MS);
  }
}

/** What the holder of a directory tells of itself; null when there is none, or it tells nothing. */
export async function askHolder(directory: string): Promise<string | null> {
  if (platform() !== 'linux') return null;
  const socket = connect(await socketOf(directory, 'directory')).setEncoding('utf8');
  const timer = setTimeout(() => socket.destroy(), TOLD_WITHIN_MS);
  let answer = '';
  try {
    for await (const text of socket) {
      answer += text;
      if (answer.length > LONGEST_ANSWER) return null;
    }
    return answer || null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function socketOf(directory: string, what: 'directory' | 'identity'): Promise<string> {
  const digest = createHash('sha256')
    .update(await realpath(directory))
    .digest('hex');
  return `\0lanreach-agent-${what === 'directory' ? '' : `${what}-`}${digest}`;
}

/** Null when the name is taken. */
async function listen(name: string, say: () => string): Promise<Server | null> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // Whoever asked did not wait.
    socket.end(say(), () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(name, () => resolve(server.unref()));
  });
}
