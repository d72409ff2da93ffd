import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { readState } from './state.ts';
import { openSuccession } from './succession.ts';

const log = pino({ level: 'silent' });
const STANDBY = { api: 'http://second:8787', broker: 'mqtts://second:8883' };
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const standbyThat = (answers: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(answers));
const serves = (term: number) => standbyThat(async () => Response.json({ status: 'ok', version: '1', term }));

async function open() {
  using folder = makeTestFolder();
  const data = { path: folder.path };
  return { data, succession: await openSuccession(data, STANDBY, log) };
}

test.each([
  ['is away', () => standbyThat(() => Promise.reject(new TypeError('fetch failed')))],
  ['waits', () => standbyThat(async () => Response.json({ status: 'standby', copy: { term: 7 } }))],
  ['answers something else', () => standbyThat(async () => new Response('<html>', { status: 502 }))],
  ['has the same term', () => serves(1)],
])('a standby that %s has not taken over', async (_, answers) => {
  answers();
  const { succession } = await open();
  expect(succession.whyReadOnly()).toBeNull();
  expect(succession.deployment).toEqual({ term: 1, standby: STANDBY });
});

test('one that serves with a greater term has, and that outlives a restart without it', async () => {
  const folder = makeTestFolder();
  const data = { path: folder.path };
  serves(2);
  const first = await openSuccession(data, STANDBY, log);
  expect(first.whyReadOnly()).toContain(
    'The server at http://second:8787 has taken over from this one (term 2, and 1 here)',
  );
  const acts: string[] = [];
  first.whenSuperseded(() => acts.push('at once'));
  expect(acts).toEqual(['at once']);
  await first.watch()();
  expect(await readState(data)).toMatchObject({ term: 1, supersededBy: 2 });
  standbyThat(() => Promise.reject(new TypeError('fetch failed')));
  expect((await openSuccession(data, STANDBY, log)).whyReadOnly()).toContain('has taken over');
  await folder.remove();
});

test('a server that has taken over asks the first one, which may count again', async () => {
  using folder = makeTestFolder();
  serves(3);
  const succession = await openSuccession({ path: folder.path }, null, log, 'http://first:8787');
  expect(succession.deployment).toEqual({ term: 1, standby: null });
  expect(succession.whyReadOnly()).toContain('has taken over from this one (term 3, and 1 here)');
  expect(fetch).toHaveBeenCalledWith('http://first:8787/health', expect.anything());
  await succession.watch()();
});

test('an agent that says so is not believed, but has the standby asked', async () => {
  const folder = makeTestFolder();
  const data = { path: folder.path };
  serves(1);
  const succession = await openSuccession(data, STANDBY, log);
  let times = 0;
  succession.whenSuperseded(() => times++);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  succession.heardOf(1_000_000, 'cabin:liar'); // No deployment has had so many promotions.
  expect(fetch).toHaveBeenCalledTimes(1);
  for (const term of [3, 3, 4]) succession.heardOf(term, 'cabin:liar');
  expect(fetch, 'agents cannot make it ask again and again').toHaveBeenCalledTimes(2);
  await succession.watch()();
  expect(succession.whyReadOnly()).toBeNull();
  expect(await readState(data)).toMatchObject({ term: 1, supersededBy: null, reportedTerm: 4 });
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 120_000);
  serves(2);
  succession.heardOf(3, 'cabin:one');
  await vi.waitFor(() => expect(succession.whyReadOnly()).toContain('term 2'));
  expect(times).toBe(1);
  await succession.watch()();
  await folder.remove();
});
