/** Folders for tests, which go when the test is over. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK_FILE } from '../../agent/state/layout.ts';

export interface TestFolder extends AsyncDisposable {
  path: string;
}

export async function makeTestFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), 'lanreach-agent-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** The names in a state directory, without those of its locks, which stay when a lock is released. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !LOCK_FILE.test(name)).sort();
}
