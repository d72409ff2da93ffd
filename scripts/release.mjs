/**
 * Builds into dist/release/ everything that a release consists of, and signs it in a step of its own.
 *
 *   node scripts/release.mjs [--tag v<version>] [--public-key <file>] [--only npm] [--out <folder>] [--compression xz|zstd|none]
 *   node scripts/release.mjs --sign [--key <file>] [--only npm] [--out <folder>] [--compression xz|zstd|none]
 *
 * The first needs no secret, and two runs on one commit give the same bytes. Its packages contain the public key; without one,
 * agents accept no update. The second signs what the first has built, and makes the packages of the server again, because
 * they contain a signed agent for other hosts. Until then nothing exists that an agent or installer accepts as a release.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { importSources } from './files.mjs';
import { ARCHITECTURES, makeAgent, makeServer, withIngredients } from './package.mjs';
import { buildLanreachPackage } from './package-npm.mjs';
import { NO_KEY, openReleaseKey, packProgram, readPublicKey, signRelease } from './package-release.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

const SUMS = 'SHA256SUMS';
const COMPRESSIONS = ['xz', 'zstd', 'none'];
const OPTIONS = ['tag', 'public-key', 'key', 'only', 'out', 'compression'];

async function main(args) {
  const { values } = parseArgs({
    args,
    options: { sign: { type: 'boolean' }, ...Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' }])) },
  });
  const { tag, sign, key, 'public-key': publicKey, only, compression = 'xz' } = values;
  if (!COMPRESSIONS.includes(compression)) throw new Error(`--compression: expected one of ${COMPRESSIONS.join(', ')}`);
  if (only !== undefined && only !== 'npm') throw new Error('--only: expected npm, for hosts without dpkg-deb');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`--tag: expected v${version}, the version in package.json, but got "${tag}"`);
  const out = resolve(values.out ?? join(root, 'dist', 'release'));
  const common = { out, version, options: { only, architectures: only === 'npm' ? [] : ARCHITECTURES, compression } };
  if (sign) return signBuilt({ ...common, releaseKey: await openReleaseKey(key, { mustExist: true }) });
  const notes = (await notesOf(version)) ?? (tag === undefined ? await notesOf('Unreleased') : null);
  if (notes === null) throw new Error(`CHANGELOG.md: expected a section "## ${version}"`);
  const others = values.out === undefined ? [] : await readdir(out).catch(() => []);
  if (others.length > 0 && !others.includes(SUMS))
    throw new Error(`--out: ${out} contains something else than a release`);
  return build({ ...common, notes, releaseKey: publicKey === undefined ? NO_KEY : await readPublicKey(publicKey) });
}

async function build({ out, version, options, notes, releaseKey }) {
  await requireRecord();
  await rm(out, { recursive: true, force: true });
  await withIngredients({ out, releaseKey }, async (ingredients) => {
    await makeAgent(ingredients, options);
    await buildLanreachPackage(ingredients);
    await makeServer(ingredients, options);
    await writeFile(join(out, `lanreach-${version}.sbom.json`), await billOfMaterials(ingredients));
  });
  await writeFile(join(out, 'NOTES.md'), notes);
  await writeSums(out);
  return out;
}

/** @throws {Error} if the folder is not as it was built, or was built for another key */
async function signBuilt({ out, version, options, releaseKey }) {
  const read = (name) =>
    readFile(join(out, name), 'utf8').catch(() => {
      throw new Error(`${join(out, name)} is missing: first build with npm run release -- --public-key <file>`);
    });
  const text = await read('release.json');
  if ((await read('release-key.pem')) !== releaseKey.publicPem)
    throw new Error('The packages contain another public key: build again with the public half of this one');
  if ((await read(SUMS)) !== (await sumsOf(out)))
    throw new Error(`${out} is not as it was built: its files differ from ${SUMS}`);
  if (JSON.parse(text).version !== version) throw new Error(`release.json: expected version ${version}`);
  await withIngredients({ out, releaseKey }, async (ingredients) => {
    const program = await packProgram({ ...ingredients, out: ingredients.work });
    if (!(await readFile(program)).equals(await readFile(join(out, basename(program)))))
      throw new Error('The sources are not those from which the release was built: check out its commit');
    await makeServer(ingredients, options);
  });
  await signRelease({ root, out, releaseKey }, text);
  await writeSums(out);
  return out;
}

/** Later versions are compared with the record of this one: it must have all that this version has. */
async function requireRecord() {
  const source = `export * from './scripts/specification/compatibility.ts'`;
  const { recordOf, surface } = await importSources(source, 'compatibility.js');
  const [[path, text]] = Object.entries(recordOf(await surface()));
  if ((await readFile(join(root, path), 'utf8').catch(() => '')) === text) return;
  throw new Error(`${path} is not complete: npm run specification -- --record, and commit it`);
}

/**
 * The packages of which the programs are made, in CycloneDX. npm would give it the time, a random id and the folder's name; and
 * its `--omit dev` leaves out what a package of development needs as well, such as zod.
 */
async function billOfMaterials({ version, epoch }) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: root, timeout: 120_000, maxBuffer: 2 ** 26 });
  const { serialNumber: _, ...bom } = JSON.parse(stdout);
  bom.metadata.timestamp = new Date(epoch * 1000).toISOString();
  bom.metadata.component.name = 'lanreach';
  if (bom.metadata.component.version !== version)
    throw new Error('package-lock.json has another version: run npm install');
  const isOfDevelopment = ({ name }) => name === 'cdx:npm:package:development';
  bom.components = bom.components.filter(({ properties = [] }) => !properties.some(isOfDevelopment));
  const refs = new Set([bom.metadata.component, ...bom.components].map((one) => one['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** The section of the changelog; null if there is none. */
async function notesOf(heading) {
  const sections = (await readFile(join(root, 'CHANGELOG.md'), 'utf8')).split(/^## /m);
  const section = sections.find((one) => one.split('\n', 1)[0].trim() === heading);
  return section === undefined ? null : `# LanReach ${section.trim()}\n`;
}

async function writeSums(out) {
  await writeFile(join(out, SUMS), await sumsOf(out));
}

/** As `sha256sum --check` reads it. */
async function sumsOf(out) {
  const names = (await readdir(out)).filter((name) => name !== SUMS).sort();
  const lines = names.map(async (name) => {
    const digest = createHash('sha256').update(await readFile(join(out, name)));
    return `${digest.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}

main(process.argv.slice(2)).then(
  (out) => console.log(out),
  (error) => {
    console.error(`release: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  },
);
