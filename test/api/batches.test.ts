/** One command at many sites: what each of them makes of it, and that none holds up another. */
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import { rows } from '../../functions/table/rows.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packResult } from '../../shared/agent/wire.ts';
import type { Batch, BatchSite } from '../../shared/api/batches.ts';
import { deferred } from '../../shared/async.ts';
import type { Comparison } from '../../shared/comparison.ts';
import { jobOfBatch } from '../../shared/identity.ts';
import { runWorker } from '../support/background-work.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { resultFor } from '../support/enrolled-agent.ts';
import { type Behaviour, clientOf, type Fleet, startFleet } from '../support/fleet.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';
import { SIGN_IN, signedIn } from '../support/signed-in.ts';

let api: TestApi;
let fleet: Fleet | null;
beforeEach(async () => {
  api = await startTestApi();
  fleet = null;
});
afterEach(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await api.close();
});

const names = (count: number) => Array.from({ length: count }, (_, i) => `s${String(i).padStart(4, '0')}`);
const lookUp = (address: string) => ({
  output: address,
  result: { server: '10.0.0.1', name: 'intranet.example.org', addresses: [address], names: [] },
});

async function begin(body: object, options: object = {}): Promise<Batch> {
  const wanted = { tool: 'nslookup', arguments: { devLastIP: 'intranet.example.org' }, ...body };
  const { status, json, text } = await api.request('POST', '/batches', { body: wanted, ...options });
  expect([status, text]).toMatchObject([202, expect.any(String)]);
  return json as Batch;
}

async function ended(id: string, options: object = {}): Promise<Batch & { results: BatchSite[] }> {
  const look = async () =>
    (await api.request('GET', `/batches/${id}?limit=500`, options)).json as Batch & { results: BatchSite[] };
  await expect.poll(async () => (await look()).endedAt, { timeout: 60_000 }).not.toBeNull();
  return look();
}

const stateOf = ({ results }: { results: BatchSite[] }) =>
  Object.fromEntries(results.map(({ site, state, reason }) => [site, reason === null ? state : `${state} ${reason}`]));

test('each site has its own end, whoever is away, slow, hostile or refuses', async () => {
  const giant = Buffer.alloc(120_000, 120);
  const own: Record<string, Behaviour> = {
    s0001: 'offline',
    s0002: { state: 'failed', reason: 'tool_failed', message: 'intranet.example.org: NXDOMAIN', output: '' },
    s0003: { ...lookUp('10.0.0.7'), afterMs: 200 },
    // A result of another tool, after one of another site's job, and bytes that are none.
    s0004: async (one, request) => {
      const foreign = { ...request, id: jobOfBatch('s0000', request.id.slice(6)) };
      await one.publish(
        topics.result(request.replyTo, clientOf('s0004')),
        packResult(resultFor(foreign, lookUp('6.6.6.6')))!,
      );
      await one.publish(topics.result(request.replyTo, clientOf('s0004')), giant);
      await one.end('s0004', request, { result: { hosts: 7 } });
    },
    s0005: { state: 'failed', reason: 'target_not_allowed', message: 'The policy refuses it', output: '' },
  };
  fleet = await startFleet(api, names(12), (site) => own[site] ?? lookUp('192.0.2.7'));
  const { id, total, state } = await begin({ sites: fleet.sites });
  expect([total, state]).toEqual([12, 'running']);
  // Its events tell of every site until it has ended.
  const { text } = await api.request('GET', `/batches/${id}/events`);
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => [
    event,
    JSON.parse(data!),
  ]);
  expect(events.at(-1)).toMatchObject(['result', { id, state: 'done' }]);
  const batch = await ended(id);
  const last = new Map(events.filter(([event]) => event === 'site').map(([, data]) => [data.site, data.state]));
  expect(last).toEqual(new Map(batch.results.map(({ site, state }) => [site, state])));
  expect(stateOf(batch)).toEqual({
    ...Object.fromEntries(names(12).map((site) => [site, 'succeeded'])),
    s0001: 'skipped agent_offline',
    s0002: 'failed tool_failed',
    s0004: 'failed malformed_result',
    s0005: 'failed target_not_allowed',
  });
  const counts = { succeeded: 8, failed: 3, skipped: 1, waiting: 0, running: 0 };
  expect(batch).toMatchObject({ state: 'done', reason: null, counts });
  const summary = { answers: ['192.0.2.7'] };
  expect(batch.results[0]).toMatchObject({ job: `s0000.${id}`, agent: 's0000:main', summary });
  // The jobs are like any others.
  const job = await api.request('GET', `/jobs/s0003.${id}`);
  expect(job.json).toMatchObject({ tool: 'nslookup', state: 'succeeded', result: { addresses: ['10.0.0.7'] } });

  const { json } = await api.request('GET', `/batches/${id}/comparison`);
  const comparison = json as Comparison;
  expect(comparison.compared).toBe(8);
  expect(comparison.groups).toMatchObject([
    { parts: ['192.0.2.7'], count: 7 },
    { parts: ['10.0.0.7'], sites: ['s0003'] },
  ]);
  expect(comparison.failures.map(({ reason, sites }) => [reason, sites]).sort()).toEqual([
    ['agent_offline', ['s0001']],
    ['malformed_result', ['s0004']],
    ['target_not_allowed', ['s0005']],
    ['tool_failed', ['s0002']],
  ]);
});

test('no more run at once than asked for, and slow ones hold up no other', async () => {
  const slow = ['s0000', 's0001', 's0002'];
  const over: string[] = [];
  const { promise: wait, resolve: release } = deferred<void>();
  fleet = await startFleet(api, names(40), (site) => async (one, request) => {
    if (slow.includes(site)) await wait;
    else over.push(site);
    await one.end(site, request, lookUp('192.0.2.7'));
  });
  const { id } = await begin({ sites: '*', atOnce: 5 });
  // All others end while the slow ones run. Site home, which has no agent, holds no place.
  await expect.poll(() => over.length, { timeout: 60_000 }).toBe(37);
  expect((await api.request('GET', `/batches/${id}`)).json).toMatchObject({ state: 'running', total: 41 });
  expect(fleet.mostAtOnce()).toBeLessThanOrEqual(5);
  release();
  expect((await ended(id)).counts).toMatchObject({ succeeded: 40, skipped: 1 });
});
test('a batch that is stopped cancels what runs, skips the rest, and says so in the audit', async () => {
  fleet = await startFleet(api, names(10), () => 'silent');
  const { id } = await begin({ sites: fleet.sites, atOnce: 3 });
  await expect.poll(() => fleet?.requests.length).toBe(3);
  const stopped = await api.request('DELETE', `/batches/${id}`);
  expect([stopped.status, stopped.json]).toMatchObject([200, { state: 'stopping', reason: 'cancelled' }]);
  const batch = await ended(id);
  expect(batch).toMatchObject({
    state: 'stopped',
    reason: 'cancelled',
    counts: { cancelled: 3, skipped: 7, running: 0 },
  });
  expect(stateOf(batch)).toMatchObject({ s0000: 'cancelled cancelled', s0009: 'skipped cancelled' });
  expect(fleet.requests).toHaveLength(3);
  // Once more changes nothing.
  expect((await api.request('DELETE', `/batches/${id}`)).json).toMatchObject({ endedAt: batch.endedAt });
  const { entries } = (await api.request('GET', '/audit')).json as { entries: { action: string; detail: object }[] };
  expect(entries.filter(({ action }) => action === 'batch.cancel')).toMatchObject([
    { detail: { batch: id, sites: 10 } },
  ]);
});

test.each([
  [2, 3],
  ['10%', 3],
  [0, 1],
])('with at most %j failures of 20 sites, no further ones are begun after %i', async (maxFailures, failures) => {
  fleet = await startFleet(api, names(20), () => ({ state: 'failed', reason: 'tool_failed', output: '' }));
  const { id } = await begin({ sites: fleet.sites, atOnce: 1, maxFailures });
  const batch = await ended(id);
  expect(batch).toMatchObject({ state: 'stopped', reason: 'too_many_failures' });
  expect(batch.counts).toMatchObject({ failed: failures, skipped: 20 - failures });
  expect(fleet.requests).toHaveLength(failures);
});

test('with its Idempotency-Key, a request that is sent again is the same batch; with another content it is refused', async () => {
  fleet = await startFleet(api, names(3), () => lookUp('192.0.2.7'));
  const headers = { 'idempotency-key': 'the-key' };
  const first = await begin({ sites: fleet.sites }, { headers });
  const again = await begin({ sites: fleet.sites }, { headers });
  expect(again.id).toBe(first.id);
  const body = { tool: 'interfaces', sites: ['s0000'] };
  expect((await api.request('POST', '/batches', { body, headers })).status).toBe(422);
  await ended(first.id);
  expect(fleet.requests.map(({ site }) => site).sort()).toEqual(['s0000', 's0001', 's0002']);
});

test('a server that ends in the middle goes on with it after its start: every site runs it once', async () => {
  fleet = await startFleet(api, names(30), (site) => ({
    ...lookUp('192.0.2.7'),
    afterMs: site < 's0006' ? 2_500 : 50,
  }));
  const batch = {
    request: { tool: 'nslookup', query: 'intranet.example.org' },
    sites: '*',
    agent: null,
    total: 30,
  } as const;
  const by = { atOnce: 6, maxFailures: null, actor: tokenId(api.token)!, person: null, sourceAddress: null };
  const id = uuidv7();
  await api.context.runs.create({ id, site: null, ...batch, ...by }, fleet.sites);
  const { log } = api.context;
  // One that dies after each thing that it has written down of jobs, so that what it has begun is not known.
  let written = 0;
  const stop = aroundCalls(api.context.table, async ({ method, args }, pass) => {
    const isProgress = method === 'update' && JSON.stringify(args[0]).includes('BATCHES');
    if (isProgress && ++written > 1) throw new Error('the server has died');
    return pass();
  });
  const first = runWorker(api.context, log);
  first.start();
  await expect.poll(() => written, { timeout: 60_000 }).toBeGreaterThan(1);
  await first.close();
  stop();
  const others = [runWorker(api.context, log), runWorker(api.context, log)];
  for (const one of others) one.start(); // Two of them at once do no harm, either.
  const { counts, state } = await ended(id);
  for (const one of others) await one.close();
  expect([state, counts]).toMatchObject(['done', { succeeded: 30, failed: 0 }]);
  const asked = fleet.requests.map(({ site }) => site).sort();
  expect(asked).toEqual([...fleet.sites]);
});

test('an agent that accepts and never answers is lost by its deadline; the others are long over', async () => {
  fleet = await startFleet(api, names(6), (site) => (site === 's0002' ? 'silent' : lookUp('192.0.2.7')));
  const { id } = await begin({ sites: fleet.sites, atOnce: 2 });
  const look = async () => (await api.request('GET', `/batches/${id}`)).json;
  await expect.poll(look).toMatchObject({ counts: { succeeded: 5, running: 1 } });
  // Two minutes later.
  await api.context.table.update(rows.job(jobOfBatch('s0002', id)), { set: { leaseUntil: Date.now() - 1 } });
  const batch = await ended(id);
  expect(stateOf(batch)).toMatchObject({ s0002: 'lost lease_expired' });
  expect(batch).toMatchObject({ state: 'done', counts: { succeeded: 5, lost: 1 } });
});

test('of a token that is revoked meanwhile, nothing more is begun; of a site that leaves its reach, the site is passed over', async () => {
  const { promise: first, resolve: go } = deferred<void>();
  const tags = (site: string) => (site === 's0005' ? [] : ['customers']);
  fleet = await startFleet(
    api,
    names(8),
    () => async (one, request) => {
      await first;
      await one.end(request.id.slice(0, 5), request, lookUp('192.0.2.7'));
    },
    tags,
  );
  const body = { name: 'limited', scopes: ['nettools:run'], sites: ['tag:customers'] };
  const limited = (await api.request('POST', '/tokens', { body })).json as { id: string; token: string };
  const { id, total } = await begin({ sites: '*', atOnce: 1 }, { token: limited.token });
  expect(total).toBe(7);
  expect(
    (await api.request('POST', '/batches', { body: { tool: 'interfaces', sites: ['s0005'] }, token: limited.token }))
      .status,
  ).toBe(403);
  await expect.poll(() => fleet?.requests.length).toBe(1);
  await api.request('PATCH', '/sites/s0001', { body: { tags: [] } });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  go();
  await expect.poll(() => fleet?.requests.length, { timeout: 60_000 }).toBeGreaterThan(2);
  await api.request('DELETE', `/tokens/${limited.id}`);
  const batch = await ended(id);
  expect(stateOf(batch)).toMatchObject({ s0000: 'succeeded', s0001: 'skipped site_forbidden' });
  expect(fleet.requests.map(({ site }) => site)).not.toContain('s0001');
});

test('a batch is seen by its token and by who may use all that it was asked for; of its sites, those within reach', async () => {
  fleet = await startFleet(api, names(3), () => lookUp('192.0.2.7'));
  const token = (sites: string[]) => api.createToken({ scopes: ['nettools:run'], sites });
  const [own, same, less, reader] = [
    ...(await Promise.all([token(['s0000', 's0001']), token(['s0000', 's0001', 's0002']), token(['s0000'])])),
    await api.createToken({ scopes: ['devices:read'], sites: ['s0000', 's0001'] }),
  ];
  const { id } = await begin({ sites: ['s0000', 's0001'] }, { token: own });
  await ended(id);
  const statusFor = async (token: string | null = null) =>
    (await api.request('GET', `/batches/${id}`, { token })).status;
  expect(await Promise.all([own, same, less, reader].map(statusFor))).toEqual([200, 200, 404, 403]);
  const listed = async (token: string | null = null) =>
    ((await api.request('GET', '/batches', { token })).json as { batches: Batch[] }).batches.map((one) => one.id);
  expect(await Promise.all([own, same, less].map(listed))).toEqual([[id], [id], []]);
  expect((await api.request('DELETE', `/batches/${id}`, { token: less })).status).toBe(404);
});

test('comparisons wait for each other, whoever asks for many at once', async () => {
  fleet = await startFleet(api, names(3), () => lookUp('192.0.2.7'));
  const { id } = await begin({ sites: fleet.sites });
  await ended(id);
  let [reading, most] = [0, 0];
  const restore = aroundCalls(api.context.table, async ({ method, args }, pass) => {
    const isOfResults = method === 'getAll' && JSON.stringify(args).includes(id);
    if (!isOfResults) return pass();
    most = Math.max(most, ++reading);
    await new Promise((resolve) => setTimeout(resolve, 30));
    return pass().finally(() => reading--);
  });
  const asked = Array.from({ length: 8 }, () => api.request('GET', `/batches/${id}/comparison`));
  const answers = await Promise.all(asked).finally(restore);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 200, json: { compared: 3 } });
  expect(most).toBe(4);
});

test('nobody has more than ten batches that go on, with however many tokens', async () => {
  await using other = await startTestApi({ signIn: SIGN_IN });
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map((name) => signedIn(other, name, [{ role: 'operator', sites: ['home'] }])),
  );
  const request = { tool: 'nslookup', query: 'nas.lan' } as const;
  for (let i = 0; i < 10; i++) {
    const settings = { request, sites: ['home'], agent: null, total: 1, atOnce: 1, maxFailures: null };
    const by = { actor: String(i).padStart(16, '0'), person: ada!.id, sourceAddress: null };
    await other.context.runs.create({ id: uuidv7(), site: null, ...settings, ...by }, ['home']);
  }
  const start = async (token: string) => {
    const body = { tool: 'nslookup', arguments: { devLastIP: 'nas.lan' }, sites: ['home'] };
    return (await other.request('POST', '/batches', { token, body })).status;
  };
  expect([await start(ada!.token), await start(bob!.token)]).toEqual([409, 202]);
});

test('what cannot be a batch is refused before any site is asked', async () => {
  fleet = await startFleet(api, names(2), () => lookUp('192.0.2.7'));
  const refused = async (body: object) => {
    const { status, json } = await api.request('POST', '/batches', { body });
    return [status, (json as { errors?: { path: string }[] }).errors?.map(({ path }) => path)];
  };
  const good = { tool: 'nslookup', arguments: { devLastIP: 'nas.lan' }, sites: ['s0000'] };
  expect(await refused({ ...good, arguments: {} })).toEqual([400, ['arguments.devLastIP']]);
  expect(await refused({ ...good, arguments: { devLastIP: '-x' } })).toEqual([400, ['arguments.devLastIP']]);
  expect(await refused({ ...good, sites: ['nowhere'] })).toEqual([403, undefined]);
  expect(await refused({ ...good, sites: ['tag:nobody'] })).toEqual([403, undefined]);
  expect(await refused({ ...good, maxFailures: '110%' })).toEqual([400, ['maxFailures']]);
  expect(fleet.requests).toEqual([]);
});
