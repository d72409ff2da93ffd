/**
 * Writes cdk/stateful-resources.json, the resources that an upgrade must keep, from the stacks as they are now. Run `npm run
 * stateful-resources` when a resource was added, or when a deployment is meant to replace or delete one, and commit
 * what has changed: cdk/stack.system.test.ts compares the two.
 */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Two folders below the root, as the sources are, which find the root by their own place.
const program = join(root, 'dist', 'stateful-resources', 'program.mjs');

await build({
  absWorkingDir: root,
  stdin: {
    contents: `export { synthesize } from './test/cdk/synthesize.ts';`,
    resolveDir: root,
  },
  outfile: program,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const { synthesize } = await import(pathToFileURL(program));
const { stateful } = synthesize();
await writeFile(join(root, 'cdk', 'stateful-resources.json'), `${JSON.stringify(stateful, null, 2)}\n`);
console.log(`${Object.values(stateful).flatMap(Object.keys).length} resources`);
