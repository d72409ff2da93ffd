/** Keeps two processes from using one state directory at the same time, and so one identity and one journal. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { platform } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Another process holds the state directory. */
export class LockedError extends Error {
  override name = 'LockedError';
}

const TRY_EVERY_MS = 200;

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
): Promise<{ release(): void }> {
  // A socket in Linux's abstract namespace is the one lock that the kernel takes back from a process that was killed.
  if (platform() !== 'linux') return { release: () => {} };
  const digest = createHash('sha256')
    .update(await realpath(directory))
    .digest('hex');
  const name = `\0lanreach-agent-${what === 'directory' ? '' : `${what}-`}${digest}`;
  const holder =
    what === 'directory'
      ? `Another agent is running with the state in ${directory}`
      : `Another process is changing the identity in ${directory}`;
  const giveUpAt = performance.now() + withinMs;
  for (let isFirst = true; ; isFirst = false) {
    const server = await listen(name);
    if (server !== null) return { release: () => server.close() };
    if (performance.now() >= giveUpAt) throw new LockedError(holder);
    if (isFirst) onWait?.(holder);
    await sleep(TRY_EVERY_MS);
  }
}

/** Null when the name is taken. */
async function listen(name: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(name, () => resolve(server.unref()));
  });
}
