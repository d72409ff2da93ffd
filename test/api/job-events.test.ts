/** How a stream of events ends: with the result, stored or not, with nothing, or because its reader has gone. */
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import type { JobHandle } from '../../functions/commands/agent-dispatcher.ts';
import { jobEvents } from '../../functions/commands/job-events.ts';
import { openJobStore } from '../../functions/commands/job-store.ts';
import { JobTracker } from '../../functions/commands/job-tracker.ts';
import type { ServerEvent } from '../../functions/http/event-stream.ts';
import { openWaitSlots, type WaitSlots } from '../../functions/http/wait-slots.ts';
import { type Ack, type EndedJob, type Output, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { deadline } from '../../shared/async.ts';
import { Command } from '../../shared/tools/list.ts';
import { ENDED } from '../support/made-up-result.ts';
import { memoryTable } from '../test-table.ts';

const AGENT = 'home:main';
const STARTED = Date.parse('2026-11-01T08:15:00.000Z');

const jobs = openJobStore(memoryTable().open(), () => new Date());
afterEach(() => void vi.useRealTimers());

const waitSlots = openWaitSlots({ call: 1, stream: 0 });

/** A job of which the agent is heard, with its row, but without anybody who stores its result. */
async function startedJob() {
  const id = `home.${uuidv7()}`;
  const command = Command.parse({ tool: 'traceroute', target: '127.0.0.1' });
  await jobs.create({ id, agent: AGENT, command, actor: 'a', sourceAddress: null });
  const following = new JobTracker({ id, agent: AGENT, tool: 'traceroute' });
  const result = { target: '127.0.0.1', reached: false, hops: [] };
  const times = { startedAt: STARTED, endedAt: STARTED + 1_500 };
  const ended: EndedJob = { ...ENDED, output: 'all of it\n', result, ...times };
  let hasLeft = false;
  const handle = (end: Promise<EndedJob | null>): JobHandle => ({
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
    async finish(as = ended) {
      await jobs.finish((await jobs.assignment(id))!, as);
    },
    /** All events of a stream, from a position in the output. */
    async events(reading: Reading = {}) {
      const { end = following.ended, from = 0, places = waitSlots, unread = new AbortController(), ...time } = reading;
      const seen: ServerEvent[] = [];
      const context = { jobs, waitSlots: places };
      for await (const event of jobEvents(context, handle(end), { from, user: 'token' }, unread.signal, time)) {
        seen.push(event);
      }
      return seen;
    },
    get hasLeft() {
      return hasLeft;
    },
  };
}

interface Reading {
  /** Default: what the agent says. */
  end?: Promise<EndedJob | null>;
  from?: number;
  places?: WaitSlots;
  /** Aborted when the reader has gone. */
  unread?: AbortController;
  lastsMs?: number;
}

const ackOf = ({ id }: { id: string }): Ack => ({ v: PROTOCOL_VERSION, t: 'ack', id, state: 'running', at: 0 });
const pieceOf = ({ id }: { id: string }): Output => ({ v: PROTOCOL_VERSION, t: 'output', id, at: 0, text: 'all ' });

test('a result that is stored late is told as the agent said it, in the shape of the job', async () => {
  const job = await startedJob();
  const { find } = jobs;
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const late = vi.spyOn(jobs, 'find').mockImplementation((id) => {
    vi.advanceTimersByTime(60_000); // Ingest is that late.
    return find(id);
  });
  const events = job.events();
  job.following.end(job.ended);
  const told = (await events).at(-1);
  late.mockRestore();
  vi.useRealTimers();
  expect((await jobs.find(job.id))?.state).toBe('queued');
  await job.finish();
  expect(told).toEqual({ event: 'result', data: await jobs.find(job.id) });
  expect(told?.data).toMatchObject({ state: 'succeeded', output: 'all of it\n', endedAt: '2026-11-01T08:15:01.500Z' });
  expect(job.hasLeft).toBe(true);
});

test('a result that is stored while the stream waits is told as it was stored', async () => {
  const job = await startedJob();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // However slow the machine is, the stream waits for it.
  const events = job.events();
  job.following.end(job.ended);
  await job.finish({ ...job.ended, output: 'as it was stored\n' });
  expect((await events).at(-1)).toMatchObject({ event: 'result', data: { output: 'as it was stored\n' } });
});

test('what the agent did not show while the command ran comes before the result, so that the output is whole', async () => {
  const job = await startedJob();
  const events = job.events();
  job.following.take(ackOf(job));
  job.following.take(pieceOf(job));
  await new Promise(setImmediate);
  job.following.end(job.ended);
  await job.finish();
  expect(await events).toMatchObject([
    { event: 'accepted', data: { state: 'running' } },
    { event: 'output', id: '4', data: { at: 0, text: 'all ' } },
    { event: 'output', id: '10', data: { at: 4, text: 'of it\n' } },
    { event: 'result', data: { output: 'all of it\n' } },
  ]);
  const again = await job.events({ end: Promise.resolve(job.ended), from: 4 });
  expect(again[1]).toMatchObject({ event: 'output', id: '10', data: { at: 4, text: 'of it\n' } });
});

const never = new Promise<never>(() => {});

test('a stream whose time is over ends without a result, and the next one goes on behind it without loss', async () => {
  const job = await startedJob();
  const silent = { end: never, lastsMs: 20 };
  expect(await job.events(silent)).toEqual([{ event: 'end', id: '0', retry: 1_000, data: {} }]);
  expect(job.hasLeft).toBe(true);
  job.following.take(ackOf(job));
  job.following.take(pieceOf(job));
  expect(await job.events(silent)).toMatchObject([
    { event: 'accepted' },
    { event: 'output', id: '4', data: { text: 'all ' } },
    { event: 'end', id: '4' },
  ]);
  job.following.end(job.ended);
  await job.finish();
  expect(await job.events({ from: 4 })).toMatchObject([
    { event: 'accepted' },
    { event: 'output', id: '10', data: { at: 4, text: 'of it\n' } },
    { event: 'result', data: { output: 'all of it\n' } },
  ]);
});

test('a stream that finds no place shows how far the command is, ends, and is to come back later', async () => {
  const job = await startedJob();
  const places = openWaitSlots({ call: 1, stream: 0 });
  const giveBack = places.take('call', 'another');
  job.following.take(pieceOf(job));
  const seen = await job.events({ end: never, places });
  expect(seen.map(({ event, id, retry }) => [event, id, retry])).toEqual([
    ['output', '4', undefined],
    ['end', '4', 5_000],
  ]);
  giveBack?.();
  expect(places.take('call', 'another')).not.toBeNull();
});

test('when its reader has gone, the stream gives its place back and leaves the command, also when nothing is heard of it', async () => {
  const job = await startedJob();
  const places = openWaitSlots({ call: 1, stream: 0 });
  const unread = new AbortController();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const events = job.events({ places, unread });
  await vi.advanceTimersByTimeAsync(2_000);
  expect([places.take('call', 'another'), job.hasLeft]).toEqual([null, false]);
  unread.abort();
  expect([await events, job.hasLeft]).toEqual([[], true]);
  expect(places.take('call', 'another')).not.toBeNull();
});
