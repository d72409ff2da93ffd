import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { MAX_RELEASE_BYTES, type Release, type ReleaseFile } from '../../shared/agent/release.ts';
import { MAX_PROGRAM_BYTES, MAX_UNPACKED_BYTES, ReleaseRefused, readRelease, unpackProgram } from './verify-release.ts';

const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const theirs = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const EXPECTED = { version: '1.2.0', running: '1.1.9', node: '22.4.1' };
const CODE = Buffer.from('export const answer = 42;\n'.repeat(50));
const PACKED = gzipSync(CODE);
const PROGRAM: ReleaseFile = {
  ...{ kind: 'program', name: 'program-1.2.0.mjs.gz', bytes: PACKED.length },
  sha256: createHash('sha256').update(PACKED).digest('hex'),
};
const RELEASE: Release = { version: '1.2.0', protocol: 4, node: '20.19.0', files: [PROGRAM] };

const textOf = (release: unknown) => Buffer.from(JSON.stringify(release));
const signed = (text: Buffer, key = ours.privateKey) => ({
  text,
  signature: sign('sha256', text, key).toString('base64'),
});
const release = (changes: Partial<Release> = {}) => signed(textOf({ ...RELEASE, ...changes }));

test('a release that is signed, planned and newer', () => {
  expect(readRelease(release(), KEY, EXPECTED)).toEqual({ version: '1.2.0', node: '20.19.0', program: PROGRAM });
});

const OTHER_FORM = { ...PROGRAM, sha256: '../' };
const TOO_OLD = 'needs Node.js 22.5.0 or newer, and this host runs it with 22.4.1';
const BY_ANOTHER = 'not by the key that came with the package';
test.each<[string, ReturnType<typeof release>, Partial<typeof EXPECTED>, string]>([
  ['by another key', signed(textOf(RELEASE), theirs.privateKey), {}, BY_ANOTHER],
  ['with no signature', { ...release(), signature: '' }, {}, BY_ANOTHER],
  ['with what is no signature', { ...release(), signature: 'never mind' }, {}, BY_ANOTHER],
  ['with the signature of another', { ...release(), signature: release({ protocol: 3 }).signature }, {}, BY_ANOTHER],
  ['with a changed byte', { ...release(), text: textOf({ ...RELEASE, protocol: 5 }) }, {}, BY_ANOTHER],
  ['that is too long', signed(Buffer.alloc(MAX_RELEASE_BYTES + 1, ' ')), {}, 'too long'],
  ['that is not JSON', signed(Buffer.from('{')), {}, 'cannot be understood'],
  ['of another form', signed(textOf({ ...RELEASE, files: [OTHER_FORM] })), {}, 'cannot be understood'],
  ['of another version than planned', release({ version: '1.3.0' }), {}, 'it is version 1.3.0, not 1.2.0'],
  ['that is the one that runs', release(), { running: '1.2.0' }, 'not newer than 1.2.0'],
  ['that was good once, and is old', release(), { running: '1.10.0' }, 'not newer than 1.10.0'],
  ['for a newer Node.js', release({ node: '22.5.0' }), {}, TOO_OLD],
  ['without a program', release({ files: [{ ...PROGRAM, kind: 'npm' }] }), {}, 'contains no program'],
  ['with a large program', release({ files: [{ ...PROGRAM, bytes: MAX_PROGRAM_BYTES + 1 }] }), {}, 'too large'],
])('a release %s is refused', (_, given, expected, reason) => {
  const read = () => readRelease(given, KEY, { ...EXPECTED, ...expected });
  expect(read).toThrow(ReleaseRefused);
  expect(read).toThrow(reason);
});

test('a release key of the package that is none, or of another kind, verifies nothing', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = textOf(RELEASE);
  for (const key of ['', 'BEGIN', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()]) {
    expect(() => readRelease(signed(text, rsa.privateKey), key, EXPECTED)).toThrow('release key of this agent');
  }
});

test('its program is unpacked when it is the one that was signed', async () => {
  expect(CODE.equals(await unpackProgram(PACKED, PROGRAM))).toBe(true);
  const changed = Buffer.from(PACKED);
  changed[20] = (changed[20] ?? 0) ^ 1;
  await expect(unpackProgram(changed, PROGRAM)).rejects.toThrow('not the one that was signed');
  await expect(unpackProgram(PACKED.subarray(1), PROGRAM)).rejects.toThrow(`instead of ${PACKED.length}`);
});

test('a program that would grow without bounds, or is no gzip, is refused before it fills the memory', async () => {
  const describe = (packed: Buffer): ReleaseFile => ({
    ...{ ...PROGRAM, bytes: packed.length },
    sha256: createHash('sha256').update(packed).digest('hex'),
  });
  for (const packed of [gzipSync(Buffer.alloc(MAX_UNPACKED_BYTES + 1)), CODE, PACKED.subarray(0, -9)]) {
    await expect(unpackProgram(packed, describe(packed))).rejects.toThrow(ReleaseRefused);
  }
});
