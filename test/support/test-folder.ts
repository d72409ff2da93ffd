/** Folders for tests, which go when the test is over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a block (`await using`, or `using` where nothing is asynchronous), or for a hook of vitest, which calls `remove`. */
export interface TestFolder extends Disposable, AsyncDisposable {
  path: string;
  /** Removes the folder with everything in it, once processes that are ending have written their last files. */
  remove(): Promise<void>;
}

/** @param parent for programs that only run within a certain folder */
export function makeTestFolder(parent = tmpdir()): TestFolder {
  const path = mkdtempSync(join(parent, 'lanreach-test-'));
  const options = { recursive: true, force: true, maxRetries: 5 };
  const remove = () => rm(path, options);
  return { path, remove, [Symbol.asyncDispose]: remove, [Symbol.dispose]: () => rmSync(path, options) };
}
