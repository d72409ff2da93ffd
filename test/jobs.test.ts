/** Commands as jobs of a real agent: how they run, are watched, come back to and stopped; `test/api/jobs.test.ts` has the rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { isFinal } from '../shared/agent/messages.ts';
import { admin } from '../shared/api/admin.ts';
import { Job, jobs } from '../shared/api/jobs.ts';
import type { RequestOptions, Response } from './api-client.ts';
import type { StreamEvent } from './event-stream.ts';
import { standInAt } from './support/enrolled-agent.ts';
import { childrenOf, isRunningAs } from './support/processes.ts';
import { sharedSystem } from './support/shared-system.ts';

/** Takes about a second, and reports 16 hosts at a time. */
const SCAN = { scan: '127.0.0.0/26', mode: 'skipdiscovery' };
/** Takes more than ten seconds, and reports every few of them. */
const LONG_SCAN = { scan: '127.0.0.0/22', mode: 'normal' };
const ASYNC = { prefer: 'respond-async' };

const system = sharedSystem();
afterEach(() => expect.poll(endedAll).toBe(true));

const post = (path: string, body: unknown, options: RequestOptions = {}) =>
  system.request('POST', `/nettools/${path}`, { body, ...options });
const jobOf = ({ json }: Response): Job => Job.parse(json);
const find = async (id: string): Promise<Job> => jobOf(await system.request('GET', `/jobs/${id}`));
const cancel = (id: string) => system.request('DELETE', `/jobs/${id}`);

async function startedJob(): Promise<Job> {
  const answer = await post('nmap', LONG_SCAN, { headers: ASYNC });
  expect([answer.status, answer.json]).toMatchObject([202, { success: true }]);
  return jobOf(answer);
}

async function listed(): Promise<Job[]> {
  return jobs.listJobs.response.parse((await system.request('GET', '/jobs?limit=500')).json).jobs;
}

/** Stops what goes on. @returns whether nothing went on any more: a busy agent may be late to confirm */
async function endedAll(): Promise<boolean> {
  const goingOn = (await listed()).filter(({ state }) => !isFinal(state));
  await Promise.all(goingOn.map(({ id }) => cancel(id)));
  return goingOn.length === 0;
}

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

/** The scans of the system's agent, which is the supervised process itself: what starts it becomes it. */
const runningScans = () => childrenOf(system.system.parts.agent.pid ?? 0).filter(isRunningAs('nmap')).length;

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
  const site = await system.addSite();
  await using agent = await standInAt(system, site, 'slow');
  const started = post('nmap', SCAN, { site, headers: ASYNC });
  const { id } = await agent.take();
  await started;
  const headers = { authorization: `Bearer ${system.token}`, 'content-type': 'application/json', 'x-site': site };
  const gone = new AbortController();
  const init = { headers, signal: gone.signal };
  const asked = [
    fetch(`${system.url}/jobs/${id}?wait=200`, init),
    fetch(`${system.url}/nettools/nmap`, { ...init, method: 'POST', body: JSON.stringify(SCAN) }),
    system.stream('GET', `/jobs/${id}/events`).then((stream) => gone.signal.addEventListener('abort', stream.leave)),
  ];
  await agent.take();
  await expect.poll(() => waiting).toBe(3);
  gone.abort();
  await Promise.allSettled(asked);
  await expect.poll(() => waiting).toBe(0);
  expect((await find(id)).state).toBe('running');
  vi.restoreAllMocks();
});

test('an event stream: accepted, the output as it is printed, the whole job at the end', async () => {
  const stream = await system.stream('POST', '/nettools/nmap', { body: SCAN });
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await stream.ended;
  const of = (kind: string) => stream.events.filter(({ event }) => event === kind);
  expect(of('output').length).toBeGreaterThan(1);
  expect(of('result')).toEqual(stream.events.slice(-1));
  const job = Job.parse(stream.events.at(-1)?.data);
  expect(job).toMatchObject({ state: 'succeeded', result: { hostsTotal: 64 } });
  const inHand = { id: job.id, state: expect.stringMatching(/^(?:queued|running)$/) };
  expect(stream.events[0]).toMatchObject({ event: 'accepted', data: inHand });
  const text = textOf(stream.events);
  expect(text.length).toBeGreaterThan(100);
  expect(text).toBe(job.output);
});

test('a caller sees how far nmap is, leaves its stream but not the command, and comes back where it was', async () => {
  const first = await system.stream('POST', '/nettools/nmap', { body: LONG_SCAN });
  await first.first('output');
  const { percent } = (await first.first('progress')).data as { percent: number | null };
  if (percent !== null) expect(percent).toBeLessThanOrEqual(100);
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

test('a running command shows its output so far, and is stopped: confirmed when its process is gone, with that output', async () => {
  const { id } = await startedJob();
  await expect.poll(async () => (await find(id)).output ?? '').toContain('Nmap scan report');
  const running = await system.request('GET', `/jobs/${id}`);
  expect(jobOf(running)).toMatchObject({ endedAt: null, result: null });
  expect(runningScans()).toBe(1);
  const answer = await cancel(id);
  expect(runningScans()).toBe(0);
  expect(answer).toMatchObject({
    status: 200,
    json: { success: true, id, state: 'cancelled', reason: 'cancelled', endedAt: expect.any(String) },
  });
  expect(jobOf(answer).output).toContain('Nmap scan report');
  const known = (of: Response) =>
    system.request('GET', `/jobs/${id}`, { headers: { 'if-none-match': of.headers.get('etag') ?? '' } });
  const over = await known(running);
  expect([over.status, jobOf(over)]).toEqual([200, jobOf(answer)]);
  expect(over.headers.get('etag')).toMatch(/^(?:W\/)?"[^"]+"$/);
  const again = await known(over);
  expect([again.status, again.text]).toEqual([304, '']);
  const audit = admin.listAudit.response.parse((await system.request('GET', '/audit?limit=100')).json);
  expect(audit.entries.find((entry) => entry.id === id)).toMatchObject({ outcome: 'cancelled' });
});

test('a full agent: the next ones wait, say so and know their place, more are refused, short commands still pass', async () => {
  const running = [await startedJob(), await startedJob()];
  const waiting = [await startedJob(), await startedJob(), await startedJob()];
  const last = await system.stream('POST', '/nettools/nmap', { body: LONG_SCAN });
  const accepted = (await last.first('accepted')).data;
  expect(accepted).toMatchObject({ state: 'queued', position: 3 });
  const { id } = accepted as { id: string };

  const refused = await post('nmap', LONG_SCAN);
  expect([refused.status, refused.json]).toMatchObject([503, { code: 'agent_busy' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const { status } = await system.request('GET', '/nettools/interfaces');
  expect(status).toBe(200);

  await sleep(1_500); // Longer than the time after which a function writes down that a command goes on.
  expect(await find(id)).toMatchObject({ state: expect.stringMatching(/^(?:queued|accepted)$/), startedAt: null });
  const states = new Map((await listed()).map((job) => [job.id, job.state]));
  expect(running.map((job) => states.get(job.id))).toEqual(['running', 'running']);

  const stopped = await cancel(waiting[0]?.id ?? '');
  expect(jobOf(stopped)).toMatchObject({ state: 'cancelled', reason: 'cancelled', startedAt: null, output: '' });
  await expect
    .poll(() => last.events.filter(({ event }) => event === 'accepted').at(-1)?.data)
    .toMatchObject({ state: 'queued', position: 2 });
  last.leave();
});
