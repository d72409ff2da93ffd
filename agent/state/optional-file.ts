/** Files that may be absent. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type * as z from 'zod';
import { nullIfMissing } from '../../shared/errno.ts';

/** The result of a file operation; null when the file does not exist. */
export async function nullIfAbsent<T>(operation: Promise<T>): Promise<T | null> {
  return operation.catch(nullIfMissing);
}

export async function readIfThere(path: string): Promise<string | null> {
  return nullIfAbsent(readFile(path, 'utf8'));
}

/** The content of a file; null without one, and for an invalid one, which is logged as `problem`. */
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
