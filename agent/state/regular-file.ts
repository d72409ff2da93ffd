/** Files that people or other programs write, read as a whole and within a bound. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';

/** @throws {Error} when it cannot be read, is no file, or is larger than `maxBytes` */
export async function readRegularFile(path: string, maxBytes: number, isPrivate = false): Promise<string> {
  // Non-blocking: opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error('it is no file');
    if (isPrivate && (stats.mode & 0o077) !== 0) {
      throw new Error(`others may read or write it; chmod 600 ${resolve(path)}`);
    }
    if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
