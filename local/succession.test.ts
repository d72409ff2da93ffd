import { pino } from 'pino';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { openCertificateAuthority } from './certificate-authority.ts';
import { changeState, readState } from './state.ts';
import { openSuccession } from './succession.ts';

const log = pino({ level: 'silent' });
const folderOfAuthority = makeTestFolder();
afterAll(() => folderOfAuthority.remove());
const authority = await openCertificateAuthority(folderOfAuthority.path, []);
const STANDBY = { api: 'http://second:8787', broker: 'mqtts://second:8883' };
afterEach(() => void vi.unstubAllGlobals());

const standbyThat = (answers: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(answers));
const serves = (term: number) =>
  standbyThat(async () => Response.json({ status: 'ok', version: '1', term, proof: authority.proofOf(term) }));

async function open() {
  using folder = makeTestFolder();
  const data = { path: folder.path };
  return { data, succession: await openSuccession(data, STANDBY, authority, log) };
}

test.each([
  ['is away', () => standbyThat(() => Promise.reject(new TypeError('fetch failed')))],
  ['waits', () => standbyThat(async () => Response.json({ status: 'standby', copy: { term: 7 } }))],
  ['answers something else', () => standbyThat(async () => new Response('<html>', { status: 502 }))],
  ['has the same term', () => serves(1)],
  ['proves no greater term', () => standbyThat(async () => Response.json({ status: 'ok', version: '1', term: 7 }))],
])('a standby that %s has not taken over', async (_, answers) => {
  answers();
  const { succession } = await open();
  expect(succession.whyReadOnly()).toBeNull();
  expect(succession.deployment).toMatchObject({ term: 1, standby: STANDBY });
});

test('one that serves with a greater term has, and that outlives a restart without it', async () => {
  const folder = makeTestFolder();
  const data = { path: folder.path };
  serves(2);
  const first = await openSuccession(data, STANDBY, authority, log);
  expect(first.whyReadOnly()).toContain(
    'The server at http://second:8787 has taken over from this one (term 2, and 1 here)',
  );
  const acts: string[] = [];
  first.whenSuperseded(() => acts.push('at once'));
  expect(acts).toEqual(['at once']);
  await first.watch()();
  expect(await readState(data)).toMatchObject({ term: 1, supersededBy: 2 });
  standbyThat(() => Promise.reject(new TypeError('fetch failed')));
  expect((await openSuccession(data, STANDBY, authority, log)).whyReadOnly()).toContain('has taken over');
  await folder.remove();
});

test('an agent that has heard of a greater term is believed with its proof alone, and once', async () => {
  serves(1);
  const { succession } = await open();
  let times = 0;
  succession.whenSuperseded(() => times++);
  const proof = authority.proofOf(3);
  succession.heardOf(1, 'cabin:one', authority.proofOf(1));
  succession.heardOf(3, 'cabin:one');
  succession.heardOf(3, 'cabin:one', succession.deployment.proof);
  succession.heardOf(1_000_000, 'cabin:one', proof);
  expect(succession.whyReadOnly()).toBeNull();
  succession.heardOf(3, 'cabin:one', proof);
  succession.heardOf(3, 'cabin:two', proof);
  succession.heardOf(2, 'cabin:two', authority.proofOf(2));
  expect(times).toBe(1);
  expect(succession.whyReadOnly()).toContain('term 3');
  await succession.watch()();
});

test('a term that no reader would take is not written: with it, all that is remembered would be forgotten', async () => {
  await using folder = makeTestFolder();
  await changeState(folder, { term: 1_000_000, hasDatabase: true });
  await expect(changeState(folder, { term: 1_000_001 })).rejects.toThrow();
  expect(await readState(folder)).toMatchObject({ term: 1_000_000, hasDatabase: true });
});

test('what has superseded it before it counted again does not count any more', async () => {
  await using folder = makeTestFolder();
  const data = { path: folder.path };
  await changeState(data, { term: 3, supersededBy: 2 });
  serves(1);
  const succession = await openSuccession(data, STANDBY, authority, log);
  succession.whenSuperseded(() => expect.fail('it counts'));
  succession.heardOf(3, 'cabin:one', authority.proofOf(3));
  expect(succession.whyReadOnly()).toBeNull();
  await succession.watch()();
});
