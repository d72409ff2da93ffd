/** The bundle of a function, made once for all files of a test run: each takes half a second of a processor or more. */
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunction } from '../../cdk/bundle-function.ts';

/** Set by the runner of the tests: a folder that is there as long as the run. */
export const BUNDLES_FOLDER = 'LANREACH_TEST_BUNDLES';

/** As {@link bundleFunction}. */
export function bundledFunction(root: string, group: string, output: string): void {
  const folder = process.env[BUNDLES_FOLDER];
  if (folder === undefined) {
    bundleFunction(root, group, output);
    return;
  }
  const bundle = join(folder, group);
  if (!existsSync(bundle)) {
    const draft = `${bundle}.${process.pid}`;
    bundleFunction(root, group, draft);
    try {
      renameSync(draft, bundle);
    } catch {
      rmSync(draft, { recursive: true }); // Another worker has made it meanwhile.
    }
  }
  cpSync(bundle, output, { recursive: true });
}
