/** Files that may not be there. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';

/** The text of a file, or null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The content of a file; null without one, and with one that cannot be read, of which the log then has `problem`. */
export async function readStored<T>(
  path: string,
  schema: z.ZodType<T>,
  log: Pick<Logger, 'error'>,
  problem: string,
): Promise<T | null> {
  const text = await readIfThere(path);
  try {
    return text === null ? null : schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 300) : String(error);
    log.error({ path, reason }, problem);
    return null;
  }
}
