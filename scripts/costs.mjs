/**
 * Prints the tables of costs in DEPLOY.md and those of docs/scale.md, computed from the stack as it would be deployed. Run
 * `npm run costs` after a change of the stack, and copy what has changed: bench/scale/tables.system.test.ts compares them.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist', 'costs.js');
await build({
  absWorkingDir: root,
  entryPoints: ['bench/scale/main.ts'],
  outfile: program,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
process.chdir(root);
await import(pathToFileURL(program).href);
