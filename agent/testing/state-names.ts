import { readdir } from 'node:fs/promises';
import { LOCK_FILE } from '../state/layout.ts';

/** The names in a state directory, without those of its locks, which stay when a lock is released. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !LOCK_FILE.test(name)).sort();
}
