/**
 * Builds the console into dist/console/, unless what is there was made from the same files. A build takes some seconds,
 * which no start should wait for without need.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist', 'console');
/** In the folder of the build, so that both are always of the same sources. Nothing serves it. */
const STAMP = 'inputs.sha256';

/** Returns the folder with the built files. */
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
    // Moved and not removed, because a server may be reading it.
    await rename(output, old).catch(ignoring('ENOENT'));
    // Another build may have come first; it is as good, or the next start builds again.
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

/** Of everything that a build is made from: the console, what it imports from shared/, and the versions of packages. */
async function digestOfInputs() {
  const files = [
    join(root, 'package-lock.json'),
    ...(await filesIn(join(root, 'console'))),
    ...(await filesIn(join(root, 'shared'))),
  ];
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules') && !entry.name.includes('.test.'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
