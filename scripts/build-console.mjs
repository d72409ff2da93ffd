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
/** Beside the build, so that it is not served. */
const stamp = join(root, 'dist', 'console.sha256');

/** Returns the folder with the built files. */
export async function buildConsole() {
  const digest = await digestOfInputs();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === digest) return output;
  await mkdir(dirname(output), { recursive: true });
  const draft = `${output}.${process.pid}`;
  try {
    await build({
      configFile: join(root, 'console', 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: draft, emptyOutDir: true },
    });
    await rm(output, { recursive: true, force: true });
    await rename(draft, output).catch((error) => {
      if (error.code !== 'ENOTEMPTY') throw error; // Somebody else has built the same at the same time.
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await writeFile(stamp, digest);
  return output;
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
