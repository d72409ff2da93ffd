/**
 * Builds the packages in dist/packages/: of the agent and of the server a tarball for npm and a .deb for each architecture,
 * and a tarball for npm with the command line and the client of the API. Those of the agent are a signed release.
 *
 *   node scripts/package.mjs [--out <folder>] [--of agent|lanreach|server] [--only npm|deb]
 *                            [--architecture amd64|arm64|armhf] [--compression xz|zstd|none] [--key <file>|none] [--public-key <file>]
 *                            [--release <folder>: the release that the server offers, instead of a small one]
 *
 * With `--public-key` nothing is signed, and so the server offers no agent for other hosts; with `--key none`, agents accept no
 * update either.
 * Reproducible except the signature: every file has the time of the commit, or of SOURCE_DATE_EPOCH.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bundleForPackage } from './build.mjs';
import { filesBelow } from './files.mjs';
import { buildDeb } from './package-deb.mjs';
import { thirdPartyLicences } from './package-licences.mjs';
import { buildAgentPackage, buildLanreachPackage } from './package-npm.mjs';
import { NO_KEY, openReleaseKey, packProgram, readPublicKey, writeRelease } from './package-release.mjs';
import { buildServerDeb, buildServerPackage, gatherServer } from './package-server.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

export const ARCHITECTURES = ['amd64', 'arm64', 'armhf'];
/** The values of options. */
const CHOICES = {
  of: ['agent', 'lanreach', 'server'],
  only: ['npm', 'deb'],
  architecture: ARCHITECTURES,
  compression: ['xz', 'zstd', 'none'],
};
const FOLDER = join(root, 'dist', 'packages');
/** The digest of the inputs of a small release, beside it. */
const STAMP = 'small-release.sha256';

/** @returns the built files */
async function main(args) {
  const options = readOptions(args);
  const out = resolve(options.out ?? FOLDER);
  const releaseKey = await keyOf(options);
  return withIngredients({ out, releaseKey }, async (ingredients) => {
    const isWanted = (program) => options.of === undefined || options.of === program;
    const made = isWanted('agent') ? await makeAgent(ingredients, options) : { packages: [], release: [] };
    const lanreach = isWanted('lanreach') && options.only !== 'deb' ? [await buildLanreachPackage(ingredients)] : [];
    const server = isWanted('server') ? await makeServer(ingredients, options) : [];
    return [...made.packages, ...lanreach, ...server, ...made.release];
  });
}

async function keyOf({ key, 'public-key': publicKey }) {
  if (publicKey !== undefined) return readPublicKey(publicKey);
  return key === 'none' ? NO_KEY : openReleaseKey(key);
}

/** @returns the packages, and the text of their release */
export async function makeAgent(ingredients, { only, architectures, compression }) {
  const release = [];
  if (only !== 'deb') release.push({ kind: 'npm', path: await buildAgentPackage(ingredients) });
  for (const architecture of architectures) {
    release.push({ kind: `deb-${architecture}`, path: await buildDeb({ ...ingredients, architecture, compression }) });
  }
  const packages = release.map(({ path }) => path);
  release.push({ kind: 'program', path: await packProgram(ingredients) });
  return { packages, release: [await writeRelease(ingredients, release)] };
}

/** With a release of the agent that it offers, if there is a key to sign it. */
export async function makeServer(ingredients, { only, architectures, compression, release }) {
  const folder = resolve(release ?? join(ingredients.work, 'release'));
  const offersOne = release !== undefined || ingredients.releaseKey.privateKey !== null;
  if (release === undefined && offersOne) {
    await mkdir(folder);
    await writeSmallRelease({ ...ingredients, out: folder });
  }
  const server = await gatherServer({ ...ingredients, release: offersOne ? folder : null });
  const made = only === 'deb' ? [] : [await buildServerPackage(ingredients, server)];
  // Neither Node.js nor LMDB supports 32 bits any more.
  for (const architecture of architectures.filter((one) => one !== 'armhf')) {
    made.push(await buildServerDeb(ingredients, server, { architecture, compression }));
  }
  return made;
}

/**
 * Builds the packages of the agent that need no download and take a second, so that other hosts can install it from a new
 * clone. Keeps an existing release with all packages of this version, or of the same sources.
 */
export async function makeSmallRelease() {
  const releaseKey = await openReleaseKey();
  return withIngredients({ out: FOLDER, releaseKey }, async (ingredients) => {
    const stamp = await digestOfSmallRelease(ingredients);
    const text = await readFile(join(FOLDER, 'release.json'), 'utf8').catch(() => '{"files":[]}');
    const { version, files } = JSON.parse(text);
    const isComplete = files.some(({ kind }) => kind.startsWith('deb-'));
    const isCurrent = isComplete || (await readFile(join(FOLDER, STAMP), 'utf8').catch(() => '')) === stamp;
    if (version === ingredients.version && isCurrent) return;
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
  const packaging = join(root, 'scripts', 'packaging');
  const folders = await Promise.all(['debian', 'npm'].map((name) => filesBelow(join(packaging, name))));
  const files = [...folders.flat(), join(packaging, 'install.sh'), join(root, 'package.json')];
  const hash = createHash('sha256').update(launcher).update(code).update(licences).update(releaseKey.publicPem);
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex');
}

export async function withIngredients({ out, releaseKey }, use) {
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'lanreach-package-'));
  try {
    return await use({ ...(await gather(work, out)), releaseKey });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function readOptions(args) {
  const names = ['out', 'key', 'public-key', 'release', ...Object.keys(CHOICES)];
  const { values } = parseArgs({ args, options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
  for (const [name, allowed] of Object.entries(CHOICES)) {
    if (values[name] === undefined || allowed.includes(values[name])) continue;
    throw new Error(`--${name}: expected one of ${allowed.join(', ')}, but got "${values[name]}"`);
  }
  const architectures = values.architecture === undefined ? ARCHITECTURES : [values.architecture];
  return { compression: 'xz', ...values, architectures: values.only === 'npm' ? [] : architectures };
}

/** The contents of the packages. */
async function gather(work, out) {
  const { code, metafile } = await bundleForPackage('agent');
  const { code: launcher } = await bundleForPackage('launcher');
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { version, description, license, engines, dependencies } = manifest;
  const licences = await thirdPartyLicences(root, metafile);
  const packaged = { version, description, license, engines, dependencies, launcher, code, licences };
  return { root, work, out, ...packaged, epoch: await sourceDateEpoch() };
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
