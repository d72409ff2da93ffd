import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { makeTestAuthority } from '../../test/support/test-authority.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import { namesIn } from '../testing/state-names.ts';
import { certificateRequest } from './certificate-request.ts';
import { type Identity, migrateIdentity, readIdentities, writeIdentity } from './identity.ts';

let folder: TestFolder;
let before: Identity;
let after: Identity;

beforeAll(async () => {
  const authority = await makeTestAuthority();
  const makeIdentity = async (): Promise<Identity> => {
    const { key, csr } = await certificateRequest();
    const certificate = await authority.certify(csr, 'home:main');
    const where = { broker: 'mqtts://broker.example.org', api: 'https://api.example.org' };
    return { agent: 'home:main', stage: LOCAL_STAGE, ...where, key, certificate, authority: authority.certificate };
  };
  [before, after] = [await makeIdentity(), await makeIdentity()];
});
beforeEach(async () => {
  folder = makeTestFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const FILES = ['identity.json', 'key.pem', 'cert.pem', 'ca.pem'] as const;
type File = (typeof FILES)[number];

function contentOf({ agent, broker, api, key, certificate, authority }: Identity): Record<File, string> {
  const described = JSON.stringify({ agent, broker, api });
  return { 'identity.json': described, 'key.pem': key, 'cert.pem': certificate, 'ca.pem': authority };
}

async function put(content: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(content)) await writeFile(join(folder.path, name), text, { mode: 0o600 });
}

const replacement = (stage: string) => ({ 'new-identity.json': JSON.stringify({ ...after, stage }) });

/** Reads as an agent does at its first start with this version, and as it does from then on. */
async function takenOver() {
  const found = await readIdentities(folder.path);
  await migrateIdentity(folder.path);
  expect(await readIdentities(folder.path)).toEqual(found);
  expect(await namesIn(folder.path)).toEqual(['identity.json']);
  return found;
}

test('an identity in four files is taken over', async () => {
  await put(contentOf(before));
  expect(await takenOver()).toEqual({ current: before, next: null });
});

test.each(['issued', 'connected'])('one whose renewal was under way (%s) is taken over with it', async (stage) => {
  await put({ ...contentOf(before), ...replacement(stage) });
  expect(await takenOver()).toEqual({ current: before, next: after });
});

test('where a crash has interrupted the replacement of the four files, what was to be in them is taken over', async () => {
  const [old, renewed] = [contentOf(before), contentOf(after)];
  for (let written = 0; written < 2 ** FILES.length; written++) {
    await put(Object.fromEntries(FILES.map((name, i) => [name, ((written >> i) & 1 ? renewed : old)[name]])));
    await put(replacement('current'));
    expect(await takenOver()).toEqual({ current: after, next: null });
  }
  await rm(join(folder.path, 'identity.json'));
  await put(replacement('current')); // A first enrolment.
  expect(await takenOver()).toEqual({ current: after, next: null });
});

test('an identity of a version that did not know the API yet is taken over', async () => {
  const { agent, broker } = before;
  await put({ ...contentOf(before), 'identity.json': JSON.stringify({ agent, broker }) });
  expect(await takenOver()).toEqual({ current: { ...before, api: null }, next: null });
});

test('a crash while an identity is taken over leaves it whole: the next start goes on', async () => {
  await put({ ...contentOf(before), ...replacement('issued') });
  await migrateIdentity(folder.path);
  const { 'identity.json': _, ...others } = contentOf(before);
  await put(others); // As if nothing but the new file had been written.
  expect(await takenOver()).toEqual({ current: before, next: after });
});

test('what is left of the former layout does not count beside an identity of the present one', async () => {
  await put({ ...contentOf(before), ...replacement('current') });
  const enrolled = { ...before, agent: 'home:other' };
  await writeIdentity(folder.path, enrolled);
  expect(await takenOver()).toEqual({ current: enrolled, next: null });
  const written = await readFile(join(folder.path, 'identity.json'), 'utf8');
  await migrateIdentity(folder.path);
  expect(await readFile(join(folder.path, 'identity.json'), 'utf8')).toBe(written);
});

test('a missing file is named', async () => {
  await put(contentOf(before));
  await rm(join(folder.path, 'key.pem'));
  await expect(readIdentities(folder.path)).rejects.toThrow(/identity\.json cannot be used \(current\.key: /);
});
