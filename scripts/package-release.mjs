/** Writes a release: its text with digests (`shared/agent/release.ts`), signature, public key, install script. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const PEM = /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+-----END PUBLIC KEY-----\n$/;

/** Packages that are built without a key accept no update. */
export const NO_KEY = { privateKey: null, publicPem: null };

/**
 * The key that signs releases: the named one; else that of LANREACH_RELEASE_KEY or of the user's configuration, created the
 * first time. Its owner can run code on all agents that were installed from its releases.
 * @param {{ mustExist?: boolean }} options whether a missing key is an error
 * @returns {Promise<{privateKey: import('node:crypto').KeyObject, publicPem: string}>}
 */
export async function openReleaseKey(named, { mustExist = false } = {}) {
  const { LANREACH_RELEASE_KEY, XDG_CONFIG_HOME } = process.env;
  const kept = join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'lanreach', 'release-key.pem');
  const path = named ?? (LANREACH_RELEASE_KEY || kept);
  if (named === undefined && !mustExist) await makeKey(path);
  const text = await readFile(path).catch((error) => {
    throw new Error(`Cannot read the key that signs releases: ${error.message}`);
  });
  const privateKey = createPrivateKey(text);
  const publicPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1' || !PEM.test(publicPem)) {
    throw new Error(`${path}: expected a private key of the curve P-256, as PEM`);
  }
  return { privateKey, publicPem };
}

/** The public half alone: packages with it accept the updates that its owner signs. */
export async function readPublicKey(path) {
  const content = await readFile(path, 'utf8').catch((error) => {
    throw new Error(`Cannot read the public key: ${error.message}`);
  });
  const text = `${content.trim()}\n`;
  const isPublic = PEM.test(text) && createPublicKey(text).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  if (!isPublic) throw new Error(`${path}: expected a public key of the curve P-256, as PEM`);
  return { privateKey: null, publicPem: text };
}

/** Created atomically by the first process. */
async function makeKey(path) {
  const draft = `${path}.${process.pid}`;
  if ((await readFile(path).catch(() => null)) !== null) return;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
    await link(draft, path);
  } catch (error) {
    if (error.code !== 'EEXIST') throw new Error(`Cannot make a key that signs releases: ${error.message}`);
  } finally {
    await rm(draft, { force: true });
  }
}

/** @returns the agent's program, for self-updates */
export async function packProgram({ out, version, code }) {
  const path = join(out, `lanreach-agent-${version}.mjs.gz`);
  await replaceFile(path, gzipSync(code, { level: 9 }));
  return path;
}

/** @param packages each with its kind @returns the text of the release, signed if the key is there */
export async function writeRelease({ root, out, version, engines, releaseKey }, packages) {
  const files = await Promise.all(packages.map(describe));
  const head = { version, protocol: await protocolOf(root), node: engines.node.replace(/^>=/, '') };
  // Each file on a line of its own: scripts/packaging/install.sh reads them with sed.
  const text = `${JSON.stringify(head, null, 2).replace(/\n\}$/, '')},
  "files": [
${files.map((file) => `    ${JSON.stringify(file)}`).join(',\n')}
  ]
}
`;
  if (releaseKey.publicPem !== null) await replaceFile(join(out, 'release-key.pem'), releaseKey.publicPem);
  if (releaseKey.privateKey !== null) await signRelease({ root, out, releaseKey }, text);
  const path = join(out, 'release.json');
  await replaceFile(path, text);
  return path;
}

/** Agents and installers accept the text of a release only with this. */
export async function signRelease({ root, out, releaseKey }, text) {
  const signature = sign('sha256', Buffer.from(text), releaseKey.privateKey).toString('base64');
  await replaceFile(join(out, 'install.sh'), await installScript(root, releaseKey.publicPem));
  await replaceFile(join(out, 'release.json.sig'), `${signature}\n`);
}

async function describe({ kind, path }) {
  const content = await readFile(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { kind, name: basename(path), bytes: content.length, sha256 };
}

async function protocolOf(root) {
  const source = await readFile(join(root, 'shared', 'agent', 'messages.ts'), 'utf8');
  const [, protocol] = /^export const PROTOCOL_VERSION = (\d+);$/m.exec(source) ?? [];
  if (protocol === undefined) throw new Error('shared/agent/messages.ts: cannot find PROTOCOL_VERSION');
  return Number(protocol);
}

/** The script with the public key in it. */
async function installScript(root, publicPem) {
  const source = await readFile(join(root, 'scripts', 'packaging', 'install.sh'), 'utf8');
  return source.replace('@RELEASE_KEY@', publicPem.trim());
}

/** Atomically, because a service may be sending it. */
async function replaceFile(path, content) {
  await writeFile(`${path}.${process.pid}`, content);
  await rename(`${path}.${process.pid}`, path);
}
