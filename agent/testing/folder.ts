/** Folders for tests, which go when the test is over. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestFolder extends AsyncDisposable {
  path: string;
}

export async function makeTestFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), 'lanreach-agent-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
