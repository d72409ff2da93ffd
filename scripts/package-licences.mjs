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
  if (texts.length === 0) texts.push(standardText(folder, license, author?.name ?? author));
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n')}\n`;
}

/** The licence text for a package that names licence and author, but does not contain the text. */
function standardText(folder, license, author) {
  const text = STANDARD_TEXTS[license];
  if (license === 'Unlicense') return UNLICENSE; // Without a copyright.
  if (text === undefined || typeof author !== 'string') {
    throw new Error(`${folder}: the package comes without the text of its licence`);
  }
  return `Copyright (c) ${author}\n\n${text}`;
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

const BSD_2_CLAUSE = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following
   disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF
THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

const UNLICENSE = `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in source code form or
as a compiled binary, for any purpose, commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all copyright
interest in the software to the public domain. We make this dedication for the benefit of the public at large and to the
detriment of our heirs and successors. We intend this dedication to be an overt act of relinquishment in perpetuity of
all present and future rights to this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org/>`;

const APACHE = 'Licensed under the Apache License, Version 2.0. Its text is that of the licence of LanReach itself.';

const STANDARD_TEXTS = { 'Apache-2.0': APACHE, MIT, 'BSD-2-Clause': BSD_2_CLAUSE };
