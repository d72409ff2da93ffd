/**
 * Makes the packages in dist/packages/: of the agent and of the server a tarball for npm and a .deb for each architecture,
 * and a tarball for npm with the command line and the client of the API.
 *
 *   node scripts/package.mjs [--out <folder>] [--of agent|lanreach|server] [--only npm|deb] [--architecture amd64|arm64]
 *     [--compression xz|zstd|none]
 *
 * The same sources give the same bytes: every file bears the time of the commit, or of SOURCE_DATE_EPOCH.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bundleForPackage } from './build.mjs';
import { buildDeb } from './package-deb.mjs';
import { thirdPartyLicences } from './package-licences.mjs';
import { buildAgentPackage, buildLanreachPackage } from './package-npm.mjs';
import { buildServerDeb, buildServerPackage, gatherServer } from './package-server.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

const ARCHITECTURES = ['amd64', 'arm64'];

/** @returns the files that were made */
async function main(args) {
  const options = readOptions(args);
  const out = resolve(options.out ?? join(root, 'dist', 'packages'));
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'lanreach-package-'));
  try {
    const ingredients = await gather(work, out);
    const isWanted = (program) => options.of === undefined || options.of === program;
    const forNpm = (program) => options.only !== 'deb' && isWanted(program);
    const { architectures, compression } = options;
    const made = [];
    if (forNpm('agent')) made.push(await buildAgentPackage(ingredients));
    if (forNpm('lanreach')) made.push(await buildLanreachPackage(ingredients));
    for (const architecture of isWanted('agent') ? architectures : []) {
      made.push(await buildDeb({ ...ingredients, architecture, compression }));
    }
    if (isWanted('server')) {
      const server = await gatherServer({ ...ingredients, release: null });
      if (forNpm('server')) made.push(await buildServerPackage(ingredients, server));
      for (const architecture of architectures) {
        made.push(await buildServerDeb(ingredients, server, { architecture, compression }));
      }
    }
    return made;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string' },
      of: { type: 'string' },
      only: { type: 'string' },
      architecture: { type: 'string' },
      compression: { type: 'string', default: 'xz' },
    },
  });
  oneOf('of', values.of, ['agent', 'lanreach', 'server']);
  oneOf('only', values.only, ['npm', 'deb']);
  oneOf('architecture', values.architecture, ARCHITECTURES);
  oneOf('compression', values.compression, ['xz', 'zstd', 'none']);
  const architectures = values.architecture === undefined ? ARCHITECTURES : [values.architecture];
  return { ...values, architectures: values.only === 'npm' ? [] : architectures };
}

function oneOf(name, value, allowed) {
  if (value === undefined || allowed.includes(value)) return;
  throw new Error(`--${name}: expected one of ${allowed.join(', ')}, but got "${value}"`);
}

/** What goes into the packages. */
async function gather(work, out) {
  const { code, metafile } = await bundleForPackage('agent');
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { version, description, license, engines, dependencies } = manifest;
  return {
    root,
    work,
    out,
    version,
    description,
    license,
    engines,
    dependencies,
    code,
    licences: await thirdPartyLicences(root, metafile),
    epoch: await sourceDateEpoch(),
  };
}

/** Seconds since 1970. */
async function sourceDateEpoch() {
  const { SOURCE_DATE_EPOCH } = process.env;
  if (SOURCE_DATE_EPOCH) {
    if (!/^\d+$/.test(SOURCE_DATE_EPOCH)) throw new Error('SOURCE_DATE_EPOCH: expected seconds since 1970');
    return Number(SOURCE_DATE_EPOCH);
  }
  const commit = await run('git', ['log', '-1', '--format=%ct'], { cwd: root }).catch(() => null);
  if (commit !== null) return Number(commit.stdout);
  return Math.floor((await stat(join(root, 'package.json'))).mtimeMs / 1000); // Unpacked from an archive.
}

main(process.argv.slice(2)).then(
  (made) => console.log(made.join('\n')),
  (error) => {
    console.error(`package: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  },
);
