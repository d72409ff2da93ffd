/**
 * Writes agent/discovery/vendor-table.json from the package oui-data: the vendors to which the IEEE has assigned MAC
 * addresses. Run `npm run vendors` after an update of that package, and commit the result.
 *
 * The table is checked in, because packages have no install scripts, and the agent also runs from its sources. It is a text
 * of sorted lines, prefix and vendor, which the agent searches without parsing: see agent/discovery/vendor.ts.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

/** Placeholders for a vendor: of blocks that are assigned in parts, and of private assignments. */
const PLACEHOLDERS = new Set(['IEEE Registration Authority', 'Private']);

const vendors = require('oui-data');
const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const lines = Object.entries(vendors)
  // The address of the vendor follows on the next lines.
  .map(([prefix, text]) => [prefix, text.split('\n')[0].replace(/\s+/g, ' ').trim()])
  .filter(([, vendor]) => vendor !== '' && !PLACEHOLDERS.has(vendor))
  .map(([prefix, vendor]) => `${prefix}\t${vendor}\n`)
  .sort();
const text = Buffer.from(lines.join(''));
const table = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
const content = { source: `oui-data ${dependencies['oui-data']}`, table: table.toString('base64') };
await writeFile(join(root, 'agent', 'discovery', 'vendor-table.json'), `${JSON.stringify(content, null, 2)}\n`);
console.log(`${lines.length} prefixes, ${text.length} bytes, ${table.length} compressed`);
