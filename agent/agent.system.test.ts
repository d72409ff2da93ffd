import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { EMPTY_PLAN } from '../shared/agent/plan.ts';
import { topics } from '../shared/agent/topics.ts';
import { packPlan } from '../shared/agent/wire.ts';
import { LOCAL_STAGE } from '../shared/identity.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { startAgent } from './agent.ts';
import { parsePolicy } from './jobs/policy.ts';
import { lockDirectory } from './state/lock.ts';
import { AGENT, CLIENT, startTestBroker } from './testing/broker.ts';
import { runTool } from './tools/registry.ts';

const log = pino({ level: 'silent' });

async function start(stateDirectory: string, port: number) {
  return startAgent({
    stage: LOCAL_STAGE,
    agent: AGENT,
    dial: () => ({ protocol: 'mqtt', host: '127.0.0.1', port }),
    stateDirectory,
    lock: await lockDirectory(stateDirectory, 0),
    policy: parsePolicy({}),
    snmpFile: join(stateDirectory, 'snmp.json'),
    updates: null,
    runTool,
    internetInfoUrl: null,
    speedtestServer: null,
    version: '0.0.0',
    log,
  });
}

const settings = (revision: number, more: { direct?: boolean; restoredAt?: number } = {}) => ({
  ...{ v: PROTOCOL_VERSION, t: 'settings', revision, discovery: { enabled: false, networks: 'auto' } },
  ...more,
});

test('an agent hands its presence to a rule from when the settings say that it may, and says that it was told', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const agent = await start(folder.path, broker.port);
  const said = () => broker.presences.at(-1);
  expect(await broker.presence('online')).toMatchObject({ direct: false });
  await broker.send('ctl', settings(1)); // Of a service of the release before.
  await waitFor('the first settings', () => said()?.settings === 1);
  expect([said()?.direct, broker.topics.at(-1)]).toEqual([false, topics.presence(CLIENT)]);
  await broker.send('ctl', settings(1, { direct: true })); // The revision is the same: it is for this that it is told.
  await waitFor('that it was told', () => said()?.direct === true);
  expect(broker.topics.at(-1)).toBe(topics.direct('presence', CLIENT));
  await agent.stop(0);
  expect([said()?.state, broker.topics.at(-1)]).toEqual(['offline', topics.direct('presence', CLIENT)]);
});

test('once for each restored backup, the settings and the plan of the server hold, however old they are', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const has = (settings: number, plan: number) =>
    waitFor(`settings ${settings}, plan ${plan}`, () => {
      const said = broker.presences.at(-1);
      return said?.settings === settings && said.plan === plan;
    });
  const plan = (revision: number) => ({ v: PROTOCOL_VERSION, t: 'plan', revision, plan: packPlan(EMPTY_PLAN) });

  let agent = await start(folder.path, broker.port);
  await broker.presence('online');
  await broker.send('ctl', settings(900));
  await broker.send('ctl', plan(900));
  await broker.send('ctl', settings(500, { restoredAt: 7 }));
  await has(500, 1); // Any plan is younger than that.
  await broker.send('ctl', plan(400));
  await agent.stop(0);

  agent = await start(folder.path, broker.port);
  await waitFor('the agent to be back', () => broker.presences.at(-1)?.state === 'online');
  await broker.send('ctl', settings(300, { restoredAt: 7 }));
  await broker.send('ctl', settings(501, { restoredAt: 7 }));
  await has(501, 400);
  await broker.send('ctl', settings(200, { restoredAt: 8 }));
  await has(200, 1);
  await agent.stop(0);
});
