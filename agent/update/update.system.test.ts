/** The launcher of a package as a process, releases made up, and what becomes of them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { EMPTY_PLAN } from '../../shared/agent/plan.ts';
import { packPlan } from '../../shared/agent/wire.ts';
import { makeTestFolder, type TestFolder } from '../../test/support/test-folder.ts';
import { requestFor, type TestBroker } from '../testing/broker.ts';
import { type AgentPrograms, prepareAgentPrograms } from '../testing/enrolled-site.ts';
import {
  codeOfVersion,
  installPackage,
  type MadeUpPackage,
  makeRelease,
  startReleaseServer,
  superviseAgent,
} from '../testing/made-up-release.ts';

let agents: AgentPrograms;
let folder: TestFolder;
let made: MadeUpPackage;
beforeAll(async () => {
  folder = makeTestFolder();
  [agents, made] = await Promise.all([prepareAgentPrograms(), installPackage(folder.path)]);
});
afterAll(async () => {
  await agents[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const NEWER = '900.1.0';
const NEWEST = '900.2.0';

let revision = Date.now();
function plan(broker: TestBroker, version: string): Promise<void> {
  const content = packPlan({ ...EMPTY_PLAN, update: { version } });
  return broker.send('ctl', { v: PROTOCOL_VERSION, t: 'plan', revision: ++revision, plan: content });
}

const said = (broker: TestBroker) =>
  broker.presences
    .filter(({ state }) => state === 'online')
    .map(({ version, update }) => `${version}: ${update?.last?.version ?? '-'} ${update?.last?.state ?? '-'}`)
    .filter((text, i, all) => text !== all[i - 1]);

const lastOf = (broker: TestBroker): Presence | undefined =>
  broker.presences.findLast(({ state }) => state === 'online');

async function startUpdatable(trialSeconds = 100) {
  const site = await agents.startSite();
  const releases = await startReleaseServer();
  const agent = superviseAgent(made.launcher, {
    LANREACH_AGENT_DATA: site.state,
    LANREACH_API: releases.url,
    LANREACH_TRIAL_SECONDS: String(trialSeconds),
    LANREACH_SETTLE_SECONDS: '1',
    LANREACH_LOG_LEVEL: 'debug',
  });
  await site.broker.presence('online');
  return {
    broker: site.broker,
    state: site.state,
    releases,
    agent,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await releases[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

test('an agent becomes the version that its plan names, and a release that cannot be run leaves it as it was', async () => {
  await using site = await startUpdatable();
  const { broker, releases, agent } = site;
  expect(lastOf(broker)).toMatchObject({ version: made.version, update: { able: true, last: null } });

  releases.offer(makeRelease(made.signingKey, codeOfVersion(made, NEWER), NEWER));
  await plan(broker, NEWER);
  await expect.poll(() => said(broker).at(-1), { message: agent.stderr() }).toBe(`${NEWER}: ${NEWER} done`);
  expect(agent.ends).toEqual([{ code: 75, signal: null }]);
  const request = requestFor({ tool: 'interfaces' });
  await broker.send('req', request);
  expect(await broker.reply('result', request.id)).toMatchObject({ state: 'succeeded' });

  // Each of its starts ends at once.
  releases.offer(makeRelease(made.signingKey, 'process.exit(1);', NEWEST));
  await plan(broker, NEWEST);
  await expect.poll(() => said(broker).at(-1)).toBe(`${NEWER}: ${NEWEST} failed`);
  expect(agent.ends.map(({ code }) => code)).toEqual([75, 75, 1, 1, 1]);
  expect(lastOf(broker)?.update?.last?.reason).toContain('it ended 3 times before');
  expect((await readdir(join(site.state, 'update'))).sort()).toEqual([`agent-${NEWER}.mjs`, 'record.json']);
});
