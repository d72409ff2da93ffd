/** Programs of tests, as one file each that runs on every supported Node. */
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * @param folder within the project for a program with `external` packages, which are found there
 * @returns path of the program
 */
export async function bundleProgram(entry: string, folder: string, external: string[] = []): Promise<string> {
  const outfile = join(folder, `${basename(entry, '.ts')}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    external,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    alias: { 'readable-stream': 'stream' },
    mainFields: ['module', 'main'],
    // CommonJS packages inside an ES module call `require`, which is not there by itself.
    banner: {
      js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
    },
  });
  return outfile;
}
