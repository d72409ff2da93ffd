/**
 * Bundles the programs into dist/: `npm start` (local.js), the agent, the command line client, the benchmarks, the demonstration,
 * the proof of a deployment; and builds the console.
 *
 * Bundling takes a third of a second. The bundles start faster and use less memory than the sources with a loader for
 * TypeScript, and run on every supported version of Node.js, also on those that cannot strip types. The price is a step before
 * each start, because dist/ can be older than the sources.
 *
 * The agent and the command line contain their dependencies, so that one file is all that a host on a LAN needs. The others
 * find theirs in node_modules. The command line is split into a part for each command, because reading all of them takes
 * longer than most commands; the server into the part that every start needs and the rest.
 */
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** CommonJS packages inside an ES module call `require`, which ES modules lack. */
const REQUIRE =
  "import { createRequire as lanreachRequire } from 'node:module';\nconst require = lanreachRequire(import.meta.url);";
const SHEBANG = '#!/usr/bin/env node';

const PROGRAMS = [
  { entry: 'local/main.ts', name: 'local', banner: '', isSplit: true },
  { entry: 'cli/main.ts', name: 'cli', banner: SHEBANG, selfContained: true, isSplit: true },
  { entry: 'test/bench/main.ts', name: 'bench', banner: '' },
  { entry: 'test/bench/costs/main.ts', name: 'costs', banner: '' },
  { entry: 'test/demo/main.ts', name: 'demo', banner: '' },
  { entry: 'scripts/prove-deployment.ts', name: 'prove-deployment', banner: '' },
  { entry: 'scripts/cloud.ts', name: 'cloud', banner: '' },
  { entry: 'agent/main.ts', name: 'agent', banner: SHEBANG, selfContained: true },
  { entry: 'agent/launch/main.ts', name: 'launcher', banner: SHEBANG, selfContained: true },
];

export async function buildPrograms() {
  await mkdir(join(root, 'dist'), { recursive: true });
  await Promise.all([...PROGRAMS.map(bundle), buildConsole()]);
}

/** Bundles a program as one self-contained file without a source map. @returns its code and its inputs */
export async function bundleForPackage(name) {
  return bundleOnce(bundleOptions(withPackages(name), `${name}.js`));
}

/** Bundles the server with its dependencies except LMDB. @returns the files, by name, and their inputs */
export async function bundleServer() {
  return bundleInParts(withPackages('local'), { external: ['lmdb'] });
}

/** Bundles the command line. @returns the files, by name, of which `cli.js` is the program, and their inputs */
export async function bundleCli() {
  return bundleInParts(withPackages('cli'), {});
}

/** The program with its dependencies. */
function withPackages(name) {
  return { ...PROGRAMS.find((one) => one.name === name), selfContained: true };
}

/** Puts dynamic imports into files of their own, which no start reads. */
async function bundleInParts(program, options, sourcemap = false) {
  const { name, entry } = program;
  const { outputFiles, metafile } = await build({
    ...bundleOptions(program, undefined),
    entryPoints: { [name]: entry },
    outdir: 'dist',
    splitting: true,
    chunkNames: `${name}-[hash]`,
    sourcemap,
    metafile: true,
    ...options,
  });
  return { files: byName(outputFiles), metafile };
}

const byName = (files) => Object.fromEntries(files.map(({ path, contents }) => [basename(path), contents]));

/** Bundles the client of the API, also for browsers: fails if it needs a module of Node.js. */
export async function bundleClient() {
  const options = bundleOptions({ entry: 'client/main.ts', banner: '', selfContained: true }, 'client.js');
  return bundleOnce({ ...options, banner: {}, platform: 'browser', target: 'es2023' });
}

async function bundleOnce(options) {
  const { outputFiles, metafile } = await build({ ...options, sourcemap: false, metafile: true });
  return { code: outputFiles[0].contents, metafile };
}

async function bundle(program) {
  const { name, banner, isSplit = false } = program;
  const folder = join(root, 'dist');
  const whole = async () => byName((await build(bundleOptions(program, join(folder, `${name}.js`)))).outputFiles);
  const files = isSplit ? (await bundleInParts(program, {}, true)).files : await whole();
  // The program last, when its parts exist.
  for (const file of Object.keys(files).sort((a, b) => Number(a === `${name}.js`) - Number(b === `${name}.js`))) {
    // Atomically, because another process may be starting the program.
    const draft = join(folder, `${file}.${process.pid}`);
    await writeFile(draft, files[file]);
    if (file === `${name}.js` && banner.startsWith('#!')) await chmod(draft, 0o755);
    await rename(draft, join(folder, file));
  }
  if (isSplit) await removeOldParts(folder, name, files);
}

/** The names of parts contain digests: those of earlier builds would accumulate. */
async function removeOldParts(folder, name, files) {
  const old = (await readdir(folder)).filter((file) => file.startsWith(`${name}-`) && !Object.hasOwn(files, file));
  for (const file of old) await rm(join(folder, file), { force: true });
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
    // Without comments: with one character beyond Latin-1, the engine stores the whole text with two bytes for each.
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    ...(selfContained
      ? // mqtt contains a copy of Node's own streams: 120 KB, and 20 ms at every start.
        {
          alias: { 'readable-stream': 'stream' },
          mainFields: ['module', 'main'],
          banner: { js: `${banner}\n${REQUIRE}`.trim() },
        }
      : { packages: 'external', banner: { js: banner } }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPrograms();
