import { mkdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { namesIn } from '../../test/support/agent/state-names.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { makeTestAuthority, type TestAuthority } from '../../test/support/test-authority.ts';
import { certificateRequest } from './certificate-request.ts';
import {
  type Identity,
  IdentityError,
  readIdentities,
  readIdentity,
  writeIdentities,
  writeIdentity,
} from './identity.ts';

let authority: TestAuthority;
const folder = folderOfEachTest();
let before: Identity;
let after: Identity;

async function makeIdentity(n: number): Promise<Identity> {
  const { key, csr } = await certificateRequest();
  return {
    ...{ agent: 'home:main', stage: 'prod', broker: `mqtts://broker-${n}.example.org` },
    ...{ api: `https://api-${n}.example.org`, authority: `${authority.certificate}\n`.repeat(n) },
    ...{ key, certificate: await authority.certify(csr, 'home:main') },
  };
}

beforeAll(async () => {
  authority = await makeTestAuthority();
  [before, after] = [await makeIdentity(1), await makeIdentity(2)];
});
beforeEach(async () => {
  await writeIdentity(folder.path, before);
});

const file = () => join(folder.path, 'identity.json');

test('what was written is read, and people can read it too: what belongs to the agent stands once', async () => {
  const { agent, stage, api, ...credentials } = before;
  expect(await readIdentities(folder.path)).toEqual({ current: before, next: null });
  await writeIdentities(folder.path, { current: before, next: after });
  expect(await readIdentities(folder.path)).toEqual({ current: before, next: { ...after, api } });
  expect(await readIdentity(folder.path)).toEqual(before);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    agent,
    stage,
    api,
    current: credentials,
    next: { broker: after.broker, key: after.key, certificate: after.certificate, authority: after.authority },
  });
  expect(await namesIn(folder.path)).toEqual(['format', 'identity.json']);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test.each<[string, string, (stored: Record<string, unknown>, own: Record<string, unknown>) => unknown]>([
  ['nothing', 'file', () => ''],
  ['half of a file', 'file', () => '{"agent": "home:m'],
  ['a list', 'file', () => []],
  ['no agent', 'agent', (stored) => ({ ...stored, agent: undefined })],
  ['no address of a broker', 'current.broker', (stored, own) => ({ ...stored, current: { ...own, broker: 'x' } })],
  ['no key', 'current.key', (stored, own) => ({ ...stored, current: { ...own, key: 'nonsense' } })],
  ['no authority', 'current.authority', (stored, own) => ({ ...stored, current: { ...own, authority: '' } })],
  ['no certificate', 'current.certificate', (stored, own) => ({ ...stored, current: { ...own, certificate: 'x' } })],
  [
    'a certificate for another key',
    'current.certificate',
    (stored, own) => ({ ...stored, current: { ...own, certificate: after.certificate } }),
  ],
  ['a next one without a key', 'next.key', (stored, own) => ({ ...stored, next: { ...own, key: undefined } })],
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

test('what a crash has left of a file that was being written is passed by', async () => {
  await writeFile(`${file()}.tmp`, '{"agent": "home:m');
  expect(await readIdentity(folder.path)).toEqual(before);
  await writeIdentity(folder.path, after);
  expect(await namesIn(folder.path)).toEqual(['format', 'identity.json']);
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
