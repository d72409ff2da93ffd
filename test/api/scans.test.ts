/** Scans of large networks: who takes which shard, what their results make of the scan, and what is other than before. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { jobOfShard } from '../../functions/commands/runs/shards.ts';
import type { Request, Result } from '../../shared/agent/messages.ts';
import { scans } from '../../shared/api/scans.ts';
import { resultFor, type StandIn, standInAt, startObedientAgent } from '../support/enrolled-agent.ts';
import { foundHost, nmapResult, openPort } from '../support/found-host.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

const shared = testApi();

const RANGE = '10.20.0.0/19';
/** Of so many shards, each of two agents gets one: who takes a shard is a matter of chance. */
const WIDE_RANGE = '10.20.0.0/17';
const WIDE_SHARDS = 32;
type Hosts = Record<string, number[]>;

function targetOf({ command }: Request): string {
  if (command.tool !== 'nmap') throw new Error(`expected nmap, got ${command.tool}`);
  return command.target.text;
}

/** A request whose acknowledgement is late comes twice. */
const once = (requests: readonly Request[]) => [...new Map(requests.map((request) => [request.id, request])).values()];

/** What nmap finds: those of the hosts that are in the third octets of a shard. */
function found(request: Request, hosts: Hosts): Partial<Result> {
  const first = Number(targetOf(request).split('.')[2]);
  const isHere = (address: string) => Math.floor((Number(address.split('.')[2]) - first) / 4) === 0;
  const open = (ports: number[]) => ports.map((port) => openPort(port));
  const here = Object.entries(hosts).filter(([address]) => isHere(address));
  const shown = here.map(([address, ports]) => foundHost(address, null, open(ports)));
  return { result: nmapResult(shown, '1-1000', 1024) };
}

async function openSite(system: TestApi = shared) {
  const site = await system.addSite('devName,devMac\n');
  const ask = (method: string, path: string, options = {}) => system.request(method, path, { site, ...options });
  /** One that does as the test says. */
  const agent = async (name: string) => standInAt(system, site, name);
  const obedient = (name: string, answer: (request: Request) => Partial<Result> = (request) => found(request, {})) =>
    startObedientAgent(system, site, name, answer);
  async function start(range = RANGE, mode = 'fast') {
    const { status, json } = await ask('POST', '/scans', { body: { range, mode } });
    expect(status).toBe(201);
    return scans.startScan.response.parse(json);
  }
  const show = async (id: string) => scans.getScan.response.parse((await ask('GET', `/scans/${id}`)).json);
  const ended = (id: string) =>
    waitFor(`the end of the scan ${id}`, async () => {
      const scan = await show(id);
      return scan.state === 'running' ? undefined : scan;
    });
  const tell = (one: StandIn, request: Request, changes: Partial<Result>) =>
    one.say(request.replyTo, resultFor(request, changes));
  return { site, ask, agent, obedient, start, show, ended, tell };
}

test('a scan is dealt to the connected agents, each shard to one; its results are jobs, and make up the answer', async () => {
  const { site, obedient, start, ended, ask } = await openSite();
  const hosts = { '10.20.4.9': [22, 80], '10.20.5.7': [] };
  await using first = await obedient('attic', (request) => found(request, hosts));
  await using second = await obedient('cellar', (request) => found(request, hosts));
  const { id, shards, state } = await start(WIDE_RANGE);
  expect([shards.total, state]).toEqual([WIDE_SHARDS, 'running']);
  const done = await ended(id);
  expect(done).toMatchObject({ state: 'done', percent: 100, hosts: 2, problem: null, diff: null });
  expect(done.found.map(({ address, ports }) => [address, ports.map(({ port }) => port)])).toEqual([
    ['10.20.4.9', [22, 80]],
    ['10.20.5.7', []],
  ]);
  for (const { requests } of [first, second]) expect(requests.length).toBeGreaterThan(0);
  const targets = once([...first.requests, ...second.requests]).map(targetOf);
  expect(targets.sort()).toEqual(Array.from({ length: WIDE_SHARDS }, (_, i) => `10.20.${4 * i}.0/22`).sort());
  expect((await ask('GET', '/scans')).json).toMatchObject({ scans: [{ id, hosts: 2 }] });
  const { json } = await ask('GET', `/jobs?actor=scan:${id}&limit=${WIDE_SHARDS}`);
  expect(json).toMatchObject({ jobs: { length: WIDE_SHARDS } });
  expect((json as { jobs: { request: unknown; site: string }[] }).jobs).toContainEqual(
    expect.objectContaining({ site, request: { tool: 'nmap', target: '10.20.4.0/22', mode: 'fast' } }),
  );
});

test('a shard is written down before its agent gets it, so that a crash makes no second job of it', async () => {
  const { site, agent, start, ask } = await openSite();
  await using one = await agent('main');
  const { id } = await start();
  const request = await one.request();
  const run = (await shared.context.runs.find(site, id)) ?? expect.fail('no run');
  expect(run.progress.open.map((at) => jobOfShard(run, at))).toEqual([request.id]);
  await ask('DELETE', `/scans/${id}`);
});

test('the next scan of the same network says what is other: hosts, and ports of those that are still there', async () => {
  const { obedient, start, ended } = await openSite();
  let hosts: Hosts = { '10.20.0.5': [22, 80], '10.20.4.5': [22], '10.20.8.5': [22] };
  let failing = '';
  await using _ = await obedient('main', (request) => {
    if (targetOf(request) !== failing) return found(request, hosts);
    return { state: 'failed', reason: 'tool_failed', message: 'no', result: null };
  });
  const before = await ended((await start()).id);
  hosts = { '10.20.0.5': [22, 443], '10.20.4.6': [22] };
  failing = '10.20.8.0/22';
  const after = await ended((await start()).id);
  expect(after).toMatchObject({ state: 'done', shards: { total: 8, done: 7, failed: 1 }, problem: 'no' });
  // Nothing is known of the third shard this time, so that its host is not gone.
  expect(after.diff).toEqual({
    against: before.id,
    ...{ appeared: ['10.20.4.6'], gone: ['10.20.4.5'] },
    opened: [{ address: '10.20.0.5', port: 443, protocol: 'tcp', service: 'x' }],
    closed: [{ address: '10.20.0.5', port: 80, protocol: 'tcp', service: 'x' }],
  });
});

test('when an agent goes, the others take its shards; what was interrupted is tried again as another job', async () => {
  // What was sent to the agent that goes is sent to another after a moment.
  await using own = await startTestApi({ ackWithinMs: 300 });
  const { agent, obedient, start, ended, tell } = await openSite(own);
  const leaving = await agent('cellar');
  const { id } = await start(WIDE_RANGE);
  const interrupted = await leaving.take();
  const ends = { state: 'interrupted', reason: 'agent_restarted', message: 'The agent stopped', result: null } as const;
  await tell(leaving, interrupted, ends);
  await leaving[Symbol.asyncDispose]();
  await using staying = await obedient('attic');
  expect(await ended(id)).toMatchObject({ state: 'done', shards: { done: WIDE_SHARDS, failed: 0 } });
  const again = once(staying.requests).filter((request) => targetOf(request) === targetOf(interrupted));
  expect(again).toHaveLength(1);
  expect(again[0]?.id).not.toBe(interrupted.id);
});

test('a shard for which its agent has no place is tried until it has one', async () => {
  const { obedient, start, ended } = await openSite();
  let refused = 0;
  await using _ = await obedient('main', (request) => {
    if (++refused > 2) return found(request, {});
    return { state: 'failed', reason: 'agent_busy', message: 'no place', startedAt: null, result: null };
  });
  const { id } = await start('10.20.0.0/22');
  expect(await ended(id)).toMatchObject({ state: 'done', shards: { done: 1, failed: 0 }, problem: null });
});

test('results count once, and only of the agent that was given the shard', async () => {
  const { site, agent, start, show, tell, ask } = await openSite();
  await using one = await agent('main');
  const { id } = await start();
  const first = await one.take();
  await using other = await agent('other');
  await tell(other, first, found(first, { '10.20.0.9': [22] }));
  await tell(one, first, found(first, { '10.20.0.1': [22] }));
  await tell(one, first, found(first, { '10.20.0.1': [22], '10.20.0.2': [22] }));
  await one.control('stored', first.id);
  await waitFor('the first shard', async () => (await show(id)).shards.done === 1);
  const { found: hosts, hosts: count } = await show(id);
  expect([hosts.map(({ address }) => address), count]).toEqual([['10.20.0.1'], 1]);
  expect((await ask('GET', `/jobs/${first.id}`)).json).toMatchObject({ actor: `scan:${id}`, site });
});

test('whoever sees that a scan has ended finds its results, also when the one who stored them was stopped', async () => {
  const { agent, start, show, ended, tell } = await openSite();
  await using one = await agent('main');
  const { finish } = shared.context.jobs;
  const storing = vi.spyOn(shared.context.jobs, 'finish').mockImplementation(async (...args) => {
    await sleep(50);
    if (storing.mock.calls.length === 1) throw new Error('the function was stopped');
    return finish(...args);
  });
  const { id } = await start('10.20.0.0/22');
  const request = await one.take();
  const answer = found(request, { '10.20.0.1': [22] });
  await tell(one, request, answer);
  await waitFor('the stop', () => storing.mock.results.length === 1);
  expect((await show(id)).state).toBe('running');
  // As an agent does whose result the service has not confirmed.
  await tell(one, request, answer);
  expect(await ended(id)).toMatchObject({ state: 'done', hosts: 1, found: [{ address: '10.20.0.1' }] });
  expect(storing).toHaveBeenCalledTimes(2);
  storing.mockRestore();
});

test('a scan that is cancelled begins no further shard, and what it has found stays', async () => {
  const { agent, start, show, tell, ask } = await openSite();
  await using one = await agent('main');
  const { id } = await start();
  const first = await one.take();
  await tell(one, first, found(first, { '10.20.0.1': [22] }));
  const second = await one.take();
  await waitFor('the first shard', async () => (await show(id)).shards.done === 1);
  const cancelled = scans.cancelScan.response.parse((await ask('DELETE', `/scans/${id}`)).json);
  expect(cancelled).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
  await one.control('cancel', second.id);
  await tell(one, second, found(second, { '10.20.4.1': [22] }));
  await one.control('stored', second.id);
  await waitFor('the end', async () => (await shared.context.runs.find(cancelled.site, id))?.progress.endedAt !== null);
  expect(await show(id)).toMatchObject({ state: 'cancelled', hosts: 1, shards: { done: 1 } });
  expect(once(one.requests).map((request) => request.id)).toEqual([first.id, second.id]);
  expect((await ask('DELETE', `/scans/${id}`)).json).toEqual(cancelled);
  expect((await ask('GET', '/scans/000000000000')).status).toBe(404);
});

test('what cannot be scanned is refused, with the field or the reason', async () => {
  const { agent, start, ask } = await openSite();
  const begin = async (range: string, mode = 'fast') => ask('POST', '/scans', { body: { range, mode } });
  expect((await begin(RANGE)).json).toMatchObject({ code: 'agent_offline' });
  await using _ = await agent('main');
  for (const range of ['10.0.0.0/15', 'fd00::/120', 'nas', '10.0.0.0/33', '224.0.0.0/24'])
    expect(await begin(range)).toMatchObject({ status: 400, json: { errors: [{ path: 'body.range' }] } });
  expect((await begin(RANGE, 'slow')).status).toBe(400);
  expect((await start('10.20.31.7/19')).range).toBe(RANGE);
  expect(await begin(RANGE)).toMatchObject({ status: 409, json: { code: 'conflict' } });
  for (const range of ['10.1.0.0/16', '10.2.0.0/16', '10.3.0.0/16', '10.4.0.0/16']) await start(range, 'detail');
  const message = expect.stringContaining('5 scans');
  expect(await begin('10.5.0.0/16')).toMatchObject({ status: 409, json: { message } });
  expect((await ask('GET', '/scans')).json).toMatchObject({ scans: { length: 5, 0: { shards: { total: 256 } } } });
});
