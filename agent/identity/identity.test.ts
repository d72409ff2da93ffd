import { chown, mkdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeTestAuthority, type TestAuthority } from '../../test/support/test-authority.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import { namesIn } from '../testing/state-names.ts';
import { certificateRequest } from './certificate-request.ts';
import {
  adoptNextIdentity,
  type Identity,
  IdentityError,
  readIdentities,
  readIdentity,
  writeIdentity,
  writeNextIdentity,
} from './identity.ts';

let authority: TestAuthority;
let folder: TestFolder;
let before: Identity;
let after: Identity;

async function makeIdentity(n: number): Promise<Identity> {
  const { key, csr } = await certificateRequest();
  return {
    agent: 'home:main',
    stage: 'prod',
    broker: `mqtts://broker-${n}.example.org`,
    api: `https://api-${n}.example.org`,
    key,
    certificate: await authority.certify(csr, 'home:main'),
    authority: `${authority.certificate}\n`.repeat(n),
  };
}

beforeAll(async () => {
  authority = await makeTestAuthority();
  [before, after] = [await makeIdentity(1), await makeIdentity(2)];
});
beforeEach(async () => {
  folder = makeTestFolder();
  await writeIdentity(folder.path, before);
});
afterEach(() => folder[Symbol.asyncDispose]());

const file = () => join(folder.path, 'identity.json');

test('what was written is read, and only its owner can do so', async () => {
  expect(await readIdentity(folder.path)).toEqual(before);
  await writeNextIdentity(folder.path, before, after);
  expect(await namesIn(folder.path)).toEqual(['identity.json']);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test('it can be read by people: what belongs to the agent stands once, and what belongs to a certificate with it', async () => {
  const { agent, stage, api, ...credentials } = before;
  await writeNextIdentity(folder.path, before, { ...after, api });
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    agent,
    stage,
    api,
    current: credentials,
    next: { broker: after.broker, key: after.key, certificate: after.certificate, authority: after.authority },
  });
});

test.each<[string, string, (stored: Record<string, unknown>, credentials: Record<string, unknown>) => unknown]>([
  ['nothing', 'file', () => ''],
  ['half of a file', 'file', () => '{"agent": "home:m'],
  ['a list', 'agent', () => []],
  ['no agent', 'agent', (stored) => ({ ...stored, agent: undefined })],
  ['no address of a broker', 'current.broker', (stored, parts) => ({ ...stored, current: { ...parts, broker: 'x' } })],
  ['no key', 'current.key', (stored, parts) => ({ ...stored, current: { ...parts, key: 'nonsense' } })],
  ['no authority', 'current.authority', (stored, parts) => ({ ...stored, current: { ...parts, authority: '' } })],
  [
    'no certificate',
    'current.certificate',
    (stored, parts) => ({ ...stored, current: { ...parts, certificate: 'x' } }),
  ],
  [
    'a certificate for another key',
    'current.certificate',
    (stored, parts) => ({ ...stored, current: { ...parts, certificate: after.certificate } }),
  ],
  ['a next one without a key', 'next.key', (stored, parts) => ({ ...stored, next: { ...parts, key: undefined } })],
])('a file that holds %s is refused, and what is wrong is named', async (_, path, spoil) => {
  const stored = JSON.parse(await readFile(file(), 'utf8'));
  const spoilt = spoil(stored, stored.current);
  await writeFile(file(), typeof spoilt === 'string' ? spoilt : JSON.stringify(spoilt));
  const error = await readIdentity(folder.path).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(IdentityError);
  expect(String(error)).toContain(`${file()} cannot be used`);
  expect(String(error)).toContain(`${path}: `);
  expect(String(error)).toContain('Enrol the agent again.');
  expect(String(error)).not.toContain('PRIVATE KEY');
});

test('a next identity stands beside the current one until it takes its place, or another next one takes its own', async () => {
  await writeNextIdentity(folder.path, before, after);
  expect(await readIdentities(folder.path)).toEqual({ current: before, next: { ...after, api: before.api } });
  expect(await readIdentity(folder.path)).toEqual(before);

  const another = { ...(await makeIdentity(3)), api: before.api };
  await writeNextIdentity(folder.path, before, another);
  await adoptNextIdentity(folder.path, after);
  expect(await readIdentities(folder.path)).toEqual({ current: before, next: another });

  await adoptNextIdentity(folder.path, another);
  expect(await readIdentities(folder.path)).toEqual({ current: another, next: null });
});

test('an enrolment wins over a renewal that is under way', async () => {
  const enrolled = await makeIdentity(3);
  await writeNextIdentity(folder.path, before, after);
  await writeIdentity(folder.path, enrolled);
  await adoptNextIdentity(folder.path, after);
  await expect(writeNextIdentity(folder.path, before, after)).rejects.toThrow('enrolled again');
  expect(await readIdentities(folder.path)).toEqual({ current: enrolled, next: null });
});

test('what a crash has left of a file that was being written is passed by', async () => {
  await writeFile(`${file()}.tmp`, '{"agent": "home:m');
  expect(await readIdentity(folder.path)).toEqual(before);
  await writeNextIdentity(folder.path, before, after);
  expect(await namesIn(folder.path)).toEqual(['identity.json']);
});

test('who reads while another writes gets the one or the other', async () => {
  let isOver = false;
  const seen = new Map<string, Identity>();
  const reading = (async () => {
    while (!isOver) {
      const read = await readIdentity(folder.path);
      seen.set(JSON.stringify(read), read);
    }
  })();
  for (let i = 0; i < 40; i++) await writeIdentity(folder.path, i % 2 === 0 ? after : before);
  isOver = true;
  await reading;
  expect([...seen.values()].sort((a, b) => a.broker.localeCompare(b.broker))).toEqual([before, after]);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can write an identity for another user: that is not tested');

test.skipIf(!isRoot)('what root writes belongs to the user whose directory it is', async () => {
  const state = join(folder.path, 'state');
  await mkdir(state);
  await chown(state, 61_234, 61_235);
  await writeIdentity(state, before);
  await writeNextIdentity(state, before, after);
  expect(await stat(join(state, 'identity.json'))).toMatchObject({ uid: 61_234, gid: 61_235 });
});

test.each<[string, (path: string, real: string) => Promise<unknown>]>([
  ['a link', (path, real) => symlink(real, path)],
  ['a folder', (path) => mkdir(path)],
  ['far too long', (path, real) => rename(real, path).then(() => truncate(path, 2 * 1024 * 1024))],
])('an identity that is %s is not read: root reads what others can put there', async (_, put) => {
  const [path, real] = [file(), join(folder.path, 'elsewhere')];
  await rename(path, real);
  await put(path, real);
  await expect(readIdentity(folder.path)).rejects.toThrow(`Cannot read ${path}`);
});

test('an identity from before there were stages is one of a server on one machine, and keeps that from then on', async () => {
  const { agent, api, stage: _, ...credentials } = before;
  await writeFile(file(), JSON.stringify({ agent, api, current: credentials, next: null }));
  const found = await readIdentities(folder.path);
  expect(found).toEqual({ current: { ...before, stage: 'local' }, next: null });
  await writeNextIdentity(folder.path, found.current, after);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ stage: 'local' });
});

test('one of the cloud from before there were stages cannot be used: the message says how to enrol again', async () => {
  const { agent, api, stage: _, ...credentials } = before;
  const broker = 'mqtts://abc123-ats.iot.eu-central-1.amazonaws.com:8883';
  await writeFile(file(), JSON.stringify({ agent, api, current: { ...credentials, broker }, next: null }));
  await expect(readIdentity(folder.path)).rejects.toThrow(IdentityError);
  await expect(readIdentity(folder.path)).rejects.toThrow(
    /names no stage, .* enrolled home:main\..*: lanreach-agent enrol <code> --url https:\/\/api-1\.example\.org$/,
  );
});
