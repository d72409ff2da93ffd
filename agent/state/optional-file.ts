/** Files that may not be there. */
import { readFile } from 'node:fs/promises';
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
