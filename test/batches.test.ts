/** A command at two hundred sites of a running system, each with a real agent, of which some are dead, slow or hostile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunAnyTool } from '../agent/jobs/run-command.ts';
import { runHere } from '../cli/testing/command-line.ts';
import { topics } from '../shared/agent/topics.ts';
import { packResult } from '../shared/agent/wire.ts';
import type { Batch, BatchSite } from '../shared/api/batches.ts';
import type { Comparison } from '../shared/comparison.ts';
import { jobOfBatch } from '../shared/identity.ts';
import { rows } from '../store/rows.ts';
import { type AgentFleet, startAgentFleet } from './support/agent-fleet.ts';
import { ackFor, enrolAgent, resultFor, type StandIn, startStandIn } from './support/enrolled-agent.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

const SITES = Array.from({ length: 200 }, (_, i) => `c${String(i).padStart(3, '0')}`);
/** Their agents are stopped. */
const GONE = ['c010', 'c050', 'c199'];
/** Their agents accept everything, and are never heard of again. */
const MUTE = ['c020', 'c120'];
const SLOW = ['c001', 'c002', 'c150'];
const SLOW_MS = 4_000;
const HOSTILE = 'c100';
/** These are told another address. */
const ELSEWHERE = ['c005', 'c077'];
const ANSWERING = SITES.filter((site) => ![...GONE, ...MUTE, HOSTILE].includes(site));

const addressAt = (site: string) => (ELSEWHERE.includes(site) ? '198.51.100.9' : '192.0.2.7');
const endedAt = new Map<string, number>();
const runs: string[] = [];

/** A name server that each site asks, and that some ask over a slow line. */
const lookUp = (site: string) =>
  (async (_command, { onOutput }) => {
    runs.push(site);
    if (SLOW.includes(site)) await sleep(SLOW_MS);
    onOutput(`Address: ${addressAt(site)}\n`);
    endedAt.set(site, Date.now());
    const result = { server: '10.0.0.1', name: 'intranet.example.org', addresses: [addressAt(site)], names: [] };
    return { output: `Address: ${addressAt(site)}\n`, truncated: false, result };
  }) as RunAnyTool;

let system: TestSystem;
let fleet: AgentFleet;
const standIns: StandIn[] = [];
beforeAll(async () => {
  system = await startTestSystem();
  for (const id of SITES) await system.request('POST', '/sites', { body: { id, tags: ['customers'] } });
  fleet = await startAgentFleet(
    system,
    system.brokerPort,
    SITES.filter((site) => ![...MUTE, HOSTILE].includes(site)),
    lookUp,
  );
  for (const site of [...MUTE, HOSTILE])
    standIns.push(await startStandIn(system, await enrolAgent(system, site, 'main')));
  await Promise.all(GONE.map((site) => fleet.agents.get(site)?.stop(0)));
});
afterAll(async () => {
  for (const one of standIns) await one[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
  await system?.close();
});

test('every site has its own end, the batch ends, and nobody waits for those that are dead, slow or hostile', async () => {
  const working = standIns.map(async (agent) => {
    const request = await agent.request();
    await agent.say(request.replyTo, ackFor(request));
    if (!agent.id.startsWith(HOSTILE)) return;
    // The end of another site's job, bytes that are no result, and a result of another tool.
    const result = { server: null, name: 'x', addresses: ['6.6.6.6'], names: [] };
    const foreign = packResult(resultFor({ ...request, id: request.id.replace(HOSTILE, 'c000') }, { result }));
    await agent.publish(topics.result(request.replyTo, agent.client), foreign as Buffer);
    await agent.publish(topics.result(request.replyTo, agent.client), Buffer.alloc(100_000, 7));
    await agent.say(request.replyTo, resultFor(request, { result: { hosts: [] } }));
  });
  const startedAt = Date.now();
  const cli = runHere(
    ['run', 'nslookup', 'intranet.example.org', '--sites', 'tag:customers', '--at-once', '40', '--compare', '--json'],
    { env: { LANREACH_URL: system.url, LANREACH_TOKEN: system.system.token.token } },
  );
  await Promise.all(working);
  const listed = async () =>
    ((await system.request('GET', '/batches')).json as { batches: Batch[] }).batches[0] as Batch;
  // Those that are mute keep their places, and the batch; two minutes after their time limit they are lost.
  await expect
    .poll(async () => (await listed())?.counts, { timeout: 60_000 })
    .toMatchObject({ running: 2, waiting: 0 });
  const { id } = await listed();
  for (const site of MUTE) {
    const past = { set: { leaseUntil: Date.now() - 1 } };
    await system.system.parts.context.table.update(rows.job(jobOfBatch(site, id)), past);
  }
  const { code, stdout, stderr } = await cli;
  expect([code, stderr]).toMatchObject([1, expect.stringContaining('194 of 200 succeeded')]);
  const batch = JSON.parse(stdout) as Batch & { results: BatchSite[]; comparison: Comparison };
  expect(batch).toMatchObject({ id, state: 'done', total: 200, counts: { succeeded: 194, failed: 4, lost: 2 } });

  const standing = batch.results.map(({ site, state, reason, summary }) => [
    site,
    state,
    reason,
    summary?.answers?.[0],
  ]);
  const expected = SITES.map((site) => {
    if (GONE.includes(site)) return [site, 'failed', 'agent_offline', undefined];
    if (MUTE.includes(site)) return [site, 'lost', 'lease_expired', undefined];
    if (site === HOSTILE) return [site, 'failed', 'malformed_result', undefined];
    return [site, 'succeeded', null, addressAt(site)];
  });
  expect(standing).toEqual(expected);
  expect(runs.sort()).toEqual(ANSWERING);

  // All that are not slow ended before the slow ones did, of which each had one of forty places.
  const ofSlow = Math.min(...SLOW.map((site) => endedAt.get(site) ?? 0));
  expect(ofSlow - startedAt).toBeGreaterThanOrEqual(SLOW_MS);
  const after = batch.results.filter(({ site, endedAt: at }) => !SLOW.includes(site) && Date.parse(at ?? '') > ofSlow);
  expect(after.map(({ site }) => site).filter((site) => ANSWERING.includes(site) && site < 'c150')).toEqual([]);

  expect(batch.comparison.groups).toMatchObject([
    { parts: ['192.0.2.7'], count: 192 },
    { parts: ['198.51.100.9'], count: 2, sites: ELSEWHERE },
  ]);
  expect(batch.comparison.differing[0]).toMatchObject({ part: expect.any(String), count: expect.any(Number) });
});
