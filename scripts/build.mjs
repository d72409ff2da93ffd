/**
 * Bundles the programs into dist/: `npm start` (local.js), the agent, the command line client, the benchmarks, the proof of a
 * deployment; and builds the console.
 *
 * Bundling takes a third of a second. The bundles start faster and take less memory than the same sources behind a
 * loader for TypeScript, and run on every version of Node.js that is supported, also on those that cannot strip types.
 * The price is a step before each start, and a folder that can be older than the sources: `npm start` always builds
 * first.
 *
 * The agent takes its dependencies with it, so that one file is all that has to be copied to a host on a LAN. The
 * others run from here and find theirs in node_modules.
 */
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** CommonJS packages inside an ES module call `require`, which is not there by itself. */
const REQUIRE =
  "import { createRequire as lanreachRequire } from 'node:module';\nconst require = lanreachRequire(import.meta.url);";
const SHEBANG = '#!/usr/bin/env node';

const PROGRAMS = [
  { entry: 'local/main.ts', name: 'local', banner: '' },
  { entry: 'cli/main.ts', name: 'cli', banner: SHEBANG },
  { entry: 'bench/main.ts', name: 'bench', banner: '' },
  { entry: 'scripts/prove-deployment.ts', name: 'prove-deployment', banner: '' },
  { entry: 'cdk/register-certificates.ts', name: 'register-certificates', banner: '' },
  { entry: 'agent/main.ts', name: 'agent', banner: SHEBANG, selfContained: true },
  { entry: 'agent/launch/main.ts', name: 'launcher', banner: SHEBANG, selfContained: true },
];

export async function buildPrograms() {
  await mkdir(join(root, 'dist'), { recursive: true });
  await Promise.all([...PROGRAMS.map(bundle), buildConsole()]);
}

/** Bundles a program as one self-contained file without a source map. Returns its code and its inputs. */
export async function bundleForPackage(name) {
  const program = PROGRAMS.find((one) => one.name === name);
  return bundleOnce(bundleOptions({ ...program, selfContained: true }, `${name}.js`));
}

/**
 * Bundles the server with all that it needs but LMDB's native part. What it imports while it runs stands in files of its
 * own, which no start has to read. Returns the files, by their names, and their inputs.
 */
export async function bundleServer() {
  const { name, entry } = PROGRAMS.find((one) => one.name === 'local');
  const options = bundleOptions({ entry, banner: '', selfContained: true }, undefined);
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: { [name]: entry },
    outdir: 'dist',
    splitting: true,
    external: ['lmdb'],
    chunkNames: `${name}-[hash]`,
    sourcemap: false,
    metafile: true,
  });
  return { files: Object.fromEntries(outputFiles.map(({ path, contents }) => [basename(path), contents])), metafile };
}

/** Bundles the client of the API for browsers as well: it is refused when it needs a module of Node.js. */
export async function bundleClient() {
  const options = bundleOptions({ entry: 'client/main.ts', banner: '', selfContained: true }, 'client.js');
  return bundleOnce({ ...options, banner: {}, platform: 'browser', target: 'es2023' });
}

async function bundleOnce(options) {
  const { outputFiles, metafile } = await build({ ...options, sourcemap: false, metafile: true });
  return { code: outputFiles[0].contents, metafile };
}

async function bundle(program) {
  const outfile = join(root, 'dist', `${program.name}.js`);
  const { outputFiles } = await build(bundleOptions(program, outfile));
  // Replaced atomically, because another process may be starting the program at this moment.
  for (const { path, contents } of outputFiles) {
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, contents);
    if (path === outfile && program.banner.startsWith('#!')) await chmod(draft, 0o755);
    await rename(draft, path);
  }
}

function bundleOptions({ entry, banner, selfContained = false }, outfile) {
  return {
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    ...(selfContained
      ? // mqtt brings a copy of Node's own streams along: 120 KB, and 20 ms at every start.
        {
          alias: { 'readable-stream': 'stream' },
          mainFields: ['module', 'main'],
          banner: { js: `${banner}\n${REQUIRE}`.trim() },
        }
      : { packages: 'external', banner: { js: banner } }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPrograms();
