/**
 * Writes docs/openapi.json, docs/asyncapi.json and docs/errors.md from the sources. Run `npm run specification` after a
 * change of the tables in shared/, and commit the result: scripts/specification/documents.test.ts compares them.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { importSources } from './files.mjs';

const { documents } = await importSources(`export * from './scripts/specification/documents.ts'`, 'specification.js');
for (const [path, text] of Object.entries(documents())) {
  await writeFile(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
  console.log(`${path}: ${text.length} characters`);
}
