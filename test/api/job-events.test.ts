/** How a stream of events ends: with the result, stored or not, with nothing, or because nobody reads any more. */

import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import type { JobHandle } from '../../functions/commands/agent-dispatcher.ts';
import { jobEvents } from '../../functions/commands/job-events.ts';
import { type Assignment, openJobStore } from '../../functions/commands/job-store.ts';
import { JobTracker } from '../../functions/commands/job-tracker.ts';
import type { ServerEvent } from '../../functions/http/event-stream.ts';
import { openWaitSlots } from '../../functions/http/wait-slots.ts';
import { type EndedJob, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { deadline } from '../../shared/async.ts';
import { Command } from '../../shared/tools/list.ts';
import { memoryTable } from '../test-table.ts';

const AGENT = 'home:main';
const STARTED = Date.parse('2026-11-01T08:15:00.000Z');

const jobs = openJobStore(memoryTable().open(), () => new Date());
afterEach(() => void vi.useRealTimers());

/** A job of which the agent is heard, with its row, but without anybody who stores its result. */
async function startedJob() {
  const id = `home.${uuidv7()}`;
  await jobs.create({
    id,
    agent: AGENT,
    command: Command.parse({ tool: 'traceroute', target: '127.0.0.1' }),
    actor: 'a',
    sourceAddress: null,
  });
  const following = new JobTracker({ id, agent: AGENT, tool: 'traceroute' });
  const ended: EndedJob = {
    state: 'succeeded',
    reason: null,
    message: null,
    output: 'all of it\n',
    truncated: false,
    result: { target: '127.0.0.1', reached: false, hops: [] },
    startedAt: STARTED,
    endedAt: STARTED + 1_500,
  };
  let hasLeft = false;
  const followed = (end: Promise<EndedJob | null>): JobHandle => ({
    id,
    agent: AGENT,
    end: (ms) => deadline(end, ms, () => null),
    events: (from, until) => following.events(from, until),
    soFar: () => Promise.reject(new Error('not a part of this test')),
    cancel: () => Promise.reject(new Error('not a part of this test')),
    leave() {
      hasLeft = true;
    },
  });
  return {
    id,
    following,
    ended,
    followed,
    get hasLeft() {
      return hasLeft;
    },
  };
}

async function assigned(id: string): Promise<Assignment> {
  const assignment = await jobs.assignment(id);
  if (assignment === null) throw new Error(`there is no job ${id}`);
  return assignment;
}

async function all(events: AsyncGenerator<ServerEvent>): Promise<ServerEvent[]> {
  const seen: ServerEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const waitSlots = openWaitSlots({ call: 1, stream: 0 });
const reader = (from: number) => ({ from, user: 'token' });
const reading = () => new AbortController().signal;

test('a result that is stored late is told as the agent said it, in the shape of the job', async () => {
  const job = await startedJob();
  const { find } = jobs;
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const late = vi.spyOn(jobs, 'find').mockImplementation((id) => {
    vi.advanceTimersByTime(60_000); // Ingest is that late.
    return find(id);
  });
  const events = all(jobEvents({ jobs, waitSlots }, job.followed(job.following.ended), reader(0), reading()));
  job.following.end(job.ended);
  const told = (await events).at(-1);
  late.mockRestore();
  vi.useRealTimers();
  expect((await jobs.find(job.id))?.state).toBe('queued');
  await jobs.finish(await assigned(job.id), job.ended);
  expect(told).toEqual({ event: 'result', data: await jobs.find(job.id) });
  expect(told?.data).toMatchObject({ state: 'succeeded', output: 'all of it\n', endedAt: '2026-11-01T08:15:01.500Z' });
  expect(job.hasLeft).toBe(true);
});

test('a result that is stored while the stream waits is told as it was stored', async () => {
  const job = await startedJob();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // However slow the machine is, the stream waits for it.
  const events = all(jobEvents({ jobs, waitSlots }, job.followed(job.following.ended), reader(0), reading()));
  job.following.end(job.ended);
  await jobs.finish(await assigned(job.id), { ...job.ended, output: 'as it was stored\n' });
  expect((await events).at(-1)).toMatchObject({ event: 'result', data: { output: 'as it was stored\n' } });
});

test('what the agent did not show while the command ran comes before the result, so that the output is whole', async () => {
  const job = await startedJob();
  const events = all(jobEvents({ jobs, waitSlots }, job.followed(job.following.ended), reader(0), reading()));
  job.following.take({ v: PROTOCOL_VERSION, t: 'ack', id: job.id, state: 'running', at: 0 });
  job.following.take({ v: PROTOCOL_VERSION, t: 'output', id: job.id, at: 0, text: 'all ' });
  await new Promise(setImmediate);
  job.following.end(job.ended);
  await jobs.finish(await assigned(job.id), job.ended);
  expect(await events).toMatchObject([
    { event: 'accepted', data: { state: 'running' } },
    { event: 'output', id: '4', data: { at: 0, text: 'all ' } },
    { event: 'output', id: '10', data: { at: 4, text: 'of it\n' } },
    { event: 'result', data: { output: 'all of it\n' } },
  ]);
  const again = all(jobEvents({ jobs, waitSlots }, job.followed(Promise.resolve(job.ended)), reader(4), reading()));
  expect((await again)[1]).toMatchObject({ event: 'output', id: '10', data: { at: 4, text: 'of it\n' } });
});

const never = new Promise<never>(() => {});

test('a stream whose time is over ends without a result, and the next one goes on behind it without loss', async () => {
  const job = await startedJob();
  const silent = jobEvents({ jobs, waitSlots }, job.followed(never), reader(0), reading(), { lastsMs: 20 });
  expect(await all(silent)).toEqual([{ event: 'end', id: '0', retry: 1_000, data: {} }]);
  expect(job.hasLeft).toBe(true);
  job.following.take({ v: PROTOCOL_VERSION, t: 'ack', id: job.id, state: 'running', at: 0 });
  job.following.take({ v: PROTOCOL_VERSION, t: 'output', id: job.id, at: 0, text: 'all ' });
  const first = await all(jobEvents({ jobs, waitSlots }, job.followed(never), reader(0), reading(), { lastsMs: 20 }));
  expect(first).toMatchObject([
    { event: 'accepted' },
    { event: 'output', id: '4', data: { text: 'all ' } },
    { event: 'end', id: '4' },
  ]);
  job.following.end(job.ended);
  await jobs.finish(await assigned(job.id), job.ended);
  const next = jobEvents({ jobs, waitSlots }, job.followed(job.following.ended), reader(4), reading());
  expect(await all(next)).toMatchObject([
    { event: 'accepted' },
    { event: 'output', id: '10', data: { at: 4, text: 'of it\n' } },
    { event: 'result', data: { output: 'all of it\n' } },
  ]);
});

test('a stream that finds no place shows how far the command is, ends, and is to come back later', async () => {
  const job = await startedJob();
  const places = openWaitSlots({ call: 1, stream: 0 });
  const giveBack = places.take('call', 'another');
  job.following.take({ v: PROTOCOL_VERSION, t: 'output', id: job.id, at: 0, text: 'all ' });
  const seen = await all(jobEvents({ jobs, waitSlots: places }, job.followed(never), reader(0), reading()));
  expect(seen.map(({ event, id, retry }) => [event, id, retry])).toEqual([
    ['output', '4', undefined],
    ['end', '4', 5_000],
  ]);
  giveBack?.();
  expect(places.take('call', 'another')).not.toBeNull();
});

test('a stream gives its place back, also when its reader leaves', async () => {
  const job = await startedJob();
  const places = openWaitSlots({ call: 1, stream: 0 });
  const unread = new AbortController();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const events = all(jobEvents({ jobs, waitSlots: places }, job.followed(never), reader(0), unread.signal));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(places.take('call', 'another')).toBeNull();
  unread.abort();
  expect(await events).toEqual([]);
  expect(places.take('call', 'another')).not.toBeNull();
});

test('when nobody reads any more the command is left, also when nothing is heard of it', async () => {
  const job = await startedJob();
  const unread = new AbortController();
  const events = all(jobEvents({ jobs, waitSlots }, job.followed(job.following.ended), reader(0), unread.signal));
  await new Promise(setImmediate);
  expect(job.hasLeft).toBe(false);
  unread.abort();
  expect(await events).toEqual([]);
  expect(job.hasLeft).toBe(true);
});

test('a job that is not there fails', async () => {
  const job = await startedJob();
  const events = all(
    jobEvents(
      { jobs, waitSlots },
      { ...job.followed(job.following.ended), id: `home.${uuidv7()}` },
      reader(0),
      reading(),
    ),
  );
  job.following.end(job.ended);
  await expect(events).rejects.toMatchObject({ code: 'not_found' });
  expect(job.hasLeft).toBe(true);
});
