/**
 * A command at many sites of a running system, each with a real agent, of which some are dead, slow or hostile: every site
 * has its own end, and nobody waits for another one.
 */
import pLimit from 'p-limit';
import { expect } from 'vitest';
import type { RunAnyTool } from '../../agent/jobs/run-command.ts';
import { rows } from '../../functions/table/rows.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packResult } from '../../shared/agent/wire.ts';
import type { Batch, BatchSite } from '../../shared/api/batches.ts';
import { deferred } from '../../shared/async.ts';
import type { Comparison } from '../../shared/comparison.ts';
import { jobOfBatch } from '../../shared/identity.ts';
import { startTestSystem } from '../test-system.ts';
import { startAgentFleet } from './agent-fleet.ts';
import { runHere } from './cli/command-line.ts';
import { ackFor, enrolAgent, resultFor, type StandIn, startStandIn } from './enrolled-agent.ts';

interface Size {
  /** At least 40. */
  sites: number;
  /** At how many of them it may be under way. */
  atOnce: number;
}

const FIRST = 'c000';
/** Their agents are stopped. */
const GONE = ['c010', 'c025', 'c039'];
/** Their agents accept everything, and are never heard of again. */
const MUTE = ['c015', 'c030'];
const SLOW = ['c001', 'c002', 'c028'];
const HOSTILE = 'c020';
/** At these, one more port is open. */
const ELSEWHERE = ['c005', 'c037'];

const portsAt = (site: string) => (ELSEWHERE.includes(site) ? [22, 8080] : [22]);
const NAMELESS = { service: null, product: null, version: null };

/** What nmap finds at the host of that name in each LAN. */
function resultAt(site: string) {
  const ports = portsAt(site).map((port) => ({ port, protocol: 'tcp', state: 'open', ...NAMELESS }));
  const nameless = { mac: null, vendor: null, names: [], timedOut: false, os: null };
  const host = { address: '10.0.0.7', state: 'up', ...nameless, ports };
  const result = { hosts: [host], hostsUp: 1, hostsTotal: 1, triedTcpPorts: null };
  return { output: `${portsAt(site).join(' ')}\n`, truncated: false, result };
}

/** Makes the system, the sites and their agents, runs the command at all of them, and looks at every end. */
export async function expectOwnEnds(size: Size): Promise<void> {
  const sites = Array.from({ length: size.sites }, (_, i) => `c${String(i).padStart(3, '0')}`);
  const answering = sites.filter((site) => ![...GONE, ...MUTE, HOSTILE].includes(site));
  await using system = await startTestSystem();
  const limit = pLimit(8);
  const addSite = (id: string) => system.request('POST', '/sites', { body: { id, tags: ['customers'] } });
  await Promise.all(sites.map((id) => limit(() => addSite(id))));

  const runs: string[] = [];
  const ended = new Set<string>();
  const slowAreDone = deferred<void>();
  const scan = (site: string) =>
    (async () => {
      runs.push(site);
      if (SLOW.includes(site)) await slowAreDone.promise;
      ended.add(site);
      return resultAt(site);
    }) as RunAnyTool;
  const real = sites.filter((site) => ![...MUTE, HOSTILE].includes(site));
  await using fleet = await startAgentFleet(system, system.brokerPort, real, scan);
  const misbehaving: StandIn[] = [];
  await using _stopped = {
    [Symbol.asyncDispose]: async () => void (await Promise.all(misbehaving.map((one) => one[Symbol.asyncDispose]()))),
  };
  for (const site of [...MUTE, HOSTILE])
    misbehaving.push(await startStandIn(system, await enrolAgent(system, site, 'main')));
  await Promise.all(GONE.map((site) => fleet.agents.get(site)?.stop(0)));

  const misbehaved = misbehaving.map(misbehave);
  const cli = runHere(
    ['run', 'nmap', '10.0.0.7', '--sites', 'tag:customers', '--at-once', String(size.atOnce), '--compare', '--json'],
    { env: { LANREACH_URL: system.url, LANREACH_TOKEN: system.system.token.token } },
  );
  await Promise.all(misbehaved);
  const listed = async () =>
    ((await system.request('GET', '/batches')).json as { batches: Batch[] }).batches[0] as Batch;
  // All others end while the slow ones run, and those that are mute: each of them keeps one of the places.
  const others = answering.filter((site) => !SLOW.includes(site));
  await expect.poll(() => ended.size, { timeout: 120_000 }).toBe(others.length);
  await expect
    .poll(async () => (await listed()).counts)
    .toMatchObject({ waiting: 0, running: SLOW.length + MUTE.length });
  slowAreDone.resolve();
  await expect
    .poll(async () => (await listed()).counts)
    .toMatchObject({ succeeded: answering.length, running: MUTE.length });
  // Long after their time limit those that are mute are lost.
  const { id } = await listed();
  for (const site of MUTE) {
    const past = { set: { leaseUntil: Date.now() - 1 } };
    await system.system.parts.context.table.update(rows.job(jobOfBatch(site, id)), past);
  }
  const { code, stdout, stderr } = await cli;
  const succeeded = answering.length;
  expect([code, stderr]).toMatchObject([1, expect.stringContaining(`${succeeded} of ${sites.length} succeeded`)]);
  const batch = JSON.parse(stdout) as Batch & { results: BatchSite[]; comparison: Comparison };
  const counts = { succeeded, failed: GONE.length + 1, lost: MUTE.length };
  expect(batch).toMatchObject({ id, state: 'done', total: sites.length, counts });

  const standing = batch.results.map(({ site, state, reason, summary }) => [site, state, reason, summary?.openPorts]);
  const expected = sites.map((site) => {
    if (GONE.includes(site)) return [site, 'failed', 'agent_offline', undefined];
    if (MUTE.includes(site)) return [site, 'lost', 'lease_expired', undefined];
    if (site === HOSTILE) return [site, 'failed', 'malformed_result', undefined];
    return [site, 'succeeded', null, portsAt(site).length];
  });
  expect(standing).toEqual(expected);
  // Each has run it once.
  expect(runs.sort()).toEqual(answering);
  expect(batch.comparison.groups).toMatchObject([
    { parts: ['22/tcp', 'up'], count: succeeded - ELSEWHERE.length },
    { parts: ['22/tcp', '8080/tcp', 'up'], count: ELSEWHERE.length, sites: ELSEWHERE },
  ]);
  expect(batch.comparison.differing).toMatchObject([{ part: '8080/tcp', count: ELSEWHERE.length, sites: ELSEWHERE }]);
}

/** Takes the request and is not heard of again or, at one site, says all that is wrong. */
async function misbehave(agent: StandIn): Promise<void> {
  const request = await agent.request();
  await agent.say(request.replyTo, ackFor(request));
  if (!agent.id.startsWith(HOSTILE)) return;
  // The end of another site's job, bytes that are no result, and a result of another tool.
  const result = { hosts: [], hostsUp: 66, hostsTotal: 66 };
  const foreign = packResult(resultFor({ ...request, id: request.id.replace(HOSTILE, FIRST) }, { result }));
  await agent.publish(topics.result(request.replyTo, agent.client), foreign as Buffer);
  await agent.publish(topics.result(request.replyTo, agent.client), Buffer.alloc(100_000, 7));
  await agent.say(request.replyTo, resultFor(request, { result: { addresses: ['6.6.6.6'] } }));
}
