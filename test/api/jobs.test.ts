/** Commands as jobs whose agent does what a test says; `test/jobs.test.ts` has those of a real agent and its tools. */
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import type { Control, Request } from '../../shared/agent/messages.ts';
import { admin } from '../../shared/api/admin.ts';
import { Job, jobs } from '../../shared/api/jobs.ts';
import { StreamError } from '../../shared/errors.ts';
import type { RequestOptions, Response } from '../api-client.ts';
import {
  enrolAgent,
  resultFor,
  type StandIn,
  standInAt,
  startObedientAgent,
  startStandIn,
} from '../support/enrolled-agent.ts';
import { storeAgent } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';

const SCAN = { scan: '127.0.0.0/26', mode: 'skipdiscovery' };
const ASYNC = { prefer: 'respond-async' };

const api = testApi();
afterEach(() => void vi.useRealTimers());

const post = (path: string, body: unknown, options: RequestOptions = {}) =>
  api.request('POST', `/nettools/${path}`, { body, ...options });
const jobOf = ({ json }: Response): Job => Job.parse(json);
const find = async (id: string): Promise<Job> => jobOf(await api.request('GET', `/jobs/${id}`));

/** An agent of a site, that does nothing unless a test makes it. */
const standIn = (site: string) => standInAt(api, site, 'stand-in');

/** A request whose command the agent takes and ends like this. */
async function answered(
  agent: StandIn,
  state: 'succeeded' | 'failed',
  send: () => Promise<Response>,
): Promise<Response> {
  const sent = send();
  const request = await agent.take();
  const reason = state === 'failed' ? 'tool_failed' : null;
  await agent.say(request.replyTo, resultFor(request, { state, reason }));
  const answer = await sent;
  await agent.control('stored', request.id);
  return answer;
}

test('GET /jobs/{id}?wait=: answered when the command ends, and as it is when the wait is over', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const started = post('traceroute', { devLastIP: '127.0.0.1' }, { site, headers: ASYNC });
  const request = await agent.take();
  const { id } = jobOf(await started);
  const soon = await api.request('GET', `/jobs/${id}?wait=1`);
  expect([soon.status, soon.json]).toMatchObject([200, { id, state: 'running' }]);
  const etag = soon.headers.get('etag') ?? '';
  const waiting = api.request('GET', `/jobs/${id}?wait=60`, { headers: { 'if-none-match': etag } });
  const { replyTo } = (await agent.control('watch', id)) as Extract<Control, { t: 'watch' }>;
  await agent.say(replyTo, resultFor(request, { output: 'there\n' }));
  const end = await waiting;
  expect([end.status, end.json]).toMatchObject([200, { id, state: 'succeeded', output: 'there\n' }]);
  // One that has ended is answered at once, however long a caller would wait.
  expect((await api.request('GET', `/jobs/${id}?wait=300`)).json).toMatchObject({ state: 'succeeded' });
  const { status, json } = await api.request('GET', `/jobs/${id}?wait=soon`);
  expect([status, json]).toMatchObject([400, { errors: [{ path: 'query.wait' }] }]);
});

test('wait=N: the answer if the command ends in time, else 202 after N seconds', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const trace = (wait: number) =>
    post('traceroute', { devLastIP: '127.0.0.1' }, { site, headers: { prefer: `wait=${wait}` } });
  const quick = await answered(agent, 'succeeded', () => trace(20));
  expect(quick).toMatchObject({ status: 200, json: { success: true, output: expect.any(String) } });
  const started = performance.now();
  const [slow] = await Promise.all([trace(1), agent.take()]);
  expect(performance.now() - started).toBeGreaterThan(950);
  const inHand = expect.stringMatching(/^(?:accepted|running)$/);
  expect([slow.status, slow.json]).toMatchObject([202, { success: true, state: inHand, tool: 'traceroute' }]);
  expect(slow.headers.get('preference-applied')).toBe('wait=1');
  expect(slow.headers.get('location')).toBe(`/jobs/${jobOf(slow).id}`);
});

test('a caller that waits for a command learns that another caller stops it', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const waiting = post('nmap', SCAN, { site });
  const request = await agent.take();
  const cancelling = api.request('DELETE', `/jobs/${request.id}`);
  await agent.control('cancel', request.id);
  await agent.say(request.replyTo, resultFor(request, { state: 'cancelled', reason: 'cancelled', output: '' }));
  expect(await cancelling).toMatchObject({ status: 200, json: { state: 'cancelled' } });
  expect(await waiting).toMatchObject({
    status: 500,
    json: { code: 'command_failed', message: expect.stringContaining('cancelled') },
  });
});

test('many at once with one key: one command, one answer; with another request the key is refused, and nothing starts', async () => {
  const site = await api.addSite();
  await using agent = await startObedientAgent(api, site, 'main', {});
  const options = { site, headers: { 'idempotency-key': 'once' } };
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('nmap', SCAN, options)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  for (const [path, body] of [
    ['nmap', { ...SCAN, scan: '127.0.0.64/26' }],
    ['traceroute', { devLastIP: '127.0.0.9' }],
  ] as const) {
    const { status, json } = await post(path, body, options);
    expect([status, json]).toMatchObject([422, { success: false, code: 'idempotency_mismatch' }]);
  }
  expect(new Set(agent.requests.map(({ id }) => id)).size).toBe(1);
});

test('a stream that fails ends with an event that says why', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const asked = api.stream('POST', '/nettools/nmap', {
    headers: { 'content-type': 'application/json', 'x-request-id': 'the-stream' },
    raw: JSON.stringify(SCAN),
    site,
  });
  const request = await agent.take();
  const stream = await asked;
  await stream.first('accepted');
  // The row goes, as when the table is restored from before the command.
  await api.context.table.remove({ pk: `J#${site}`, sk: request.id });
  await agent.say(request.replyTo, resultFor(request));
  await stream.ended;
  const { event, data } = stream.events.at(-1) ?? {};
  expect([event, StreamError.parse(data)]).toMatchObject(['error', { code: 'not_found', requestId: 'the-stream' }]);
});

test('the streams of a token that is revoked or expires end within 15 seconds, and say so', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const asked = post('nmap', SCAN, { site, headers: ASYNC });
  const request = await agent.take();
  const { id } = jobOf(await asked);
  const follow = (token: string) => api.stream('GET', `/jobs/${id}/events`, { token });
  const revoked = await api.createToken({ sites: [site] });
  const expiring = await api.createToken({ sites: [site], expiresAt: new Date(Date.now() + 60_000).toISOString() });
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }); // By which tokens are looked at again.
  const streams = [await follow(revoked), await follow(revoked), await follow(expiring)];
  const other = await follow(api.token);
  await api.request('DELETE', `/tokens/${tokenId(revoked)}`);
  vi.setSystemTime(Date.now() + 61_000); // The other one expires.
  vi.advanceTimersByTime(15_000);
  await Promise.all(streams.map((stream) => stream.ended));
  for (const { events } of streams) {
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'forbidden' } });
    expect(events.some(({ event }) => event === 'result')).toBe(false);
  }
  await agent.say(request.replyTo, resultFor(request));
  expect((await other.first('result')).data).toMatchObject({ id, state: 'succeeded' });
});

test('the list: newest first, without output, narrowed by tool, state and actor, also in pages', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const token = await api.createToken({ sites: [site] });
  const actor = tokenId(token)!;
  const run = (path: string, devLastIP: string, by: string, state: 'succeeded' | 'failed') =>
    answered(agent, state, () => post(path, { devLastIP }, { site, token: by }));
  for (let i = 0; i < 3; i++) {
    await run('traceroute', `127.0.0.${i}`, token, 'succeeded');
    await run('nslookup', `127.0.1.${i}`, api.token, i === 1 ? 'failed' : 'succeeded');
  }
  const list = async (query: string) =>
    jobs.listJobs.response.parse((await api.request('GET', `/jobs?${query}`, { site })).json);
  const all = (await list('')).jobs;
  expect(all).toHaveLength(6);
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1)));
  expect(all.every(({ output, result }) => output === null && result === null)).toBe(true);
  expect((await list('tool=traceroute')).jobs.map(({ tool }) => tool)).toEqual(Array(3).fill('traceroute'));
  const failed = { tool: 'nslookup', request: { query: '127.0.1.1' }, reason: 'tool_failed' };
  expect((await list('state=failed')).jobs).toMatchObject([failed]);
  expect((await list(`actor=${actor}`)).jobs.map((job) => job.actor)).toEqual(Array(3).fill(actor));
  expect((await list(`actor=${actor}&state=failed`)).jobs).toEqual([]);
  const first = await list('limit=2&tool=nslookup');
  const { jobs: rest } = await list(`limit=2&tool=nslookup&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  expect([...first.jobs, ...rest]).toEqual(all.filter(({ tool }) => tool === 'nslookup'));
});

test('jobs of a site that the token may not use are not there', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const asked = post('nmap', SCAN, { site, headers: ASYNC });
  await agent.take();
  const { id } = jobOf(await asked);
  const token = await api.createToken({ sites: [await api.addSite()] });
  const absent = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const notFound = { status: 404, json: { code: 'not_found' } };
  for (const line of ['GET', 'GET /events', 'DELETE']) {
    const [method = '', suffix = ''] = line.split(' ');
    expect(await api.request(method, `/jobs/${id}${suffix}`, { token })).toMatchObject(notFound);
    expect(await api.request(method, `/jobs/${absent}${suffix}`)).toMatchObject(notFound);
  }
  const foreign = await api.request('GET', '/jobs', { token, site });
  const unknown = await api.request('GET', '/jobs', { site: 'nowhere' });
  for (const one of [foreign, unknown]) expect(one).toMatchObject({ status: 403, json: { code: 'site_forbidden' } });
  expect(await api.request('GET', '/jobs', { token })).toMatchObject({ status: 200, json: { jobs: [] } });
  expect((await find(id)).state).toBe('running');
});

test('a command whose agent cannot be reached keeps the state that was known last, and says since when', async () => {
  const site = await api.addSite();
  const agent = await enrolAgent(api, site, 'stand-in');
  const inList = async () =>
    jobs.listJobs.response
      .parse((await api.request('GET', '/jobs', { site })).json)
      .jobs.map(({ state, agentOfflineSince }) => [state, agentOfflineSince]);
  let id = '';
  {
    await using standing = await startStandIn(api, agent);
    const sent = api.request('GET', '/nettools/interfaces', { site, headers: ASYNC });
    await standing.take();
    id = jobOf(await sent).id;
    expect(await inList()).toEqual([['running', null]]);
  }
  await expect.poll(async () => (await find(id)).agentOfflineSince).not.toBeNull();
  const { state, startedAt, agentOfflineSince } = await find(id);
  expect([state, startedAt]).toEqual(['running', expect.any(String)]);
  expect(await inList()).toEqual([['running', agentOfflineSince]]);
  await using back = await startStandIn(api, agent);
  expect(await inList()).toEqual([['running', null]]);
  await back.say('nobody', resultFor({ id } as Request));
  await expect.poll(inList).toEqual([['succeeded', null]]);
});

test('a command of which nothing is heard any more is lost, for callers that look and in the audit', async () => {
  const site = await api.addSite();
  const agent = await storeAgent(api.context, site, 'attic');
  const ids = [uuidv7(), uuidv7()].map((one) => `${site}.${one}`);
  const started = { agent, command: { tool: 'interfaces' }, actor: 'test', sourceAddress: null } as const;
  for (const id of ids) await api.context.jobs.create({ id, ...started });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  expect(await find(ids[0]!)).toMatchObject({ state: 'lost' });
  const { json } = await api.request('GET', `/audit?site=${site}`);
  const lost = admin.listAudit.response.parse(json).entries.filter(({ outcome }) => outcome === 'lost: lease_expired');
  expect(lost).toHaveLength(2);
});

test('commands of a revoked agent are lost, for callers that wait and for those that look', async () => {
  const site = await api.addSite();
  await using agent = await standIn(site);
  const waiting = api.request('GET', '/nettools/interfaces', { site });
  const { id } = await agent.take();
  const deferred = api.request('GET', '/nettools/interfaces', { site, headers: ASYNC });
  await agent.take();
  const other = jobOf(await deferred);
  expect((await api.request('DELETE', `/sites/${site}/agents/stand-in`)).status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15_000 }); // After which the row of a job is read again.
  expect(await waiting).toMatchObject({
    status: 503,
    json: { code: 'agent_offline', message: expect.stringContaining('revoked before the command ended') },
  });
  for (const one of [id, other.id]) expect(await find(one)).toMatchObject({ state: 'lost', reason: 'agent_revoked' });
});
