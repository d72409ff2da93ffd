import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { DiscoverySettings, DiscoveryState } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { startAgent } from '../agent.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { lockDirectory } from '../state/lock.ts';
import { AGENT, startTestBroker } from '../testing/broker.ts';
import { runTool } from '../tools/registry.ts';

/** Of TEST-NET-3, to which no host is attached: nothing is sent. */
const NOWHERE: DiscoverySettings = { enabled: true, networks: ['203.0.113.0/24'], intervalSeconds: 30 };

async function startSite({ policy = {} as unknown, stored = null as unknown } = {}) {
  const folder = makeTestFolder();
  const file = join(folder.path, 'discovery-settings.json');
  if (stored !== null) await writeFile(file, typeof stored === 'string' ? stored : JSON.stringify(stored));
  const broker = await startTestBroker();
  const start = async () =>
    startAgent({
      stage: LOCAL_STAGE,
      agent: AGENT,
      dial: () => ({ protocol: 'mqtt', host: '127.0.0.1', port: broker.port }),
      stateDirectory: folder.path,
      lock: await lockDirectory(folder.path, 0),
      policy: parsePolicy(policy),
      runTool,
      internetInfoUrl: null,
      speedtestServer: null,
      version: '0.0.0',
      log: pino({ level: 'silent' }),
    });
  const agent = await start();
  await broker.presence('online');
  return {
    broker,
    /** Sends settings as the cloud does. */
    settings: (revision: number, discovery: DiscoverySettings) =>
      broker.send('ctl', { v: PROTOCOL_VERSION, t: 'settings', revision, discovery }),
    /** Waits until the presence says this of discovery. */
    says: (state: DiscoveryState['state']) =>
      waitFor(`discovery ${state}`, () => {
        const last = broker.presences.findLast(({ state }) => state === 'online')?.discovery;
        return last?.state === state ? last : undefined;
      }),
    /** Makes each attempt to write the settings fail, as on a full disk, or no longer. */
    fillDisk: async (isFull: boolean) => {
      if (isFull) await mkdir(`${file}.tmp`);
      else await rm(`${file}.tmp`, { recursive: true });
    },
    kept: async () => JSON.parse(await readFile(file, 'utf8')),
    async [Symbol.asyncDispose]() {
      await agent.stop(0);
      await broker[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('discovery is off until the cloud asks for it; the settings are kept', async () => {
  await using site = await startSite();
  expect(await site.says('off')).toEqual({ state: 'off' });
  await site.settings(5, NOWHERE);
  expect(await site.says('failing')).toEqual({
    state: 'failing',
    problem: 'this host is not attached to 203.0.113.0/24',
  });
  expect(await site.kept()).toEqual({ revision: 5, discovery: NOWHERE });
  // So that the cloud tells only those who have older ones.
  expect(site.broker.presences.map(({ settings }) => settings)).toEqual(expect.arrayContaining([undefined, 5]));
});

test('settings that are older than those the agent has are ignored', async () => {
  await using site = await startSite();
  await site.settings(7, NOWHERE);
  await site.says('failing');
  await site.settings(6, { ...NOWHERE, enabled: false });
  await site.settings(7, { ...NOWHERE, enabled: false });
  await site.settings(8, { ...NOWHERE, intervalSeconds: 60 });
  await expect.poll(site.kept).toMatchObject({ revision: 8, discovery: { enabled: true } });
  await site.settings(9, { ...NOWHERE, enabled: false });
  await site.says('off');
});

test('an agent that was told before goes on without the cloud', async () => {
  await using site = await startSite({ stored: { revision: 5, discovery: NOWHERE } });
  expect(await site.says('failing')).toMatchObject({ problem: 'this host is not attached to 203.0.113.0/24' });
});

test('settings that cannot be read leave discovery off, and the agent runs', async () => {
  await using site = await startSite({ stored: '{"revision": ' });
  await site.says('off');
  await site.settings(1, { ...NOWHERE, enabled: false });
  await expect.poll(site.kept).toMatchObject({ revision: 1 });
});

test('what the policy of the host forbids, no setting can turn on', async () => {
  await using site = await startSite({ policy: { discovery: { allow: false } } });
  await site.settings(5, NOWHERE);
  expect(await site.says('not-allowed')).toEqual({
    state: 'not-allowed',
    problem: 'the policy file on the host of the agent forbids discovery',
  });
});

test('settings hold also when they cannot be written down, and are written when they can', async () => {
  await using site = await startSite({ stored: { revision: 4, discovery: { ...NOWHERE, enabled: false } } });
  await site.says('off');
  await site.fillDisk(true);
  await site.settings(5, NOWHERE);
  await site.says('failing');
  expect(await site.kept()).toMatchObject({ revision: 4, discovery: { enabled: false } });
  await site.fillDisk(false);
  await site.settings(6, { ...NOWHERE, enabled: false });
  await site.says('off');
  await expect.poll(site.kept).toMatchObject({ revision: 6 });
});
