import { chown, mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { certificateRequest } from './certificate-request.ts';
import {
  advanceNextIdentity,
  finishIdentity,
  type Identity,
  IdentityError,
  readIdentities,
  readIdentity,
  writeIdentity,
  writeNextIdentity,
} from './identity.ts';
import { makeTestAuthority, type TestAuthority } from './testing/authority.ts';
import { makeTestFolder, namesIn, type TestFolder } from './testing/folder.ts';

const FILES = ['ca.pem', 'cert.pem', 'identity.json', 'key.pem'];

let authority: TestAuthority;
let folder: TestFolder;
let before: Identity;
let after: Identity;

async function makeIdentity(n: number): Promise<Identity> {
  const { key, csr } = await certificateRequest();
  return {
    agent: 'home:main',
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
  folder = await makeTestFolder();
  await writeIdentity(folder.path, before);
});
afterEach(() => folder[Symbol.asyncDispose]());

const names = () => namesIn(folder.path);

test('what was written is read, and only its owner can do so', async () => {
  expect(await readIdentity(folder.path)).toEqual(before);
  expect(await names()).toEqual(FILES);
  await writeNextIdentity(folder.path, after);
  for (const name of await names())
    expect([name, (await stat(join(folder.path, name))).mode & 0o777]).toEqual([name, 0o600]);
});

test.each(FILES)('a spoilt %s is named, and not another file', async (name) => {
  for (const spoilt of ['', 'nonsense', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
    await writeFile(join(folder.path, name), spoilt);
    const error = await readIdentity(folder.path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(IdentityError);
    expect(String(error)).toContain(`${join(folder.path, name)} `);
    expect(String(error)).toContain('Enrol the agent again.');
  }
});

test('a next identity stands beside the present one, takes its place when it has been used, and can be dropped', async () => {
  await writeNextIdentity(folder.path, after);
  expect(await readIdentities(folder.path)).toEqual({ present: before, next: { stage: 'issued', identity: after } });
  expect(await readIdentity(folder.path)).toEqual(before);

  expect(await advanceNextIdentity(folder.path, after.certificate, 'connected')).toBe(true);
  expect(await readIdentities(folder.path)).toEqual({ present: before, next: { stage: 'connected', identity: after } });
  expect(await readIdentity(folder.path)).toEqual(after);

  expect(await advanceNextIdentity(folder.path, after.certificate, 'dropped')).toBe(true);
  expect(await readIdentities(folder.path)).toEqual({ present: before, next: null });

  await writeNextIdentity(folder.path, after);
  expect(await advanceNextIdentity(folder.path, after.certificate, 'current')).toBe(true);
  expect(await readIdentities(folder.path)).toEqual({ present: after, next: null });
  expect(await names()).toEqual(FILES);
});

test('an enrolment wins over a renewal that is under way', async () => {
  const enrolled = await makeIdentity(3);
  await writeNextIdentity(folder.path, after);
  await writeIdentity(folder.path, enrolled);
  for (const to of ['connected', 'current', 'dropped'] as const) {
    expect(await advanceNextIdentity(folder.path, after.certificate, to)).toBe(false);
  }
  expect(await readIdentities(folder.path)).toEqual({ present: enrolled, next: null });
});

test('a crash while the files are replaced: the new identity counts, whichever of them had been written', async () => {
  const old = await contentOf();
  await writeIdentity(folder.path, after);
  const renewed = await contentOf();
  const whole = `${JSON.stringify({ stage: 'current', ...after })}\n`;
  for (let written = 0; written < 2 ** FILES.length; written++) {
    for (const [i, name] of FILES.entries()) {
      const content = ((written >> i) & 1 ? renewed : old)[name] ?? '';
      await writeFile(join(folder.path, name), content);
    }
    await writeFile(join(folder.path, 'new-identity.json'), whole);
    expect(await readIdentities(folder.path)).toEqual({ present: after, next: null });
    await finishIdentity(folder.path);
    expect(await contentOf()).toEqual(renewed);
  }
});

test('a crash of the first enrolment leaves all of it or nothing', async () => {
  for (const name of FILES) await rm(join(folder.path, name));
  await expect(readIdentity(folder.path)).rejects.toThrow(IdentityError);
  await writeFile(join(folder.path, 'new-identity.json'), JSON.stringify({ stage: 'current', ...after }));
  expect(await readIdentity(folder.path)).toEqual(after);
});

test.each([
  ['nothing', ''],
  ['half of it', '{"stage": "current", "agent": "home:m'],
  ['something else', '[1, 2]'],
  ['an unknown stage', '{"stage": "done"}'],
])('a new identity that cannot be read is passed by: %s', async (_, text) => {
  await writeFile(join(folder.path, 'new-identity.json'), text);
  expect(await readIdentities(folder.path)).toEqual({ present: before, next: null });
  await writeFile(join(folder.path, 'new-identity.json.tmp'), text);
  await writeNextIdentity(folder.path, after);
  expect((await readIdentities(folder.path)).next?.identity).toEqual(after);
});

test('a new identity whose certificate is for another key is passed by; so is no file of the present one', async () => {
  const torn = { ...after, certificate: before.certificate };
  await writeFile(join(folder.path, 'new-identity.json'), JSON.stringify({ stage: 'current', ...torn }));
  expect(await readIdentity(folder.path)).toEqual(before);
  await writeFile(join(folder.path, 'cert.pem'), after.certificate);
  await expect(readIdentity(folder.path)).rejects.toThrow(/cert\.pem is a certificate for another key/);
});

test('an identity of an early version does not know the API', async () => {
  const { agent, broker } = before;
  await writeFile(join(folder.path, 'identity.json'), JSON.stringify({ agent, broker }));
  expect(await readIdentity(folder.path)).toEqual({ ...before, api: null });
});

test('who reads while another writes gets the one or the other', async () => {
  let isOver = false;
  const seen = new Set<string>();
  const reading = (async () => {
    while (!isOver) seen.add(JSON.stringify(await readIdentity(folder.path)));
  })();
  for (let i = 0; i < 40; i++) await writeIdentity(folder.path, i % 2 === 0 ? after : before);
  isOver = true;
  await reading;
  expect([...seen].sort()).toEqual([JSON.stringify(before), JSON.stringify(after)].sort());
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Only root can write an identity for another user: that is not tested');

test.skipIf(!isRoot)('what root writes belongs to the user whose directory it is', async () => {
  const state = join(folder.path, 'state');
  await mkdir(state);
  await chown(state, 61_234, 61_235);
  await writeIdentity(state, before);
  await writeNextIdentity(state, after);
  const written = await namesIn(state);
  expect(written).toHaveLength(5);
  for (const name of written) expect(await stat(join(state, name))).toMatchObject({ uid: 61_234, gid: 61_235 });
});

async function contentOf(): Promise<Record<string, string>> {
  const read = (await names()).map(async (name) => [name, await readFile(join(folder.path, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(read));
}

test.each<[string, (path: string, real: string) => Promise<unknown>]>([
  ['a link', (path, real) => symlink(real, path)],
  ['a folder', (path) => mkdir(path)],
  ['far too long', (path, real) => rename(real, path).then(() => truncate(path, 2 * 1024 * 1024))],
])('a key that is %s is not read: root reads what others can put there', async (_, put) => {
  await writeIdentity(folder.path, before);
  const [path, real] = [join(folder.path, 'key.pem'), join(folder.path, 'elsewhere')];
  await rename(path, real);
  await put(path, real);
  await expect(readIdentity(folder.path)).rejects.toThrow(`Cannot read ${path}`);
});
