import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { topics } from '../shared/agent/topics.ts';
import { LOCAL_STAGE } from '../shared/identity.ts';
import { AGENT, CLIENT, startTestBroker } from '../test/support/agent/broker.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { startAgent } from './agent.ts';
import { parsePolicy } from './jobs/policy.ts';
import { Places } from './link/places.ts';
import { lockDirectory } from './state/lock.ts';
import { runTool } from './tools/registry.ts';

const PLACE = { api: 'http://127.0.0.1:1', broker: 'mqtts://127.0.0.1:1' };
const log = pino({ level: 'silent' });

test('an agent hands its presence to a rule from when the settings say that it may, and says that it was told', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const agent = await startAgent({
    stage: LOCAL_STAGE,
    agent: AGENT,
    dial: () => ({ protocol: 'mqtt', host: '127.0.0.1', port: broker.port }),
    places: await Places.open(join(folder.path, 'places.json'), { home: PLACE, isFixed: true, log }),
    stateDirectory: folder.path,
    lock: await lockDirectory(folder.path, 0),
    policy: parsePolicy({}),
    snmpFile: join(folder.path, 'snmp.json'),
    updates: null,
    runTool,
    internetInfoUrl: null,
    speedtestServer: null,
    version: '0.0.0',
    log,
  });
  const settings = (revision: number, direct?: boolean) => ({
    ...{ v: PROTOCOL_VERSION, t: 'settings', revision, discovery: { enabled: false, networks: 'auto' } },
    ...(direct === undefined ? {} : { direct }),
  });
  const said = () => broker.presences.at(-1);
  expect(await broker.presence('online')).toMatchObject({ direct: false });
  await broker.send('ctl', settings(1)); // Of a service of the release before.
  await waitFor('the first settings', () => said()?.settings === 1);
  expect([said()?.direct, broker.topics.at(-1)]).toEqual([false, topics.presence(CLIENT)]);
  await broker.send('ctl', settings(1, true)); // The revision is the same: it is for this that it is told.
  await waitFor('that it was told', () => said()?.direct === true);
  expect(broker.topics.at(-1)).toBe(topics.direct('presence', CLIENT));
  await agent.stop(0);
  expect([said()?.state, broker.topics.at(-1)]).toEqual(['offline', topics.direct('presence', CLIENT)]);
});
