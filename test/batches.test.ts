/** A command at two hundred sites of a running system, each with a real agent, of which some are dead, slow or hostile. */
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunAnyTool } from '../agent/jobs/run-command.ts';
import { runHere } from '../cli/testing/command-line.ts';
import { topics } from '../shared/agent/topics.ts';
import { packResult } from '../shared/agent/wire.ts';
import type { Batch, BatchSite } from '../shared/api/batches.ts';
import { deferred } from '../shared/async.ts';
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
const HOSTILE = 'c100';
/** At these, one more port is open. */
const ELSEWHERE = ['c005', 'c077'];
const ANSWERING = SITES.filter((site) => ![...GONE, ...MUTE, HOSTILE].includes(site));

const portsAt = (site: string) => (ELSEWHERE.includes(site) ? [22, 8080] : [22]);
const runs: string[] = [];
const ended = new Set<string>();
/** Until then the slow ones are not done. */
const slowAreDone = deferred<void>();

/** What nmap finds at the host of that name in each LAN. */
const scan = (site: string) =>
  (async () => {
    runs.push(site);
    if (SLOW.includes(site)) await slowAreDone.promise;
    ended.add(site);
    const ports = portsAt(site).map((port) => ({ port, protocol: 'tcp', state: 'open', ...NAMELESS }));
    const host = {
      address: '10.0.0.7',
      mac: null,
      vendor: null,
      names: [],
      state: 'up',
      timedOut: false,
      os: null,
      ports,
    };
    const result = { hosts: [host], hostsUp: 1, hostsTotal: 1, triedTcpPorts: null };
    return { output: `${portsAt(site).join(' ')}\n`, truncated: false, result };
  }) as RunAnyTool;
const NAMELESS = { service: null, product: null, version: null };

let system: TestSystem;
let fleet: AgentFleet;
const standIns: StandIn[] = [];
beforeAll(async () => {
  system = await startTestSystem();
  const limit = pLimit(8);
  const addSite = (id: string) => system.request('POST', '/sites', { body: { id, tags: ['customers'] } });
  await Promise.all(SITES.map((id) => limit(() => addSite(id))));
  fleet = await startAgentFleet(
    system,
    system.brokerPort,
    SITES.filter((site) => ![...MUTE, HOSTILE].includes(site)),
    scan,
  );
  for (const site of [...MUTE, HOSTILE])
    standIns.push(await startStandIn(system, await enrolAgent(system, site, 'main')));
  await Promise.all(GONE.map((site) => fleet.agents.get(site)?.stop(0)));
}, 900_000);
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
    const result = { hosts: [], hostsUp: 66, hostsTotal: 66 };
    const foreign = packResult(resultFor({ ...request, id: request.id.replace(HOSTILE, 'c000') }, { result }));
    await agent.publish(topics.result(request.replyTo, agent.client), foreign as Buffer);
    await agent.publish(topics.result(request.replyTo, agent.client), Buffer.alloc(100_000, 7));
    await agent.say(request.replyTo, resultFor(request, { result: { addresses: ['6.6.6.6'] } }));
  });
  const cli = runHere(
    ['run', 'nmap', '10.0.0.7', '--sites', 'tag:customers', '--at-once', '40', '--compare', '--json'],
    { env: { LANREACH_URL: system.url, LANREACH_TOKEN: system.system.token.token } },
  );
  await Promise.all(working);
  const listed = async () =>
    ((await system.request('GET', '/batches')).json as { batches: Batch[] }).batches[0] as Batch;
  // All others end while the slow ones run, and those that are mute: each of them keeps one of forty places.
  const others = ANSWERING.filter((site) => !SLOW.includes(site));
  await expect.poll(() => ended.size, { timeout: 120_000 }).toBe(others.length);
  await expect
    .poll(async () => (await listed()).counts)
    .toMatchObject({ waiting: 0, running: SLOW.length + MUTE.length });
  slowAreDone.resolve();
  await expect.poll(async () => (await listed()).counts).toMatchObject({ succeeded: ANSWERING.length, running: 2 });
  // Long after their time limit those that are mute are lost.
  const { id } = await listed();
  for (const site of MUTE) {
    const past = { set: { leaseUntil: Date.now() - 1 } };
    await system.system.parts.context.table.update(rows.job(jobOfBatch(site, id)), past);
  }
  const { code, stdout, stderr } = await cli;
  expect([code, stderr]).toMatchObject([1, expect.stringContaining('194 of 200 succeeded')]);
  const batch = JSON.parse(stdout) as Batch & { results: BatchSite[]; comparison: Comparison };
  expect(batch).toMatchObject({ id, state: 'done', total: 200, counts: { succeeded: 194, failed: 4, lost: 2 } });

  const standing = batch.results.map(({ site, state, reason, summary }) => [site, state, reason, summary?.openPorts]);
  const expected = SITES.map((site) => {
    if (GONE.includes(site)) return [site, 'failed', 'agent_offline', undefined];
    if (MUTE.includes(site)) return [site, 'lost', 'lease_expired', undefined];
    if (site === HOSTILE) return [site, 'failed', 'malformed_result', undefined];
    return [site, 'succeeded', null, portsAt(site).length];
  });
  expect(standing).toEqual(expected);
  // Each has run it once.
  expect(runs.sort()).toEqual(ANSWERING);
  expect(batch.comparison.groups).toMatchObject([
    { parts: ['22/tcp', 'up'], count: 192 },
    { parts: ['22/tcp', '8080/tcp', 'up'], count: 2, sites: ELSEWHERE },
  ]);
  expect(batch.comparison.differing).toMatchObject([{ part: '8080/tcp', count: 2, sites: ELSEWHERE }]);
});
