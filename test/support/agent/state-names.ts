import { readdir } from 'node:fs/promises';
import { isLock } from '../../../agent/state/layout.ts';

/** The names in a state directory, without those of its locks, which stay when a lock is released. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !isLock(name)).sort();
}
