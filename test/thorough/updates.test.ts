/** Releases come to twelve agents of three sites: a good one, and one whose program dies. */
import { createPublicKey } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rollOutRelease } from '../../functions/groups/upkeep.ts';
import { admin } from '../../shared/api/admin.ts';
import { devices } from '../../shared/api/devices.ts';
import type { ListedAgent } from '../../shared/api/records.ts';
import { updates } from '../../shared/api/updates.ts';
import { codeOfVersion, installPackage, type MadeUpPackage, makeRelease } from '../support/agent/made-up-release.ts';
import { type SupervisedAgent, superviseAgent } from '../support/agent/updatable-site.ts';
import { type EnrolledAgent, enrolAgent } from '../support/enrolled-agent.ts';
import { SILENT } from '../support/ingest-messages.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { waitFor } from '../support/wait-for.ts';
import { startTestSystem, type TestSystem } from '../test-system.ts';

const SITES = ['cabin', 'office', 'workshop'];
const AGENTS_OF_A_SITE = 4;
const ALL = SITES.length * AGENTS_OF_A_SITE;
/** Twelve processes that start share the processor, perhaps with other tests. */
const LONG_MS = 300_000;

const folder = makeTestFolder();
let made: MadeUpPackage;
let system: TestSystem;
const agents: { enrolled: EnrolledAgent; process: SupervisedAgent }[] = [];

beforeAll(async () => {
  const packaged = join(folder.path, 'package');
  mkdirSync(packaged);
  made = await installPackage(packaged);
  system = await startTestSystem({ LANREACH_RELEASES: releases() }, { updateSettlesMs: 1_000 });
  for (const site of SITES) {
    await system.request('POST', '/sites', { body: { id: site } });
    for (let i = 0; i < AGENTS_OF_A_SITE; i++) {
      const enrolled = await enrolAgent(system, site, `a${i}`);
      const process = superviseAgent(made.launcher, {
        LANREACH_AGENT_DATA: enrolled.folder,
        LANREACH_BROKER: `mqtts://127.0.0.1:${system.brokerPort}`,
        LANREACH_API: system.url,
        LANREACH_SETTLE_SECONDS: '1',
        LANREACH_TRIAL_SECONDS: '120',
      });
      agents.push({ enrolled, process });
    }
  }
  await waitFor('all agents to be connected', async () => (await online()).length === ALL, LONG_MS);
  for (const site of SITES) await system.request('PATCH', `/sites/${site}`, { body: { updates: { mode: 'auto' } } });
}, LONG_MS);
afterAll(async () => {
  await Promise.all(agents.map(({ process }) => process[Symbol.asyncDispose]()));
  await system?.close();
  for (const { enrolled } of agents) await enrolled[Symbol.asyncDispose]();
  await folder?.remove();
});

const releases = () => join(folder.path, 'releases');

/** Hands out a release. What belongs to it comes first. */
function handOut(version: string, code: string): void {
  const files = [
    ['install.sh', 'exit 1\n'],
    ['release-key.pem', createPublicKey(made.signingKey).export({ type: 'spki', format: 'pem' }).toString()],
    ...[...makeRelease(made.signingKey, code, version)].reverse(),
  ] as [string, string | Buffer][];
  mkdirSync(releases(), { recursive: true });
  for (const [name, content] of files) {
    const path = join(releases(), basename(name));
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  }
}

async function listed(): Promise<ListedAgent[]> {
  const answers = await Promise.all(SITES.map((site) => system.request('GET', `/sites/${site}/agents`)));
  return answers.flatMap(({ json }) => admin.listAgents.response.parse(json).agents);
}

const online = async () => (await listed()).filter(({ state }) => state === 'online');

async function rollOut() {
  const { json } = await system.request('GET', '/updates');
  return updates.getUpdates.response.parse(json).rollOut;
}

async function failures(): Promise<string[]> {
  const answers = await Promise.all(
    SITES.map((site) => system.request('GET', '/events?type=agent-update-failed', { site })),
  );
  return answers.flatMap(({ json }) =>
    devices.listEvents.response
      .parse(json)
      .events.map(({ subject, detail }) => `${subject?.id} ${detail?.version}: ${detail?.reason}`),
  );
}

/** What each look at a roll-out has shown. */
interface Seen {
  ring: number;
  underWay: number;
  /** Agents that run the release. */
  have: number;
}

/** Does what the upkeep does each minute, until the roll-out is as it is expected to be. */
async function follow(version: string, isOver: (state: string, seen: Seen) => boolean): Promise<Seen[]> {
  const seen: Seen[] = [];
  const look = async () => {
    await rollOutRelease(system.system.parts.context, SILENT);
    const going = await rollOut();
    if (going?.version !== version) return false;
    const have = (await listed()).filter((agent) => agent.version === version && agent.state === 'online').length;
    const now = { ring: going.ring, underWay: going.underWay, have };
    seen.push(now);
    return isOver(going.state, now);
  };
  await waitFor(() => `the roll-out of ${version}: ${JSON.stringify(seen.at(-1))}`, look, LONG_MS);
  return seen;
}

const hasAll = (_: string, { have, underWay }: Seen) => have === ALL && underWay === 0;
const starts = () => agents.map(({ process }) => process.ends.length);

test('a good release comes to all, over three rings', { timeout: 2 * LONG_MS }, async () => {
  handOut('900.1.0', codeOfVersion(made, '900.1.0'));
  const seen = await follow('900.1.0', hasAll);
  const most = (ring: number) => Math.max(...seen.filter((one) => one.ring === ring).map(({ underWay }) => underWay));
  expect([most(1), most(2)]).toEqual([1, 2]);
  for (const { ring, have } of seen) expect(have).toBeLessThanOrEqual([0, 1, 3, ALL][ring]!);
  const rings = (await listed()).map(({ ring }) => ring).sort();
  expect(rings).toEqual([1, 2, 2, ...Array.from({ length: ALL - 3 }, () => 3)]);
  expect((await listed()).every(({ update }) => update?.last?.state === 'done')).toBe(true);
  expect(starts()).toEqual(agents.map(() => 1));
  expect(await failures()).toEqual([]);
});

test('one that dies is stopped with its first agent, which goes back by itself, and is told', {
  timeout: 2 * LONG_MS,
}, async () => {
  const dying = `${codeOfVersion(made, '900.2.0')}\nsetTimeout(() => { throw new Error('a defect'); }, 1_000);`;
  const before = starts();
  handOut('900.2.0', dying);
  await follow('900.2.0', (state) => state === 'stopped');
  await waitFor('the agent to be back', async () => (await online()).length === ALL, LONG_MS);
  // However often it is looked at.
  for (let i = 0; i < 5; i++) await rollOutRelease(system.system.parts.context, SILENT);
  const [canary, ...others] = (await listed()).filter(({ update }) => update?.last?.version === '900.2.0');
  expect(others).toEqual([]);
  expect(canary).toMatchObject({ version: '900.1.0', ring: 1, updateAvailable: '900.2.0' });
  expect(canary?.update?.last).toMatchObject({ state: 'failed', reason: expect.stringContaining('ended 3 times') });
  expect((await listed()).map(({ version }) => version)).toEqual(agents.map(() => '900.1.0'));
  const ended = starts().flatMap((count, i) => (count === before[i] ? [] : [agents[i]!.enrolled.id]));
  expect(ended).toEqual([canary?.id]);
  expect(await failures()).toEqual([`${canary?.id} 900.2.0: ${canary?.update?.last?.reason}`]);
});
