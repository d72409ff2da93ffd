/**
 * Makes agent/discovery/vendor-table.json from the package oui-data: which vendor the IEEE has given which MAC
 * addresses. Run `npm run vendors` after that package has been updated, and commit what has changed.
 *
 * The table is checked in, because nothing runs while packages are installed, and because the agent is one file that
 * runs from its sources, too. It is a text of sorted lines, prefix and vendor, of which the agent parses nothing: it
 * searches the text. See agent/discovery/vendor.ts.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

/** Who stands there in the place of a vendor: blocks that are given in parts, and vendors who are not told. */
const NOBODY = new Set(['IEEE Registration Authority', 'Private']);

const vendors = require('oui-data');
const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const lines = Object.entries(vendors)
  // Behind the vendor stands its address.
  .map(([prefix, text]) => [prefix, text.split('\n')[0].replace(/\s+/g, ' ').trim()])
  .filter(([, vendor]) => vendor !== '' && !NOBODY.has(vendor))
  .map(([prefix, vendor]) => `${prefix}\t${vendor}\n`)
  .sort();
const text = Buffer.from(lines.join(''));
const table = brotliCompressSync(text, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
const content = { source: `oui-data ${devDependencies['oui-data']}`, table: table.toString('base64') };
await writeFile(join(root, 'agent', 'discovery', 'vendor-table.json'), `${JSON.stringify(content, null, 2)}\n`);
console.log(`${lines.length} prefixes, ${text.length} bytes, ${table.length} compressed`);
