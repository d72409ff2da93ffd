import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DiscoverySettings, DiscoveryState } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { DiscoveryWatcher } from './watcher.ts';

/** Of TEST-NET-3, to which no host is attached: nothing is sent. */
const NOWHERE: DiscoverySettings = { enabled: true, networks: ['203.0.113.0/24'], intervalSeconds: 30 };
const FAILING: DiscoveryState = { state: 'failing', problem: 'this host is not attached to 203.0.113.0/24' };

/** The first cycle begins at once. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

async function startWatcher({ policy = {} as unknown, stored = null as unknown } = {}) {
  const folder = makeTestFolder();
  const file = join(folder.path, 'discovery-settings.json');
  if (stored !== null) await writeFile(file, typeof stored === 'string' ? stored : JSON.stringify(stored));
  const watcher = await DiscoveryWatcher.open({
    stateDirectory: folder.path,
    rules: parsePolicy(policy).discovery,
    snmpFile: join(folder.path, 'snmp.json'),
    sourceRules: parsePolicy(policy).sources,
    publish: async () => {},
    onState: () => {},
    log: pino({ level: 'silent' }),
  });
  return {
    watcher,
    settings: (revision: number, discovery: DiscoverySettings) =>
      watcher.control({ v: PROTOCOL_VERSION, t: 'settings', revision, discovery }),
    becomes: (state: DiscoveryState) => expect.poll(() => watcher.state).toEqual(state),
    /** Makes each attempt to write the settings fail, as on a full disk, or no longer. */
    fillDisk: (isFull: boolean) => (isFull ? mkdir(`${file}.tmp`) : rm(`${file}.tmp`, { recursive: true })),
    kept: async () => JSON.parse(await readFile(file, 'utf8')),
    async [Symbol.asyncDispose]() {
      await watcher.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('discovery is off until the cloud enables it; the settings are persisted, and older ones are ignored', async () => {
  await using site = await startWatcher();
  expect([site.watcher.state, site.watcher.settings?.revision]).toEqual([{ state: 'off' }, undefined]);
  await site.settings(7, NOWHERE);
  await site.becomes(FAILING);
  expect(await site.kept()).toEqual({ revision: 7, discovery: NOWHERE });
  for (const revision of [6, 7]) await site.settings(revision, { ...NOWHERE, enabled: false });
  expect([site.watcher.state, site.watcher.settings?.revision]).toEqual([FAILING, 7]);
  await site.settings(8, { ...NOWHERE, enabled: false });
  expect([site.watcher.state, site.watcher.settings?.revision]).toEqual([{ state: 'off' }, 8]);
});

test('an agent with stored settings goes on without the cloud', async () => {
  await using site = await startWatcher({ stored: { revision: 5, discovery: NOWHERE } });
  await site.becomes(FAILING);
});

test('settings that cannot be read leave discovery off', async () => {
  await using site = await startWatcher({ stored: '{"revision": ' });
  expect(site.watcher.state).toEqual({ state: 'off' });
  await site.settings(1, { ...NOWHERE, enabled: false });
  expect(await site.kept()).toMatchObject({ revision: 1 });
});

test('what the policy of the host forbids, no setting can turn on', async () => {
  await using site = await startWatcher({ policy: { discovery: { allow: false } } });
  await site.settings(5, NOWHERE);
  const problem = 'the policy file on the host of the agent forbids discovery';
  expect(site.watcher.state).toEqual({ state: 'not-allowed', problem });
});

test('settings hold also when they cannot be written down, and are written when they can', async () => {
  const before = { revision: 4, discovery: { ...NOWHERE, enabled: false } };
  await using site = await startWatcher({ stored: before });
  await site.fillDisk(true);
  await expect(site.settings(5, NOWHERE)).rejects.toThrow();
  await site.becomes(FAILING);
  expect(await site.kept()).toEqual(before);
  await site.fillDisk(false);
  await site.settings(6, { ...NOWHERE, enabled: false });
  expect(site.watcher.state).toEqual({ state: 'off' });
  expect(await site.kept()).toMatchObject({ revision: 6 });
});
