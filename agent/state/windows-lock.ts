/**
 * The lock of a directory on Windows: a file that its holder has opened so that nobody else can, until the process ends in whatever
 * way. What the holder says of itself comes through a pipe. The name of a pipe could be taken by any user, so it is another one
 * each time, and stands in the directory as the name of an empty file.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { DRAFT_OF_LOCK, LOCK } from './layout.ts';

/** UV_FS_O_EXLOCK of libuv, for which Node.js has no name: shared with nobody. */
const EXCLUSIVE = 0x10000000;
const IN_USE: ReadonlySet<string> = new Set(['EBUSY', 'EACCES', 'EPERM']);

/**
 * @param answer for those who ask the holder
 * @returns what releases the lock; null while another process holds it
 */
export async function acquireOnWindows(directory: string, answer: () => string): Promise<(() => void) | null> {
  let file: number;
  try {
    file = openSync(join(directory, LOCK), constants.O_RDWR | constants.O_CREAT | EXCLUSIVE);
  } catch (error) {
    if (IN_USE.has(codeOf(error))) return null;
    throw error;
  }
  for (const left of await markersIn(directory)) rmSync(join(directory, left), { force: true });
  const marker = `${LOCK}.${randomBytes(8).toString('hex')}`;
  const server = createServer((socket) => {
    socket.on('error', () => {}); // The process that asked has disconnected.
    socket.end(answer(), () => socket.destroy());
  });
  // Without it nobody can ask, and the lock holds.
  server.on('error', () => {});
  server.listen(pipeNamed(marker), () => server.unref());
  writeFileSync(join(directory, marker), '');
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    server.close();
    rmSync(join(directory, marker), { force: true });
    closeSync(file);
  };
}

/** Where the holder answers; null when there is none. */
export async function pipeOf(directory: string): Promise<string | null> {
  const [marker] = await markersIn(directory);
  return marker === undefined ? null : pipeNamed(marker);
}

async function markersIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => DRAFT_OF_LOCK.test(name));
}

function pipeNamed(marker: string): string {
  return `\\\\.\\pipe\\lanreach-agent-${marker}`;
}
