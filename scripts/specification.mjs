/**
 * Writes docs/openapi.json, docs/asyncapi.json and docs/errors.md from the sources. Run `npm run specification` after a
 * change of the tables in shared/, and commit what has changed: scripts/specification/documents.test.ts compares them.
 */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist', 'specification.js');

await build({
  absWorkingDir: root,
  entryPoints: ['scripts/specification/documents.ts'],
  outfile: output,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const { documents } = await import(pathToFileURL(output));
for (const [path, text] of Object.entries(documents())) {
  await writeFile(join(root, path), text);
  console.log(`${path}: ${text.length} characters`);
}
