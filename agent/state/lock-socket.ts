/** The socket that locks a state directory. Without zod, for the launcher. */
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { LOCK } from './layout.ts';

/** A socket address has room for 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100;

/** Calls a function with a path of the directory that is short enough for the addresses of sockets. */
export async function withShortPath<T>(directory: string, act: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(join(directory, `${LOCK}.${'0'.repeat(16)}`)) <= LONGEST_PATH) return act(directory);
  await using handle = await open(directory);
  return await act(`/proc/self/fd/${handle.fd}`);
}

export async function isLocked(directory: string): Promise<boolean> {
  return withShortPath(directory, (path) => isListening(join(path, LOCK)));
}

/** ECONNRESET: the process ended between the connection and its acceptance. */
const GONE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT']);

export async function isListening(path: string): Promise<boolean> {
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
