/** Commands as jobs: how a caller waits for one, watches it, comes back to it, stops it, and what is kept of it, by a real agent. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isFinal } from '../shared/agent/messages.ts';
import { admin } from '../shared/api/admin.ts';
import { Job, jobs } from '../shared/api/jobs.ts';
import type { RequestOptions, Response } from './api-client.ts';
import type { StreamEvent } from './event-stream.ts';
import { listenOnLoopback } from './support/loopback.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

/** Takes about a second, and reports 16 hosts at a time. */
const SCAN = { scan: '127.0.0.0/26', mode: 'skipdiscovery' };
/** Takes more than ten seconds, and reports every few of them. */
const LONG_SCAN = { scan: '127.0.0.0/22', mode: 'normal' };
const ASYNC = { prefer: 'respond-async' };
/** The state of a command that its agent has taken and that has not ended. */
const IN_HAND = expect.stringMatching(/^(?:accepted|running)$/);

let system: TestSystem;
/** Questions that the agent's host asks the internet; whoever asks waits until a test answers, or for five seconds. */
let internet: Server;
const questions: ServerResponse[] = [];

beforeAll(async () => {
  internet = createServer((_request, response) => void questions.push(response));
  const port = await listenOnLoopback(internet);
  const url = `http://127.0.0.1:${port}/`;
  system = await startTestSystem({ LOG_LEVEL: 'info', INTERNET_INFO_URL: url });
});
afterEach(async () => {
  for (const question of questions.splice(0)) question.writeHead(503).end();
  await expect.poll(endedAll).toBe(true);
});
afterAll(async () => {
  await system.close();
  internet.close();
  internet.closeAllConnections();
});

const post = (path: string, body: unknown, options: RequestOptions = {}) =>
  system.request('POST', `/nettools/${path}`, { body, ...options });
const jobOf = ({ json }: Response): Job => Job.parse(json);
const find = async (id: string): Promise<Job> => jobOf(await system.request('GET', `/jobs/${id}`));
const cancel = (id: string) => system.request('DELETE', `/jobs/${id}`);

async function startedJob(body: object = LONG_SCAN): Promise<Job> {
  const answer = await post('nmap', body, { headers: ASYNC });
  expect([answer.status, answer.json]).toMatchObject([202, { success: true }]);
  return jobOf(answer);
}

async function listed(query = 'limit=500'): Promise<Job[]> {
  return jobs.listJobs.response.parse((await system.request('GET', `/jobs?${query}`)).json).jobs;
}

/** Stops what goes on. @returns whether nothing went on any more: a busy agent may be late to confirm */
async function endedAll(): Promise<boolean> {
  const goingOn = (await listed()).filter(({ state }) => !isFinal(state));
  await Promise.all(goingOn.map(({ id }) => cancel(id)));
  return goingOn.length === 0;
}

async function ended(id: string): Promise<Job> {
  await expect.poll(async () => isFinal((await find(id)).state)).toBe(true);
  return find(id);
}

/** How often the agent has started this command. */
const starts = (id: string) =>
  system.logged.filter((line) => line.jobId === id && line.msg === 'command started').length;

/** What the output events of a stream say together; every piece must follow the one before, and carry its end as id. */
function textOf(events: readonly StreamEvent[], from = 0): string {
  let text = '';
  for (const { event, id, data } of events) {
    if (event !== 'output') continue;
    const piece = data as { at: number; text: string };
    expect(piece.at).toBe(from + text.length);
    text += piece.text;
    expect(id).toBe(String(from + text.length));
  }
  return text;
}

/** Processes with this program name whose agent is the system's. */
function runningScans(): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state !== 'Z' && Number(parent) === agentPid() && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'nmap\n';
    } catch {
      return false;
    }
  }).length;
}

/** The supervised process is the agent itself: what starts it becomes it. */
const agentPid = () => system.system.parts.agent.pid;

/* ---- Waiting ---------------------------------------------------------------------------------------------------- */

test('respond-async: 202 as soon as the agent has the command, and the job says how it goes on', async () => {
  const answer = await post('nmap', SCAN, { headers: ASYNC });
  expect(answer.status).toBe(202);
  expect(answer.headers.get('preference-applied')).toBe('respond-async');
  const { id, state } = jobOf(answer);
  expect(answer.headers.get('location')).toBe(`/jobs/${id}`);
  expect(isFinal(state)).toBe(false);
  const job = await ended(id);
  expect(job).toMatchObject({
    site: 'home',
    agent: 'home:main',
    tool: 'nmap',
    request: { tool: 'nmap', target: '127.0.0.0/26', mode: 'skipdiscovery' },
    state: 'succeeded',
    reason: null,
    truncated: false,
    result: { hostsTotal: 64 },
  });
  expect(job.output).toContain('Nmap scan report for 127.0.0.63');
  expect(Date.parse(job.endedAt ?? '') - Date.parse(job.startedAt ?? '')).toBeGreaterThan(200);
});

test('wait=N: the answer if the command ends in time, else 202 after N seconds', async () => {
  const quick = await post('traceroute', { devLastIP: '127.0.0.1' }, { headers: { prefer: 'wait=20' } });
  expect([quick.status, quick.json]).toMatchObject([200, { success: true, output: expect.any(String) }]);
  const started = performance.now();
  const slow = await post('nmap', LONG_SCAN, { headers: { prefer: 'wait=1' } });
  expect(performance.now() - started).toBeGreaterThan(950);
  expect([slow.status, slow.json]).toMatchObject([202, { success: true, state: IN_HAND, tool: 'nmap' }]);
  expect(slow.headers.get('preference-applied')).toBe('wait=1');
  expect(slow.headers.get('location')).toBe(`/jobs/${jobOf(slow).id}`);
});

test('a caller that goes away while it waits gives its place back, and the command goes on', async () => {
  const { waitSlots } = system.system.parts.context;
  const take = waitSlots.take;
  let waiting = 0;
  vi.spyOn(waitSlots, 'take').mockImplementation((...given) => {
    const giveBack = take(...given);
    waiting++;
    return () => {
      waiting--;
      giveBack?.();
    };
  });
  const { id } = await startedJob();
  const headers = { authorization: `Bearer ${system.token}`, 'content-type': 'application/json' };
  const gone = new AbortController();
  const init = { headers, signal: gone.signal };
  const asked = [
    fetch(`${system.url}/jobs/${id}?wait=200`, init),
    fetch(`${system.url}/nettools/nmap`, { ...init, method: 'POST', body: JSON.stringify(LONG_SCAN) }),
    system.stream('GET', `/jobs/${id}/events`).then((stream) => gone.signal.addEventListener('abort', stream.leave)),
  ];
  await expect.poll(() => waiting).toBe(3);
  gone.abort();
  await Promise.allSettled(asked);
  await expect.poll(() => waiting).toBe(0);
  expect((await find(id)).state).toBe('running');
  vi.restoreAllMocks();
});

/* ---- Watching --------------------------------------------------------------------------------------------------- */

test('an event stream: accepted, the output as it is printed, the whole job at the end', async () => {
  const stream = await system.stream('POST', '/nettools/nmap', { body: SCAN });
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await stream.ended;
  const kinds = stream.events.map(({ event }) => event);
  expect(kinds[0]).toBe('accepted');
  expect(kinds.at(-1)).toBe('result');
  expect(kinds.filter((kind) => kind === 'result')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'output').length).toBeGreaterThan(1);
  const job = Job.parse(stream.events.at(-1)?.data);
  expect(job).toMatchObject({ state: 'succeeded', result: { hostsTotal: 64 } });
  expect(stream.events[0]?.data).toMatchObject({ id: job.id, state: expect.stringMatching(/^(?:queued|running)$/) });
  const text = textOf(stream.events);
  expect(text.length).toBeGreaterThan(100);
  expect(text).toBe(job.output);
});

test('why an agent refuses a scan is said to everybody who asks', async () => {
  const why = '10.0.0.0/8 holds 16777216 addresses; this agent scans at most 1024 in mode fast';
  const body = { scan: '10.0.0.0/8', mode: 'fast' };
  const refused = { state: 'failed', reason: 'target_not_allowed', message: why, output: '', result: null };
  const waited = await post('nmap', body);
  expect([waited.status, waited.json]).toMatchObject([403, { message: `Cannot run nmap: ${why}` }]);

  const streamed = await system.stream('POST', '/nettools/nmap', { body });
  await streamed.ended;
  expect(streamed.events.at(-1)).toMatchObject({ event: 'result', data: refused });

  // Who does not wait is told at its job: 202, unless the refusal was there before the answer.
  expect([202, 403]).toContain((await post('nmap', body, { headers: ASYNC })).status);
  const [id = ''] = await system.newestJobs(1);
  expect(await ended(id)).toMatchObject(refused);
  expect((await system.request('GET', `/jobs/${id}`)).json).toMatchObject(refused);
  const followed = await system.stream('GET', `/jobs/${id}/events`);
  await followed.ended;
  expect(followed.events.at(-1)).toMatchObject({ event: 'result', data: refused });
});

test('nmap says how far it is', async () => {
  const stream = await system.stream('POST', '/nettools/nmap', { body: LONG_SCAN });
  const { data } = await stream.first('progress');
  expect(data).toMatchObject({ phase: expect.any(String) });
  const { percent } = data as { percent: number | null };
  if (percent !== null) expect(percent).toBeLessThanOrEqual(100);
  stream.leave();
});

test('a caller that leaves its stream leaves the command alone, and comes back where it was', async () => {
  const first = await system.stream('POST', '/nettools/nmap', { body: LONG_SCAN });
  await first.first('output');
  const { id } = (await first.first('accepted')).data as { id: string };
  first.leave();
  const seen = textOf(first.events);
  expect(seen).toContain('Starting Nmap');

  const headers = { 'last-event-id': String(seen.length) };
  const second = await system.stream('GET', `/jobs/${id}/events`, { headers });
  await second.first('output');
  expect((await find(id)).state).toBe('running');
  expect([200, 409]).toContain((await cancel(id)).status);
  await second.ended;
  const rest = textOf(second.events, seen.length);
  const job = Job.parse(second.events.at(-1)?.data);
  expect(job).toMatchObject({ id, state: 'cancelled', reason: 'cancelled' });
  expect(seen + rest).toBe(job.output);
});

/* ---- Looking up ------------------------------------------------------------------------------------------------- */

test('a running job shows its output so far, and its ETag changes with it', async () => {
  const { id } = await startedJob();
  await expect.poll(async () => (await find(id)).output ?? '').toContain('Nmap scan report');
  const running = await system.request('GET', `/jobs/${id}`);
  expect(jobOf(running)).toMatchObject({ endedAt: null, result: null });
  await cancel(id);
  const over = await system.request('GET', `/jobs/${id}`, {
    headers: { 'if-none-match': running.headers.get('etag') ?? '' },
  });
  expect([over.status, jobOf(over).state]).toEqual([200, 'cancelled']);
  expect(over.headers.get('etag')).toMatch(/^(?:W\/)?"[^"]+"$/);
  const again = await system.request('GET', `/jobs/${id}`, {
    headers: { 'if-none-match': over.headers.get('etag') ?? '' },
  });
  expect([again.status, again.text]).toEqual([304, '']);
});

/* ---- Stopping --------------------------------------------------------------------------------------------------- */

test('a running command is stopped: confirmed when its process is gone, with what it had printed', async () => {
  const { id } = await startedJob();
  await expect.poll(async () => (await find(id)).output ?? '').toContain('Nmap scan report');
  expect(runningScans()).toBe(1);
  const answer = await cancel(id);
  expect(runningScans()).toBe(0);
  expect(answer).toMatchObject({
    status: 200,
    json: { success: true, id, state: 'cancelled', reason: 'cancelled', endedAt: expect.any(String) },
  });
  expect(jobOf(answer).output).toContain('Nmap scan report');
  expect(await find(id)).toEqual(jobOf(answer));
  const audit = admin.listAudit.response.parse((await system.request('GET', '/audit?limit=100')).json);
  expect(audit.entries.find((entry) => entry.id === id)).toMatchObject({ outcome: 'cancelled' });
});

test('a caller that waits for a command that somebody stops is told so', async () => {
  const waiting = post('nmap', LONG_SCAN);
  await expect.poll(async () => (await listed('state=running')).length).toBe(1);
  const [job] = await listed('state=running');
  await cancel(job?.id ?? '');
  const { status, json } = await waiting;
  expect({ status, json }).toMatchObject({
    status: 500,
    json: { code: 'command_failed', message: expect.stringContaining('cancelled') },
  });
});

/* ---- A busy agent ----------------------------------------------------------------------------------------------- */

test('a full agent: the next ones wait and know their place, more are refused, short commands still pass', async () => {
  const running = [await startedJob(), await startedJob()];
  const waiting = [await startedJob(), await startedJob(), await startedJob()];
  const last = await system.stream('POST', '/nettools/nmap', { body: LONG_SCAN });
  const accepted = (await last.first('accepted')).data;
  expect(accepted).toMatchObject({ state: 'queued', position: 3 });

  const refused = await post('nmap', LONG_SCAN);
  expect([refused.status, refused.json]).toMatchObject([503, { code: 'agent_busy' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const { status } = await system.request('GET', '/nettools/interfaces');
  expect(status).toBe(200);

  const stopped = await cancel(waiting[0]?.id ?? '');
  expect(jobOf(stopped)).toMatchObject({ state: 'cancelled', reason: 'cancelled', startedAt: null, output: '' });
  await expect
    .poll(() => last.events.filter(({ event }) => event === 'accepted').at(-1)?.data)
    .toMatchObject({ state: 'queued', position: 2 });
  await cancel(running[0]?.id ?? '');
  await expect.poll(() => starts(waiting[1]?.id ?? '')).toBe(1);
  last.leave();
  const { id } = accepted as { id: string };
  expect(jobOf(await cancel(id)).state).toBe('cancelled');
  expect(starts(id)).toBe(0);
});

test('the state of a job says whether it waits or runs, whoever asks', async () => {
  const running = [await startedJob(), await startedJob()];
  const waiting = await system.stream('POST', '/nettools/nmap', { body: LONG_SCAN });
  const { id } = (await waiting.first('accepted')).data as { id: string };
  for (const job of running) {
    await expect.poll(async () => (await find(job.id)).state).toBe('running');
    expect((await find(job.id)).startedAt).not.toBeNull();
  }
  await sleep(1_500); // Longer than the time after which a function writes down that a command goes on.
  expect(await find(id)).toMatchObject({ state: expect.stringMatching(/^(?:queued|accepted)$/), startedAt: null });
  const states = new Map((await listed('limit=3')).map((job) => [job.id, job.state]));
  expect(running.map((job) => states.get(job.id))).toEqual(['running', 'running']);
  waiting.leave();
  expect(jobOf(await cancel(id))).toMatchObject({ state: 'cancelled', startedAt: null });
});

/* ---- Repeating safely ------------------------------------------------------------------------------------------- */

test('many at once with one key: one command, one answer', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const before = await system.jobCount();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post('nmap', { scan: '127.0.0.0/27', mode: 'skipdiscovery' }, { headers })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await system.jobCount()).toBe(before + 1);
});

test('the same key with another request is refused, and nothing starts', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  await post('traceroute', { devLastIP: '127.0.0.9' }, { headers });
  const before = await system.jobCount();
  for (const [path, body] of [
    ['traceroute', { devLastIP: '127.0.0.10' }],
    ['nslookup', { devLastIP: '127.0.0.9' }],
  ] as const) {
    const { status, json } = await post(path, body, { headers });
    expect([status, json]).toMatchObject([422, { success: false, code: 'idempotency_mismatch' }]);
  }
  expect(await system.jobCount()).toBe(before);
});
