import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import type { JobId } from '../../shared/identity.ts';
import { Command } from '../../shared/tools/list.ts';
import { CLIENT, INSTANCE, newJobId, requestFor, startTestBroker } from '../../test/support/agent/broker.ts';
import { resultsIn } from '../../test/support/agent/state-names.ts';
import { startTestAgent } from '../../test/support/agent/test-agent.ts';
import { resultOf } from '../../test/support/made-up-result.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { runTool } from '../tools/registry.ts';
import { parsePolicy } from './policy.ts';
import type { RunAnyTool } from './run-command.ts';

afterEach(() => void vi.useRealTimers());
const INFO = { ip: '192.0.2.1', city: 'Here', country: 'XX', organisation: 'None', at: '2026-01-01T12:00:00.000Z' };
/** A short command, which ends at once unless the test is to say when, and a long one, which ends when the test says so. */
const SHORT: Command = { tool: 'internetinfo' };
const LONG: Command = { tool: 'speedtest' };

/** An agent with two made-up tools, connected to a broker, both real. */
async function startSite({ policy = {} as unknown, isShortHeld = false, log = pino({ level: 'silent' }) } = {}) {
  const folder = makeTestFolder();
  const broker = await startTestBroker();
  const runs: Command[] = [];
  const holds: (() => void)[] = [];
  const held = () => new Promise<void>((resolve) => holds.push(resolve));
  const internetinfo: RunAnyTool = async (command) => {
    runs.push(command);
    if (isShortHeld) await held();
    return { output: 'short\n', truncated: false, result: INFO };
  };
  const speedtest: RunAnyTool = async (command, { signal, run, onOutput }) => {
    runs.push(command);
    onOutput('started\n');
    const sleeping = run('sleep', ['60'], { timeoutMs: 60_000, maxBytes: 1_000, signal });
    await Promise.race([sleeping, held()]);
    if (signal.aborted) {
      await sleeping;
      throw new ToolFailure('cancelled', 'stopped', { output: 'started\n' });
    }
    const result = { server: 's', pingMs: 1, downloadMbps: 1, uploadMbps: 1 };
    return { output: 'started\nlong\n', truncated: false, result };
  };
  const agent = await startTestAgent(folder.path, broker.port, {
    policy: parsePolicy(policy),
    runTool(command, context) {
      if (command.tool === 'internetinfo') return internetinfo(command, context);
      if (command.tool === 'speedtest') return speedtest(command, context);
      return runTool(command, context);
    },
    log,
  });
  await broker.presence('online');
  return {
    ...{ broker, agent, runs },
    /** Sends a request that a caller has made just now. */
    async ask(command: Command) {
      const request = requestFor(command);
      await broker.send('req', request);
      return request;
    },
    /** Lets the command that started first end, of those that the test has to end. */
    release: () => holds.shift()?.(),
    /** A control message about a job. */
    control: (t: 'cancel' | 'stored' | 'watch', id: JobId, more: object = {}) =>
      broker.send('ctl', { v: PROTOCOL_VERSION, id, t, replyTo: INSTANCE, ...more }),
    kept: () => resultsIn(folder.path),
    async [Symbol.asyncDispose]() {
      await agent.stop(0);
      await broker[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('a request is acknowledged, run once however often it arrives, and answered; stored ends it', async () => {
  await using site = await startSite({ isShortHeld: true });
  const request = await site.ask(SHORT);
  const ack = await site.broker.reply('ack', request.id);
  expect(ack).toMatchObject({ state: 'running', at: expect.any(Number) });
  await site.broker.send('req', request);
  site.release();
  const result = await site.broker.reply('result', request.id);
  const times = { startedAt: expect.any(Number), endedAt: expect.any(Number) };
  expect(result).toEqual(resultOf(request.id, { output: 'short\n', result: INFO, ...times }));
  expect(site.broker.replies.indexOf(ack)).toBeLessThan(site.broker.replies.indexOf(result));
  expect([await site.kept(), site.runs]).toEqual([[request.id], [SHORT]]);
  await site.control('stored', request.id);
  await expect.poll(site.kept).toEqual([]);
});

test('a short command that ends at once is acknowledged by its result alone, a long one is acknowledged when it starts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // What is kept back for some time is kept back for good.
  await using site = await startSite();
  const short = await site.ask(SHORT);
  await site.broker.reply('result', short.id);
  expect(site.broker.replies.map(({ t }) => t)).toEqual(['result']);
  const long = await site.ask(LONG);
  await site.broker.reply('ack', long.id);
  site.release();
  await site.broker.reply('result', long.id);
  vi.useRealTimers();
});

test('a request that arrives again after its end is answered from the log, to its new sender; never run', async () => {
  await using site = await startSite();
  const request = await site.ask(SHORT);
  const first = await site.broker.reply('result', request.id);
  await site.broker.send('req', { ...request, replyTo: 'lr-local-another00' });
  const results = () => site.broker.replies.filter(({ t }) => t === 'result');
  await waitFor('the result again', () => results().length === 2);
  expect(results()[1]).toEqual(first);

  await site.control('stored', request.id);
  await expect.poll(site.kept).toEqual([]);
  await site.broker.send('req', request);
  await site.broker.reply('ack', request.id, { state: 'finished' });
  expect([site.runs.length, results().length]).toEqual([1, 2]);
});

test('nothing starts after its deadline, nor when the clocks differ', async () => {
  await using site = await startSite();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // Its clock stands still.
  const now = Date.now();
  const cases = [
    [requestFor(SHORT, { sentAt: now - 20_000, deadline: now - 10_000 }), 'expired', 'deadline_passed'],
    [requestFor(SHORT, { sentAt: now - 7_000, deadline: now + 3_000 }), 'failed', 'clock_skew'],
    [requestFor(SHORT, { sentAt: now + 7_000, deadline: now + 17_000 }), 'failed', 'clock_skew'],
    [requestFor(SHORT, { sentAt: now - 3_000, deadline: now + 7_000 }), 'succeeded', null],
    [requestFor(SHORT, { sentAt: now + 3_000, deadline: now + 13_000 }), 'succeeded', null],
  ] as const;
  for (const [request, state, reason] of cases) {
    await site.broker.send('req', request);
    expect(await site.broker.reply('result', request.id)).toMatchObject({ state, reason });
  }
  expect(site.runs).toHaveLength(2);
});

test('a refused request has a result like any other, and arrives twice as well as once', async () => {
  await using site = await startSite({ policy: { nmap: { enabled: false } } });
  const request = await site.ask(Command.parse({ tool: 'nmap', target: '127.0.0.1', mode: 'fast' }));
  await site.broker.send('req', request);
  const result = await site.broker.reply('result', request.id);
  expect(result).toMatchObject({ state: 'failed', reason: 'target_not_allowed', startedAt: null });
  expect(await site.kept()).toEqual([request.id]);
});

test('waiting callers are notified when they move up, and of the load of the agent', async () => {
  await using site = await startSite({ policy: { concurrency: { speedtest: 1 } } });
  const [running, next, last] = [await site.ask(LONG), await site.ask(LONG), await site.ask(LONG)];
  expect(await site.broker.reply('ack', running.id)).toMatchObject({ load: { running: 1, queued: 0 } });
  expect(await site.broker.reply('ack', last.id, { position: 1 })).toMatchObject({ load: { running: 1, queued: 2 } });
  await site.control('cancel', next.id);
  expect(await site.broker.reply('ack', last.id, { position: 0 })).toMatchObject({ load: { running: 1, queued: 1 } });
  site.release();
  await site.broker.reply('ack', last.id, { state: 'running' });
  expect(site.broker.replies.filter(({ t, id }) => t === 'ack' && id === last.id)).toHaveLength(3);
  await expect.poll(() => site.runs.length).toBe(2);
  site.release();
  await site.broker.reply('result', last.id);
});

test('the presence reports the load of the agent; short commands do not change it', async () => {
  await using site = await startSite();
  expect(site.broker.presences).toMatchObject([{ state: 'online', load: { running: 0, queued: 0 } }]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const short = await site.ask(SHORT);
  await site.broker.reply('result', short.id);
  vi.advanceTimersByTime(1_200);
  await sleep(200);
  expect(site.broker.presences).toHaveLength(1);
});

test('a command that waits until its deadline expires', async () => {
  await using site = await startSite({ policy: { concurrency: { speedtest: 1 } } });
  // The made-up clock runs, because the connection to the broker has timers of its own that must go on.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const [running, waiting] = [await site.ask(LONG), await site.ask(LONG)];
  await site.broker.reply('ack', waiting.id, { state: 'queued' });
  vi.advanceTimersByTime(waiting.deadline - Date.now() + 1);
  const expired = { state: 'expired', reason: 'deadline_passed', startedAt: null };
  expect(await site.broker.reply('result', waiting.id)).toMatchObject(expired);
  site.release();
  await site.broker.reply('result', running.id);
  expect(site.runs).toHaveLength(1);
});

test('cancel ends what runs, what waits and what has not even arrived', async () => {
  await using site = await startSite({ policy: { concurrency: { speedtest: 1 } } });
  const [running, waiting, late] = [await site.ask(LONG), await site.ask(LONG), requestFor(SHORT)];
  await site.broker.reply('ack', waiting.id, { state: 'queued' });
  await site.control('cancel', waiting.id);
  expect(await site.broker.reply('result', waiting.id)).toMatchObject({ state: 'cancelled', startedAt: null });
  await site.control('cancel', running.id);
  const cancelled = { state: 'cancelled', reason: 'cancelled', output: 'started\n' };
  expect(await site.broker.reply('result', running.id)).toMatchObject(cancelled);
  await site.control('cancel', late.id);
  await site.broker.send('req', late);
  expect(await site.broker.reply('result', late.id)).toMatchObject({ state: 'cancelled' });
  expect(site.runs).toHaveLength(1);
});

test('a watcher receives the state, the output so far, and the result', async () => {
  await using site = await startSite({ policy: { concurrency: { speedtest: 1 } } });
  const watch = (id: JobId, replyTo: string, from = 0) => site.control('watch', id, { replyTo, from });
  const heard = (replyTo: string, count: number) =>
    waitFor(`${count} messages`, () => {
      // In the order of their kinds: no order of arrival is promised.
      const replies = site.broker.repliesTo(replyTo).toSorted((a, b) => a.t.localeCompare(b.t));
      return replies.length >= count && replies;
    });
  const running = await site.ask(LONG);
  await site.broker.reply('output', running.id);
  const waiting = await site.ask(LONG);
  await watch(running.id, 'lr-local-10000000');
  expect(await heard('lr-local-10000000', 2)).toMatchObject([
    { t: 'ack', state: 'running' },
    { t: 'output', at: 0, text: 'started\n' },
  ]);
  await watch(running.id, 'lr-local-20000000', 8);
  await watch(waiting.id, 'lr-local-30000000');
  expect(await heard('lr-local-30000000', 1)).toMatchObject([{ t: 'ack', state: 'queued', position: 0 }]);

  site.release();
  const begun = [{ state: 'queued' }, { state: 'running' }, { t: 'output' }];
  expect(await heard('lr-local-30000000', 3)).toMatchObject(begun);
  site.release();
  for (const replyTo of [INSTANCE, 'lr-local-10000000', 'lr-local-20000000']) {
    const results = () => site.broker.repliesTo(replyTo).filter(({ t, id }) => t === 'result' && id === running.id);
    await expect.poll(results).toMatchObject([{ state: 'succeeded', output: 'started\nlong\n' }]);
  }
  expect(site.broker.repliesTo('lr-local-20000000').map(({ t }) => t)).toEqual(['ack', 'result']);
  expect((await heard('lr-local-30000000', 4)).at(-1)).toMatchObject({ t: 'result', id: waiting.id });

  // Ended but not confirmed; confirmed; never heard of.
  await watch(running.id, 'lr-local-40000000');
  expect(await heard('lr-local-40000000', 2)).toMatchObject([{ t: 'ack', state: 'finished' }, { t: 'result' }]);
  await site.control('stored', running.id);
  await watch(running.id, 'lr-local-50000000');
  expect(await heard('lr-local-50000000', 1)).toMatchObject([{ t: 'ack', state: 'finished' }]);
  await watch(newJobId(), 'lr-local-60000000');
  expect(await heard('lr-local-60000000', 1)).toMatchObject([{ t: 'ack', state: 'unknown' }]);
});

test('a request in another version of the protocol is ignored, and the log says what to do', async () => {
  const lines: string[] = [];
  await using site = await startSite({ log: pino({ base: null }, { write: (line) => void lines.push(line) }) });
  await site.broker.sendRaw(topics.request(CLIENT), Buffer.from(JSON.stringify({ ...requestFor(SHORT), v: 1 })));
  const said = () => lines.map((line) => JSON.parse(line)).find(({ theirs }) => theirs === 1);
  await expect.poll(said).toMatchObject({ ours: PROTOCOL_VERSION, msg: expect.stringContaining('update the agent') });
  expect(site.runs).toEqual([]);
});

test('whatever bytes arrive, the agent serves on', async () => {
  await using site = await startSite();
  const template = requestFor(SHORT);
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .record({ key: fc.constantFrom(...Object.keys(template)), value: fc.jsonValue() })
      .map(({ key, value }) => Buffer.from(JSON.stringify({ ...template, id: newJobId(), [key]: value }))),
  );
  await fc.assert(
    fc.asyncProperty(message, fc.boolean(), async (payload, asRequest) => {
      const topic = asRequest ? topics.request(CLIENT) : topics.control(CLIENT);
      await site.broker.sendRaw(topic, Buffer.from(payload));
    }),
    { numRuns: 200 },
  );
  const request = await site.ask(SHORT);
  await site.broker.reply('result', request.id);
  expect(site.broker.connections).toEqual([CLIENT]);
});

test('an agent that is stopped lets short commands end, interrupts long ones and refuses new ones', async () => {
  await using site = await startSite({ policy: { concurrency: { speedtest: 1 } } });
  const [running, waiting] = [await site.ask(LONG), await site.ask(LONG)];
  await site.broker.reply('ack', waiting.id);
  const stopped = site.agent.stop(500);
  await site.broker.presence('draining');
  const refused = await site.ask(SHORT);
  const results = { [waiting.id]: 'interrupted', [running.id]: 'interrupted', [refused.id]: 'failed' };
  for (const [id, state] of Object.entries(results))
    expect(await site.broker.reply('result', id)).toMatchObject({ state });
  await stopped;
  expect(site.broker.presences.at(-1)?.state).toBe('offline');
  expect(site.runs).toHaveLength(1);
});
