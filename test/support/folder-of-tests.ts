import { afterEach, beforeEach } from 'vitest';
import { makeTestFolder, type TestFolder } from './test-folder.ts';

/** A folder of its own for each test of a file; it goes after what the file itself does behind its tests. */
export function folderOfEachTest(): { readonly path: string } {
  let folder: TestFolder;
  beforeEach(() => {
    folder = makeTestFolder();
  });
  afterEach(() => folder.remove());
  return {
    get path() {
      return folder.path;
    },
  };
}
