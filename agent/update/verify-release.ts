/** Verifies a release: its signature, by the key in the package of this agent, and the signed digest of its program. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { compareVersions, MAX_RELEASE_BYTES, Release, type ReleaseFile } from '../../shared/agent/release.ts';
import { parseJson } from '../../shared/json.ts';
import { isNodeTooOld, nodeTooOld } from '../launch/choice.ts';

/** The program has about a megabyte, and four unpacked. */
export const MAX_PROGRAM_BYTES = 16 * 1024 * 1024;
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Of the base64 of a signature. */
export const MAX_SIGNATURE_BYTES = 1024;

const unpack = promisify(gunzip);

/** A release that this agent must not install. The message says why. */
export class ReleaseRefused extends Error {
  override name = 'ReleaseRefused';
}

export interface SignedRelease {
  text: Uint8Array;
  /** base64 */
  signature: string;
}

export interface Expected {
  version: string;
  /** The running version: a replayed message must not bring back an old program. */
  running: string;
  /** The version of Node.js that would run it. */
  node: string;
}

/** @param key PEM of the public key. @throws {ReleaseRefused} */
export function readRelease({ text, signature }: SignedRelease, key: string, expected: Expected) {
  if (text.length > MAX_RELEASE_BYTES) throw new ReleaseRefused('its description is too long');
  if (!verify('sha256', text, publicKeyOf(key), Buffer.from(signature, 'base64')))
    throw new ReleaseRefused('its signature is not by the key that came with the package of this agent');
  const parsed = Release.safeParse(parseJson(Buffer.from(text).toString('utf8')));
  if (!parsed.success) throw new ReleaseRefused('its description cannot be understood');
  const { version, node, files } = parsed.data;
  if (version !== expected.version) throw new ReleaseRefused(`it is version ${version}, not ${expected.version}`);
  if (compareVersions(version, expected.running) <= 0)
    throw new ReleaseRefused(`version ${version} is not newer than ${expected.running}, which runs`);
  if (isNodeTooOld(node, expected.node)) throw new ReleaseRefused(nodeTooOld(node, expected.node));
  const program = files.find(({ kind }) => kind === 'program');
  if (program === undefined) throw new ReleaseRefused('it contains no program by which an agent replaces itself');
  if (program.bytes > MAX_PROGRAM_BYTES) throw new ReleaseRefused(`its program is too large: ${program.bytes} bytes`);
  return { version, node, program };
}

function publicKeyOf(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    throw new ReleaseRefused('the release key of this agent cannot be read; reinstall its package');
  }
  if (key.asymmetricKeyType === 'ec') return key;
  throw new ReleaseRefused('the release key of this agent is of another kind; reinstall its package');
}

/** Verifies and unpacks the program that `readRelease` has returned. @throws {ReleaseRefused} */
export async function unpackProgram(packed: Uint8Array, { bytes, sha256 }: ReleaseFile): Promise<Buffer> {
  if (packed.length !== bytes) throw new ReleaseRefused(`its program has ${packed.length} bytes instead of ${bytes}`);
  if (createHash('sha256').update(packed).digest('hex') !== sha256)
    throw new ReleaseRefused('its program is not the one that was signed');
  try {
    return await unpack(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch {
    throw new ReleaseRefused(`its program cannot be unpacked within ${MAX_UNPACKED_BYTES} bytes`);
  }
}
