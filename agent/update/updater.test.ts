import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { EMPTY_PLAN } from '../../shared/agent/plan.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { NO_UPDATES, readRecord, writeRecord } from '../launch/record.ts';
import { Updater, type UpdaterOptions } from './updater.ts';
import { ReleaseRefused } from './verify-release.ts';

const state = folderOfEachTest();
let folder: string;
beforeEach(() => {
  folder = join(state.path, 'update');
});

const CODE = Buffer.from('// newer');
const wanted = (version?: string) => ({ ...EMPTY_PLAN, ...(version === undefined ? {} : { update: { version } }) });

const QUICK = { firstWithinMs: 0, firstRetryMs: 1, longestRetryMs: 60_000, healthAgainMs: 1 };

/** An updater of version 1.1.0, and what it has done. */
function startUpdater(changes: Partial<UpdaterOptions> = {}) {
  const fetched: string[] = [];
  const states: string[] = [];
  let restarts = 0;
  const updater: Updater = new Updater({
    folder,
    version: '1.1.0',
    able: true,
    settleMs: null,
    async fetch(version) {
      fetched.push(version);
      return { version, node: '20.19.0', code: CODE };
    },
    isConnected: () => true,
    tryCommand: async () => null,
    restart: async () => void restarts++,
    onState() {
      const { last } = updater.state;
      states.push(last === null ? '-' : `${last.version} ${last.state}`);
    },
    log: pino({ level: 'silent' }),
    pace: QUICK,
    ...changes,
  });
  updater.start();
  return { updater, fetched, states, restarts: () => restarts };
}

test('a newer version that is planned is installed on trial, and then the agent is started again', async () => {
  const { updater, fetched, states, restarts } = startUpdater();
  updater.apply(wanted('1.2.0'));
  updater.apply(wanted('1.2.0'));
  await waitFor('a restart', () => restarts() > 0);
  expect([fetched, states, restarts()]).toEqual([['1.2.0'], ['1.2.0 installing'], 1]);
  expect(readFileSync(join(folder, 'agent-1.2.0.mjs'), 'utf8')).toBe('// newer');
  expect(readRecord(folder)).toMatchObject({
    proven: null,
    trial: { version: '1.2.0', node: '20.19.0', starts: 0 },
    last: { version: '1.2.0', state: 'installing', reason: null },
  });
});

test('what is not newer, was given up, or must not be replaced is left alone', async () => {
  mkdirSync(folder);
  writeRecord(folder, { ...NO_UPDATES, givenUp: '1.2.0' });
  const { updater, fetched } = startUpdater();
  for (const version of ['1.1.0', '1.0.9', '0.9.0', '1.2.0', undefined]) updater.apply(wanted(version));
  const unable = startUpdater({ able: false });
  unable.updater.apply(wanted('1.3.0'));
  expect(unable.updater.state).toEqual({ able: false, last: null });
  updater.apply(wanted('1.3.0'));
  await waitFor('the newer one', () => fetched.length > 0);
  expect([fetched, unable.fetched]).toEqual([['1.3.0'], []]);
});

test('a refused release is reported at once, and the agent stays as it was', async () => {
  const { updater, states } = startUpdater({
    fetch: () => Promise.reject(new ReleaseRefused(`its signature\nis ${'wrong '.repeat(100)}`)),
  });
  updater.apply(wanted('1.2.0'));
  await waitFor('a failure', () => states.length === 2);
  updater.stop();
  expect(states).toEqual(['1.2.0 installing', '1.2.0 failed']);
  expect(updater.state.last?.reason).toMatch(/^its signature is wrong/);
  expect(updater.state.last?.reason).toHaveLength(300);
  expect(existsSync(folder)).toBe(false);
});

test('a transient failure is retried, and reported after a while; the update may still succeed', async () => {
  writeFileSync(folder, 'a file, where the folder would have to be');
  const { updater, states, fetched, restarts } = startUpdater();
  updater.apply(wanted('1.2.0'));
  await waitFor('a failure', () => states.length === 2);
  expect(states).toEqual(['1.2.0 installing', '1.2.0 failed']);
  expect(updater.state.last?.reason).toContain('EEXIST');
  expect(fetched.length).toBeGreaterThanOrEqual(6);
  expect(readRecord(folder)).toEqual(NO_UPDATES);
  rmSync(folder);
  await waitFor('a restart', () => restarts() > 0);
  expect(states.slice(2)).toEqual(['1.2.0 installing']);
});

test('what is no longer planned is fetched no further, and not started if that has not begun', async () => {
  let hasBegun = false;
  const { updater, states } = startUpdater({
    async restart(signal) {
      hasBegun = true;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  updater.apply(wanted('1.2.0'));
  await waitFor('the wait for an idle moment', () => hasBegun);
  expect(readRecord(folder).trial?.version).toBe('1.2.0');
  updater.apply(wanted());
  await waitFor('its end', () => states.at(-1) === '-');
  expect(readRecord(folder)).toEqual(NO_UPDATES);
  updater.apply(wanted('1.3.0'));
  await waitFor('the newer one', () => readRecord(folder).trial?.version === '1.3.0');
});

test('on trial: it is proven once it is connected, runs a command, and stays connected; only then comes another', async () => {
  await install('1.1.0');
  let connected = false;
  const faults: (string | null)[] = ['the tool is broken', null];
  const { updater, states, fetched } = startUpdater({
    settleMs: 20,
    isConnected: () => connected,
    tryCommand: async () => faults.shift() ?? null,
  });
  updater.apply(wanted('1.2.0'));
  expect(readRecord(folder)).toMatchObject({ trial: { version: '1.1.0' } });
  connected = true;
  await waitFor('the next one', () => fetched.length > 0);
  expect(states.slice(0, 2)).toEqual(['1.1.0 done', '1.2.0 installing']);
  expect(faults).toEqual([]);
  expect(readRecord(folder)).toMatchObject({ proven: { version: '1.1.0' } });
});

test('a program whose trial was ended meanwhile does not prove itself', async () => {
  await install('1.1.0');
  const lines: string[] = [];
  const { updater, states } = startUpdater({ settleMs: 0, log: pino({}, { write: (line) => lines.push(line) }) });
  writeRecord(folder, { ...NO_UPDATES, givenUp: '1.1.0' });
  await waitFor('its end to be noticed', () => lines.some((line) => line.includes('its trial was ended')));
  updater.stop();
  expect(states).toEqual([]);
  expect(readRecord(folder)).toEqual({ ...NO_UPDATES, givenUp: '1.1.0' });
});

/** As the version before has left it. */
async function install(version: string): Promise<void> {
  const { updater, restarts } = startUpdater({ version: '1.0.0' });
  updater.apply(wanted(version));
  await waitFor('its installation', () => restarts() > 0);
}
