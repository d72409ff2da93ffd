/**
 * Writes docs/openapi.json, docs/asyncapi.json and docs/errors.md from the sources. Run `npm run specification` after a
 * change of the tables in shared/, and commit what has changed: specification/documents.test.ts compares them.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist', 'specification');
const files = await readdir(join(root, 'shared', 'api'));
const tables = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).sort();

await build({
  absWorkingDir: root,
  entryPoints: ['specification/documents.ts', ...tables.map((file) => `shared/api/${file}`)],
  outdir: output,
  outbase: root,
  bundle: true,
  splitting: true, // One copy of each schema, whichever entry it is reached from.
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const bundle = (file) => import(pathToFileURL(join(output, file.replace(/\.ts$/, '.js'))));
const { documents } = await bundle('specification/documents.ts');
const modules = await Promise.all(tables.map((file) => bundle(`shared/api/${file}`)));
for (const [path, text] of Object.entries(documents(modules))) {
  await writeFile(join(root, path), text);
  console.log(`${path}: ${text.length} characters`);
}
