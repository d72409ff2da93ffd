/** Scans of large networks: who takes which shard, what their results make of the scan, and what is other than before. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import type { PlannedScan } from '../../shared/agent/plan.ts';
import { jobOfShard } from '../../shared/agent/planned-job.ts';
import { plannedInstance } from '../../shared/agent/topics.ts';
import { unpackPlan } from '../../shared/agent/wire.ts';
import { scans } from '../../shared/api/scans.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import { enrolAgent, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { testApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

const system = testApi();

const RANGE = '10.20.0.0/19';
/** Of so many shards, each of two agents gets one: who takes a shard is a matter of chance. */
const WIDE_RANGE = '10.20.0.0/17';
const WIDE_SHARDS = 32;
type Hosts = Record<string, number[]>;

async function openSite() {
  const site = await system.addSite('devName,devMac\n');
  const ask = (method: string, path: string, options = {}) => system.request(method, path, { site, ...options });
  const agent = async (name: string) => startStandIn(system, await enrolAgent(system, site, name));
  async function start(range = RANGE, mode = 'fast') {
    const { status, json } = await ask('POST', '/scans', { body: { range, mode } });
    expect(status).toBe(201);
    return scans.startScan.response.parse(json);
  }
  const show = async (id: string) => scans.getScan.response.parse((await ask('GET', `/scans/${id}`)).json);
  /** The last plan that an agent was sent. */
  function planned({ plans }: StandIn): PlannedScan[] {
    const last = plans.findLast(({ t }) => t === 'plan');
    return last?.t === 'plan' ? unpackPlan(last.plan).scans : [];
  }
  /** Waits for a plan with the scan, and with shards that fit. */
  const plannedFor = (one: StandIn, id: string, fits = (shards: PlannedScan['shards']) => shards.length > 0) =>
    waitFor(`a plan of ${one.id}`, () => planned(one).find((scan) => scan.id === id && fits(scan.shards)));
  async function tell(
    one: StandIn,
    { id, startedAt }: PlannedScan,
    [shard, , attempt]: PlannedScan['shards'][number],
    found: Hosts,
    changes: Partial<Result> = {},
  ) {
    const hosts = Object.entries(found).map(([address, ports]) => ({
      ...{ address, mac: null, vendor: null, names: [], state: 'up', timedOut: false, os: null },
      ports: ports.map((port) => ({
        ...{ protocol: 'tcp', state: 'open', service: 'x', product: null, version: null },
        port,
      })),
    }));
    const job = jobOfShard(site, { id, startedAt, shard, attempt });
    const now = Date.now();
    await one.say(plannedInstance(LOCAL_STAGE), {
      ...{ v: PROTOCOL_VERSION, t: 'result', id: job, state: 'succeeded', reason: null, message: null },
      ...{ output: '', truncated: false, startedAt: now, endedAt: now },
      result: { hosts, hostsUp: hosts.length, hostsTotal: 1024, triedTcpPorts: '1-1000' },
      planned: { by: 'scan', id, shard, attempt },
      ...changes,
    });
    await one.control('stored', job);
    return job;
  }
  return { site, ask, agent, start, show, planned, plannedFor, tell };
}

test('a scan is dealt to the connected agents, each shard to one; its results are jobs, and make up the answer', async () => {
  const { site, agent, start, show, plannedFor, tell, ask } = await openSite();
  await using first = await agent('attic');
  await using second = await agent('cellar');
  const { id, shards, state } = await start(WIDE_RANGE);
  expect([shards.total, state]).toEqual([WIDE_SHARDS, 'running']);
  const plans = await Promise.all([first, second].map((one) => plannedFor(one, id)));
  const dealt = plans.flatMap((scan, i) => scan.shards.map((shard) => ({ i, scan, shard })));
  expect(dealt.map(({ shard }) => shard[0]).sort((a, b) => a - b)).toEqual(
    Array.from({ length: WIDE_SHARDS }, (_, i) => i),
  );
  expect(dealt.find(({ shard }) => shard[0] === 1)?.shard).toEqual([1, '10.20.4.0/22', 1]);
  for (const { i, scan, shard } of dealt)
    await tell([first, second][i]!, scan, shard, shard[0] === 1 ? { '10.20.4.9': [22, 80], '10.20.5.7': [] } : {});
  const done = await show(id);
  expect(done).toMatchObject({ state: 'done', percent: 100, hosts: 2, problem: null, diff: null });
  expect(done.found.map(({ address, ports }) => [address, ports.map(({ port }) => port)])).toEqual([
    ['10.20.4.9', [22, 80]],
    ['10.20.5.7', []],
  ]);
  expect((await ask('GET', '/scans')).json).toMatchObject({ scans: [{ id, hosts: 2 }] });
  const { json } = await ask('GET', `/jobs?actor=scan:${id}&limit=${WIDE_SHARDS}`);
  expect(json).toMatchObject({ jobs: { length: WIDE_SHARDS } });
  expect((json as { jobs: { request: unknown; site: string }[] }).jobs).toContainEqual(
    expect.objectContaining({ site, request: { tool: 'nmap', target: '10.20.4.0/22', mode: 'fast' } }),
  );
});

test('the next scan of the same network says what is other: hosts, and ports of those that are still there', async () => {
  const { agent, start, show, plannedFor, tell } = await openSite();
  await using one = await agent('main');
  const run = async (found: Hosts, failing: number[] = []) => {
    const { id } = await start();
    for (let attempt = 1; attempt <= 3; attempt++) {
      const scan = await plannedFor(one, id, (shards) => shards[0]?.[2] === attempt);
      for (const shard of scan.shards) {
        const ends = failing.includes(shard[0])
          ? { state: 'failed', reason: 'tool_failed', message: 'no', result: null }
          : {};
        const prefix = `10.20.${4 * shard[0]}.`;
        const here = Object.entries(found).filter(([address]) => address.startsWith(prefix));
        await tell(one, scan, shard, Object.fromEntries(here), ends as Partial<Result>);
      }
      if (failing.length === 0) break;
    }
    return show(id);
  };
  const before = await run({ '10.20.0.5': [22, 80], '10.20.4.5': [22], '10.20.8.5': [22] });
  const after = await run({ '10.20.0.5': [22, 443], '10.20.4.6': [22] }, [2]);
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
  const { agent, start, show, plannedFor, tell } = await openSite();
  await using staying = await agent('attic');
  const leaving = await agent('cellar');
  const { id } = await start(WIDE_RANGE);
  const [mine, theirs] = [await plannedFor(staying, id), await plannedFor(leaving, id)];
  for (const shard of mine.shards) await tell(staying, mine, shard, {});
  const [interrupted] = theirs.shards;
  const ends = { state: 'interrupted', reason: 'agent_restarted', message: 'The agent stopped', result: null } as const;
  await tell(leaving, theirs, interrupted!, {}, ends);
  await leaving[Symbol.asyncDispose]();
  const again = ([number, , attempt]: PlannedScan['shards'][number]) => number === interrupted![0] && attempt === 2;
  const taken = await plannedFor(staying, id, (shards) => shards.some(again));
  expect(taken.shards.map(([number]) => number)).toEqual(theirs.shards.map(([number]) => number));
  for (const shard of taken.shards) await tell(staying, taken, shard, {});
  expect(await show(id)).toMatchObject({ state: 'done', shards: { done: WIDE_SHARDS, failed: 0 } });
});

test('results count once, and only as planned: of the scan, the shard and the attempt', async () => {
  const { site, agent, start, show, plannedFor, tell, ask } = await openSite();
  await using one = await agent('main');
  const { id } = await start();
  const scan = await plannedFor(one, id);
  const [first, second] = scan.shards;
  const job = await tell(one, scan, first!, { '10.20.0.1': [22] });
  await tell(one, scan, first!, { '10.20.0.1': [22], '10.20.0.2': [22] });
  // Another shard than its job says; an attempt that is not planned; a scan that does not exist.
  const wrong = { by: 'scan', id, shard: second![0] + 1, attempt: 1 } as const;
  await tell(one, scan, second!, { '10.20.4.1': [22] }, { planned: wrong });
  await tell(one, scan, [second![0], second![1], 2], { '10.20.4.1': [22] });
  await tell(one, { ...scan, id: '000000000000' }, second!, { '10.20.4.1': [22] });
  const { found, hosts, shards } = await show(id);
  expect([found.map(({ address }) => address), hosts, shards.done]).toEqual([['10.20.0.1'], 1, 1]);
  expect((await ask('GET', `/jobs/${job}`)).json).toMatchObject({ actor: `scan:${id}`, site });
});

test('whoever sees that a scan has ended finds its results, also when the one who stored them was stopped', async () => {
  const { agent, start, show, plannedFor, tell } = await openSite();
  await using one = await agent('main');
  const { id } = await start('10.20.0.0/22');
  const scan = await plannedFor(one, id);
  const { addEnded } = system.context.jobs;
  const slow = vi.spyOn(system.context.jobs, 'addEnded').mockImplementation(async (...args) => {
    await sleep(300);
    return addEnded(...args);
  });
  const stopped = vi.spyOn(system.context.scans, 'change').mockRejectedValueOnce(new Error('the function was stopped'));
  const send = () => tell(one, scan, scan.shards[0]!, { '10.20.0.1': [22] });
  const told = [send()];
  await waitFor('the stop', () => stopped.mock.calls.length === 1);
  expect((await show(id)).state).toBe('running');
  // As an agent does whose result nobody has confirmed.
  told.push(send());
  const ended = await waitFor('the end of the scan', async () => {
    const shown = await show(id);
    return shown.state === 'running' ? undefined : shown;
  });
  expect(ended).toMatchObject({ state: 'done', hosts: 1, found: [{ address: '10.20.0.1' }] });
  expect(stopped).toHaveBeenCalledTimes(2);
  await Promise.all(told);
  slow.mockRestore();
  stopped.mockRestore();
});

test('a scan that is cancelled is in no plan, and what it has found stays', async () => {
  const { agent, start, show, planned, plannedFor, tell, ask } = await openSite();
  await using one = await agent('main');
  const { id } = await start();
  const scan = await plannedFor(one, id);
  await tell(one, scan, scan.shards[0]!, { '10.20.0.1': [22] });
  const cancelled = (await ask('DELETE', `/scans/${id}`)).json;
  expect(cancelled).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
  await waitFor('a plan without it', () => planned(one).length === 0);
  await tell(one, scan, scan.shards[1]!, { '10.20.4.1': [22] });
  expect(await show(id)).toMatchObject({ state: 'cancelled', hosts: 1, shards: { done: 1 } });
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
  expect(await begin('10.5.0.0/16')).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining('5 scans') },
  });
  expect((await ask('GET', '/scans')).json).toMatchObject({ scans: { length: 5, 0: { shards: { total: 256 } } } });
});
