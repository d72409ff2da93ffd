/** The licences of what a bundle carries, to go wherever the bundle goes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What may be passed on in a package under the Apache License, with nothing but its notice. */
const PERMISSIVE = /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense)$/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;

/**
 * One text with the licence of every package that is in the bundle.
 * @param metafile what esbuild tells of the bundle
 * @throws {Error} for a package whose licence is not known to be permissive, or that comes without a text of it
 */
export async function thirdPartyLicences(root, metafile) {
  const folders = packageFolders(metafile);
  const sections = await Promise.all(folders.map((folder) => describe(root, folder)));
  const head = `This program contains the following ${sections.length} packages.\n`;
  return [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Folders of the packages of which something is in the output, sorted. */
function packageFolders({ outputs }) {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

async function describe(root, folder) {
  const path = join(root, folder);
  const { name, version, license, author } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  if (typeof license !== 'string' || !PERMISSIVE.test(license)) {
    throw new Error(`${folder}: the licence is ${JSON.stringify(license)}; may it be passed on in a package?`);
  }
  const files = (await readdir(path)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')));
  if (texts.length === 0) texts.push(standardText(folder, license, author?.name ?? author));
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n')}\n`;
}

/** For a package that names its licence and its author, but has forgotten the text. */
function standardText(folder, license, author) {
  if (license !== 'MIT' || typeof author !== 'string') {
    throw new Error(`${folder}: the package comes without the text of its licence`);
  }
  return `Copyright (c) ${author}\n\n${MIT}`;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
