/** Collects the licences of the packages in a bundle. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Licences that permit redistribution under the Apache License with only a notice; OFL-1.1 for fonts, with its text. */
export const PERMISSIVE = /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|OFL-1\.1)$/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;

/** Files of ours that were generated from a package, which is therefore in the bundle as well. */
const MADE_OF = { 'agent/discovery/vendor-table.json': 'node_modules/oui-data' };

/** Parts of other packages in native builds. */
const PARTS = {
  'node_modules/lmdb': ['lmdb/libraries/liblmdb/COPYRIGHT', 'lmdb/libraries/liblmdb/LICENSE', 'lz4/lib/LICENSE'].map(
    (file) => `dependencies/${file}`,
  ),
};

/**
 * One text with the licence of every package in the bundle.
 * @param metafile esbuild's description of the bundle
 * @param others folders of packages beside the bundle
 * @throws {Error} for a package whose licence is not known to be permissive, or without the text of its licence
 */
export async function thirdPartyLicences(root, metafile, others = []) {
  const folders = [...new Set([...packageFolders(metafile), ...others])].sort();
  const sections = await Promise.all(folders.map((folder) => describe(root, folder)));
  const head = `This program contains the following ${sections.length} packages.\n`;
  return [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Folders of the packages that are part of the output, sorted. */
export function packageFolders({ outputs }) {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => MADE_OF[path] ?? /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

async function describe(root, folder) {
  const path = join(root, folder);
  const { name, version, license, author } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  if (typeof license !== 'string' || !PERMISSIVE.test(license)) {
    throw new Error(
      `${folder}: the licence is ${JSON.stringify(license)}; if it permits redistribution, add it to PERMISSIVE in scripts/package-licences.mjs`,
    );
  }
  const own = (await readdir(path)).filter((file) => LICENCE_FILE.test(file)).sort();
  const files = [...own, ...(PARTS[folder] ?? [])];
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')));
  if (texts.length === 0) texts.push(await standardText(root, folder, license, author?.name ?? author));
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n')}\n`;
}

/** The licence text for a package that names licence and author, but does not contain the text. */
async function standardText(root, folder, license, author) {
  const missing = `${folder}: the package comes without the text of its licence`;
  const text = await readFile(join(root, 'scripts/packaging/licences', `${license}.txt`), 'utf8').catch((error) => {
    throw new Error(missing, { cause: error });
  });
  if (license === 'Unlicense') return text; // Without a copyright.
  if (typeof author !== 'string') throw new Error(missing);
  return `Copyright (c) ${author}\n\n${text}`;
}
