/**
 * Builds the agent as a Debian package: with its own Node.js, because that of Debian 12 is too old; or, on architectures that
 * Node.js no longer supports, for that of Debian 13.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, lutimes, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { filesBelow } from './files.mjs';

const run = promisify(execFile);
/** A download or a compression over a slow line or on a slow host. */
const timeout = 600_000;
const reasonOf = (error) => String(error.stderr ?? error.message).trim();

const PROGRAM = 'usr/lib/lanreach-agent';
const DOCUMENTS = 'usr/share/doc/lanreach-agent';
const UNITS = 'usr/lib/systemd/system';

/** The libraries of the Node.js in the package. */
const OWN_RUNTIME = 'libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)';
/** Node.js from the distribution. */
const FOREIGN_RUNTIME = 'nodejs (>= 20.19)';
const WITHOUT_NODE = ['armhf'];

/** @returns the .deb */
export async function buildDeb({ architecture, compression, ...ingredients }) {
  const { root, work, version, launcher, code, licences, releaseKey, epoch } = ingredients;
  const hasNode = !WITHOUT_NODE.includes(architecture);
  const tree = join(work, `deb-${architecture}`);
  const sources = join(root, 'scripts', 'packaging', 'debian');
  const source = (name) => readFile(join(sources, name));
  const put = putInto(tree);

  const nodeLicence = hasNode ? await unpackNode(root, work, architecture, join(tree, PROGRAM, 'node')) : null;
  if (!hasNode) await linkNode(join(tree, PROGRAM, 'node'));
  await put(`${PROGRAM}/lanreach-agent.mjs`, withoutShebang(launcher));
  await put(`${PROGRAM}/agent.mjs`, withoutShebang(code));
  if (releaseKey.publicPem !== null) await put(`${PROGRAM}/release-key.pem`, releaseKey.publicPem);
  await put(`${PROGRAM}/defaults.env`, await source('defaults.env'));
  await put('usr/bin/lanreach-agent', await source('lanreach-agent.sh'), 0o755);
  await put('etc/default/lanreach-agent', await source('lanreach-agent.default'));
  await put('etc/lanreach-agent/policy.json', await source('policy.json'));
  await put(`${UNITS}/lanreach-agent.service`, await source('lanreach-agent.service'));
  await put(`${UNITS}/lanreach-agent.path`, await source('lanreach-agent.path'));
  await put('usr/share/man/man8/lanreach-agent.8.gz', gzip(await source('lanreach-agent.8')));
  await put(`${DOCUMENTS}/copyright`, copyright('lanreach-agent', PROGRAM, licences, nodeLicence));
  await put(`${DOCUMENTS}/changelog.gz`, gzip(changelog('lanreach-agent', version, epoch)));
  await put(`${DOCUMENTS}/examples/policy.json`, await source('policy-example.json'));
  await put(`${DOCUMENTS}/examples/snmp.json`, await source('snmp-example.json'));
  const fields = {
    Runtime: hasNode ? OWN_RUNTIME : FOREIGN_RUNTIME,
    Brings: hasNode ? 'It brings the Node.js that it runs on. After' : 'After',
  };
  return finishDeb({ ...ingredients, name: 'lanreach-agent', tree, sources, fields, architecture, compression });
}

/** Writes files of a package, with modes independent of the umask. */
export function putInto(tree) {
  return async (path, content, mode = 0o644) => {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), content);
    await chmod(join(tree, path), mode);
  };
}

/**
 * Adds the control files to a tree of files, and packs it.
 * @param sources folder with `control`, `conffiles` and the scripts
 * @param fields additional fields of `control`
 * @returns the .deb
 */
export async function finishDeb({ name, tree, sources, fields, out, version, architecture, compression, epoch }) {
  const source = (file) => readFile(join(sources, file));
  const put = putInto(tree);
  const files = (await filesBelow(tree)).map((path) => relative(tree, path));
  await put('DEBIAN/md5sums', await sums(tree, files));
  await put('DEBIAN/conffiles', await source('conffiles'));
  for (const script of ['postinst', 'prerm', 'postrm']) await put(`DEBIAN/${script}`, await source(script), 0o755);
  const substitutes = {
    Version: version,
    Architecture: architecture,
    Maintainer: MAINTAINER,
    ...fields,
    'Installed-Size': String(await installedKib(tree, files)),
  };
  await put('DEBIAN/control', substitute((await source('control')).toString(), substitutes));
  await settle(tree, epoch);
  return pack(tree, join(out, `${name}_${version}_${architecture}.deb`), compression, epoch);
}

/** Instead of the Node.js in the other packages. */
async function linkNode(path) {
  await mkdir(dirname(path), { recursive: true });
  await symlink('/usr/bin/node', path);
}

/** A placeholder: there is no mail address; use the issue tracker. */
const MAINTAINER = 'LanReach <lanreach@lanreach.invalid>';

/**
 * Unpacks the pinned Node.js, from the npm registry or npm's cache.
 * @returns the text of its licence
 * @throws {Error} if the download is not the pinned file
 */
export async function unpackNode(root, work, architecture, target) {
  const pinned = JSON.parse(await readFile(join(root, 'scripts', 'packaging', 'node-runtime.json'), 'utf8'));
  const { package: name, integrity } = pinned.architectures[architecture];
  const wanted = { name, version: pinned.version, integrity, members: ['bin/node', 'LICENSE'] };
  const folder = await fetchPackage(work, wanted);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(join(folder, 'bin', 'node'), target);
  await chmod(target, 0o755);
  return readFile(join(folder, 'LICENSE'), 'utf8');
}

/** Downloads by folder, because several packages contain the same. */
const fetched = new Map();

/**
 * Unpacks exactly this package, from the npm registry or npm's cache.
 * @param wanted its name, version and checksum; `members`: the files to unpack, by default all
 * @returns the folder
 * @throws {Error} if the checksum differs
 */
export function fetchPackage(work, wanted) {
  const folder = join(work, 'fetched', wanted.name);
  if (!fetched.has(folder)) fetched.set(folder, fetchInto(folder, wanted));
  return fetched.get(folder);
}

async function fetchInto(folder, { name, version, integrity, members = [''] }) {
  await mkdir(folder, { recursive: true });
  const wanted = `${name}@${version}`;
  const args = ['pack', wanted, '--prefer-offline', '--ignore-scripts', '--pack-destination', folder];
  await run('npm', args, { cwd: folder, timeout }).catch((error) => {
    throw new Error(`Cannot fetch ${wanted}: ${reasonOf(error)}`);
  });
  const archive = join(folder, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);
  const hash = createHash('sha512').update(await readFile(archive));
  const digest = `sha512-${hash.digest('base64')}`;
  if (digest !== integrity)
    throw new Error(`${wanted} is not the pinned file: its checksum is ${digest}, expected ${integrity}`);
  const files = members.map((member) => join('package', member));
  await run('tar', ['-xzf', archive, '-C', folder, '--no-same-owner', ...files], { timeout });
  return join(folder, 'package');
}

/** The bundled Node.js runs the file. */
const withoutShebang = (code) => String(Buffer.from(code)).replace(/^#!.*\n/, '');

export function copyright(name, home, licences, nodeLicence) {
  return `${name} is part of LanReach.

Licensed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.

${'='.repeat(80)}

/${home}: ${licences}
${nodeLicence === null ? '' : `${'='.repeat(80)}\n\n/${home}/node is Node.js, unchanged.\n\n${nodeLicence}`}`;
}

export function changelog(name, version, epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium

  * Version ${version}. The history of changes is that of the sources.

 -- ${MAINTAINER}  ${date}
`;
}

/** Without time and name, so that the result is reproducible. */
export function gzip(content) {
  return gzipSync(content, { level: 9 });
}

function substitute(text, values) {
  return text.replace(/\$\{([\w-]+)\}/g, (_, name) => values[name]);
}

async function sums(tree, files) {
  const lines = files.map(async (file) => {
    const digest = createHash('md5').update(await readFile(join(tree, file)));
    return `${digest.digest('hex')}  ${file}\n`;
  });
  return (await Promise.all(lines)).join('');
}

/** By the rules of Debian: each file rounded up to whole KiB. */
async function installedKib(tree, files) {
  const sizes = await Promise.all(files.map(async (file) => (await readFile(join(tree, file))).length));
  return sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
}

/** Sets modes of folders and all times, independent of the umask and the clock. */
async function settle(tree, epoch) {
  const entries = await readdir(tree, { withFileTypes: true, recursive: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  for (const [index, entry] of entries.entries()) if (entry.isDirectory()) await chmod(paths[index], 0o755);
  await chmod(tree, 0o755);
  for (const path of [...paths, tree]) await lutimes(path, epoch, epoch);
}

async function pack(tree, file, compression, epoch) {
  const draft = `${file}.${process.pid}`;
  const compress = compression === 'zstd' ? ['-Zzstd', '-z3'] : [`-Z${compression}`];
  try {
    await run('dpkg-deb', ['--root-owner-group', ...compress, '--build', tree, draft], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
      timeout,
    });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const missing = error.code === 'ENOENT' ? 'dpkg-deb is missing; without it: npm run package -- --only npm' : null;
    throw new Error(`Cannot build ${file}: ${missing ?? reasonOf(error)}`);
  }
  return file;
}
