/**
 * Writes docs/openapi.json, docs/asyncapi.json and docs/errors.md from the sources. Run `npm run specification` after a
 * change of the tables in shared/, and commit the result: scripts/specification/documents.test.ts compares them.
 *
 * With `--record`, for a release, what later versions must keep is recorded instead: docs/compatibility.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSources } from './files.mjs';

const sources = ['documents', 'compatibility'].map((name) => `export * from './scripts/specification/${name}.ts';`);
const { documents, recordOf, surface } = await importSources(sources.join('\n'), 'specification.js');
const texts = process.argv.includes('--record') ? recordOf(await surface()) : documents();
for (const [path, text] of Object.entries(texts)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(`${path}: ${text.length} characters`);
}
