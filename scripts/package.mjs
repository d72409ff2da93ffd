/**
 * Makes the packages in dist/packages/: of the agent and of the server a tarball for npm and a .deb for each architecture,
 * and a tarball for npm with the command line and the client of the API. The packages of the agent are a release, which is
 * signed.
 *
 *   node scripts/package.mjs [--out <folder>] [--of agent|lanreach|server] [--only npm|deb]
 *                            [--architecture amd64|arm64|armhf] [--compression xz|zstd|none] [--key <file>]
 *                            [--release <folder>: what the server hands out, instead of what fits into its packages]
 *
 * The same sources give the same bytes, but for the signature: every file bears the time of the commit, or of
 * SOURCE_DATE_EPOCH.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bundleForPackage } from './build.mjs';
import { buildDeb } from './package-deb.mjs';
import { thirdPartyLicences } from './package-licences.mjs';
import { buildAgentPackage, buildLanreachPackage } from './package-npm.mjs';
import { openReleaseKey, packProgram, writeRelease } from './package-release.mjs';
import { buildServerDeb, buildServerPackage, gatherServer } from './package-server.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

const ARCHITECTURES = ['amd64', 'arm64', 'armhf'];
const FOLDER = join(root, 'dist', 'packages');
/** Of what a small release was made, beside it. */
const STAMP = 'small-release.sha256';

/** @returns the files that were made */
async function main(args) {
  const options = readOptions(args);
  const out = resolve(options.out ?? FOLDER);
  const releaseKey = await openReleaseKey(options.key);
  return withIngredients({ out, releaseKey }, async (ingredients) => {
    const isWanted = (program) => options.of === undefined || options.of === program;
    const made = isWanted('agent') ? await makeAgent(ingredients, options) : { packages: [], release: [] };
    const lanreach =
      isWanted('lanreach') && (options.only === undefined || options.only === 'npm')
        ? [await buildLanreachPackage(ingredients)]
        : [];
    const server = isWanted('server') ? await makeServer(ingredients, options) : [];
    return [...made.packages, ...lanreach, ...server, ...made.release];
  });
}

/** @returns the packages, and the text of the release that they are */
async function makeAgent(ingredients, { only, architectures, compression }) {
  const release = [];
  if (only === undefined || only === 'npm') release.push({ kind: 'npm', path: await buildAgentPackage(ingredients) });
  for (const architecture of architectures) {
    release.push({ kind: `deb-${architecture}`, path: await buildDeb({ ...ingredients, architecture, compression }) });
  }
  const packages = release.map(({ path }) => path);
  release.push({ kind: 'program', path: await packProgram(ingredients) });
  return { packages, release: [await writeRelease(ingredients, release)] };
}

async function makeServer(ingredients, { only, architectures, compression, release }) {
  const folder = resolve(release ?? join(ingredients.work, 'release'));
  if (release === undefined) {
    await mkdir(folder);
    await writeSmallRelease({ ...ingredients, out: folder });
  }
  const server = await gatherServer({ ...ingredients, release: folder });
  const made = only !== undefined && only !== 'npm' ? [] : [await buildServerPackage(ingredients, server)];
  for (const architecture of architectures.filter(isForServers)) {
    made.push(await buildServerDeb(ingredients, server, { architecture, compression }));
  }
  return made;
}

/** Neither Node.js nor LMDB is made for 32 bits any more. */
function isForServers(architecture) {
  return architecture !== 'armhf';
}

/**
 * Makes of the agent what needs no download and takes a second, for other hosts to install it from a clone that was just
 * started. What is there already is left: a release with all packages of this version, and one of the same sources.
 */
export async function makeSmallRelease() {
  const releaseKey = await openReleaseKey();
  return withIngredients({ out: FOLDER, releaseKey }, async (ingredients) => {
    const stamp = await digestOfSmallRelease(ingredients);
    const text = await readFile(join(FOLDER, 'release.json'), 'utf8').catch(() => '{"files":[]}');
    const { version, files } = JSON.parse(text);
    const isWhole = files.some(({ kind }) => kind.startsWith('deb-'));
    const isMade = isWhole || (await readFile(join(FOLDER, STAMP), 'utf8').catch(() => '')) === stamp;
    if (version === ingredients.version && isMade) return;
    await writeSmallRelease(ingredients);
    await writeFile(join(FOLDER, STAMP), stamp);
  });
}

async function writeSmallRelease(ingredients) {
  const [npm, program] = await Promise.all([buildAgentPackage(ingredients), packProgram(ingredients)]);
  await writeRelease(ingredients, [
    { kind: 'npm', path: npm },
    { kind: 'program', path: program },
  ]);
}

async function digestOfSmallRelease({ launcher, code, licences, releaseKey }) {
  const folders = ['debian', 'npm'].map((name) => join(root, 'scripts', 'packaging', name));
  const entries = await Promise.all(folders.map(async (folder) => (await readdir(folder)).map((n) => join(folder, n))));
  const files = [
    ...entries.flat().sort(),
    join(root, 'scripts', 'packaging', 'install.sh'),
    join(root, 'package.json'),
  ];
  const hash = createHash('sha256').update(launcher).update(code).update(licences).update(releaseKey.publicPem);
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex');
}

async function withIngredients({ out, releaseKey }, make) {
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'lanreach-package-'));
  try {
    return await make({ ...(await gather(work, out)), releaseKey });
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
      key: { type: 'string' },
      release: { type: 'string' },
    },
  });
  oneOf('of', values.of, ['agent', 'lanreach', 'server']);
  oneOf('only', values.only, ['npm', 'deb']);
  oneOf('architecture', values.architecture, ARCHITECTURES);
  oneOf('compression', values.compression, ['xz', 'zstd', 'none']);
  const architectures = values.architecture === undefined ? ARCHITECTURES : [values.architecture];
  return { ...values, architectures: values.only === undefined || values.only === 'deb' ? architectures : [] };
}

function oneOf(name, value, allowed) {
  if (value === undefined || allowed.includes(value)) return;
  throw new Error(`--${name}: expected one of ${allowed.join(', ')}, but got "${value}"`);
}

/** What goes into the packages. */
async function gather(work, out) {
  const { code, metafile } = await bundleForPackage('agent');
  const { code: launcher } = await bundleForPackage('launcher');
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
    launcher,
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).then(
    (made) => console.log(made.join('\n')),
    (error) => {
      console.error(`package: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    },
  );
}
