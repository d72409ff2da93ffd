/** Builds the console into dist/console/, unless it is up to date: a build takes some seconds. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { filesBelow } from './files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist', 'console');
/** In the folder of the build, so that both always match. No server serves it. */
const STAMP = 'inputs.sha256';

/** @returns the folder with the built files */
export async function buildConsole() {
  const digest = await digestOfInputs();
  if ((await readFile(join(output, STAMP), 'utf8').catch(() => '')) === digest) return output;
  await mkdir(dirname(output), { recursive: true });
  const draft = `${output}.${process.pid}`;
  const old = `${draft}.old`;
  try {
    await build({
      configFile: join(root, 'console', 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: draft, emptyOutDir: true },
    });
    await writeFile(join(draft, STAMP), digest);
    // Moves it first, because a server may be reading it.
    await rename(output, old).catch(ignoring('ENOENT'));
    // Another build may have been faster; it is as good, or the next start builds again.
    await rename(draft, output).catch(ignoring('ENOTEMPTY'));
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
  return output;
}

function ignoring(expected) {
  return (error) => {
    if (error.code !== expected) throw error;
  };
}

/** Of all inputs of a build: the console, its imports from shared/, and the versions of packages. */
async function digestOfInputs() {
  const folders = await Promise.all(['console', 'shared'].map((folder) => filesBelow(join(root, folder))));
  const sources = folders.flat().filter((file) => !/\/node_modules\/|\.test\./.test(file.slice(root.length)));
  const hash = createHash('sha256');
  for (const file of [join(root, 'package-lock.json'), ...sources]) {
    hash.update(`${file.slice(root.length)}\0`);
    hash.update(await readFile(file));
    hash.update('\0');
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
