import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import { BROKER_LIMITS, topics } from '../../shared/agent/topics.ts';
import { headerOfResult, unpackResult } from '../../shared/agent/wire.ts';
import { deferred } from '../../shared/async.ts';
import type { JobId } from '../../shared/identity.ts';
import { CLIENT, INSTANCE, newJobId } from '../../test/support/agent/broker.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { resultOf as madeUpResult } from '../../test/support/made-up-result.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { UpstreamLog } from '../upstream/upstream-log.ts';
import { type Kept, keepResult, Outbox } from './outbox.ts';

const log = pino({ level: 'silent' });
const folder = folderOfEachTest();

/** Random letters, which compress badly. */
function noise(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(33 + Math.random() * 90)).join('');
}

const resultOf = (id: JobId, output = '') => madeUpResult(id, { output });

async function openOutbox(resend?: { firstMs: number; longestMs: number }, ageMs = 600_000) {
  const path = join(folder.path, 'upstream.log');
  const upstream = await UpstreamLog.open(path, log, {
    limits: { result: { records: 100, bytes: 10_000_000, ageMs } },
  });
  const published: { topic: string; payload: Buffer }[] = [];
  const sentAt: number[] = [];
  const link = { up: true, unanswered: 0, mostUnanswered: 0, answers: Promise.resolve() };
  const outbox = new Outbox({
    client: CLIENT,
    upstream,
    log,
    ...(resend ? { resend } : {}),
    async publish(topic, payload) {
      sentAt.push(performance.now());
      if (!link.up) throw new Error('not connected');
      link.unanswered++;
      link.mostUnanswered = Math.max(link.mostUnanswered, link.unanswered);
      await link.answers;
      link.unanswered--;
      published.push({ topic, payload });
    },
  });
  const kept = () => upstream.waiting('result').flatMap(({ n }) => upstream.read(n) as Kept[]);
  return { outbox, upstream, kept, published, sentAt, link };
}

test('what could not be sent is sent when the link is up, oldest first, also after a start', async () => {
  const { outbox, link } = await openOutbox();
  link.up = false;
  const ids = [newJobId(), newJobId(), newJobId()];
  for (const id of ids) await outbox.deliver(resultOf(id), INSTANCE);
  await outbox.flush(60_000);
  const next = await openOutbox();
  next.outbox.connected();
  await waitFor('all three', () => next.published.length === 3);
  expect(next.published.map(({ payload }) => headerOfResult(payload)?.id)).toEqual(ids);
  next.outbox.disconnected();
});

test('an unconfirmed result is sent again ever more rarely', async () => {
  const { outbox, sentAt } = await openOutbox({ firstMs: 50, longestMs: 200 });
  outbox.connected();
  await outbox.deliver(resultOf(newJobId()), INSTANCE);
  await waitFor('the fifth time', () => sentAt.length >= 5);
  outbox.disconnected();
  const gaps = sentAt.slice(1).map((at, i) => at - sentAt[i]!);
  // Ten per cent of jitter downwards; upwards a busy machine may add what it likes.
  for (const [i, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual([50, 100, 200][Math.min(i, 2)]! * 0.9 - 2);
});

test('an unconfirmed result is at last given up', async () => {
  const { outbox, kept, sentAt } = await openOutbox({ firstMs: 50, longestMs: 50 }, 100);
  const id = newJobId();
  outbox.connected();
  await outbox.deliver(resultOf(id), INSTANCE);
  await waitFor('the end', () => kept().length === 0 && !outbox.has(id));
  expect(sentAt.length).toBeGreaterThan(0);
});

test('a result that is too long for one packet is shortened, and sent again as it was sent first', async () => {
  const { outbox, kept, published } = await openOutbox();
  const whole = resultOf(newJobId(), noise(900_000));
  await outbox.deliver(whole, INSTANCE);
  await outbox.flush(60_000);
  expect(outbox.resend(whole.id, 'lr-local-11111111')).toBe(true);
  await outbox.flush(60_000);
  const [first, second] = published.map(({ payload }) => payload);
  expect(published).toHaveLength(2);
  expect(first?.length).toBeLessThan(BROKER_LIMITS.packetBytes);
  const sent = unpackResult(first!);
  expect(sent).toEqual({ ...whole, output: whole.output.slice(0, sent.output.length), truncated: true });
  expect(unpackResult(second!)).toEqual(sent);
  expect(kept().map(({ result }) => result)).toEqual([sent]);
});

test('four results at most are on their way to the broker at once', async () => {
  const { outbox, published, link } = await openOutbox();
  const { promise, resolve: answer } = deferred<void>();
  link.answers = promise;
  for (let i = 0; i < 10; i++) await outbox.deliver(resultOf(newJobId()), INSTANCE, ['lr-local-00000001']);
  await waitFor('the first ones', () => link.unanswered === 4);
  answer();
  await outbox.flush(60_000);
  expect(published).toHaveLength(20);
  expect(link.mostUnanswered).toBe(4);
});

test('a result is published once to each instance that waits, and again only to the requester', async () => {
  const { outbox, published } = await openOutbox({ firstMs: 50, longestMs: 50 });
  outbox.connected();
  const id = newJobId();
  const waiting = [INSTANCE, 'lr-local-00000001', 'lr-local-00000002'];
  await outbox.deliver(resultOf(id), INSTANCE, waiting);
  await waitFor('the second time', () => published.length >= 4);
  outbox.disconnected();
  expect(published.slice(0, 3).map(({ topic }) => topic)).toEqual(waiting.map((to) => topics.result(to, CLIENT)));
  expect(new Set(published.slice(3).map(({ topic }) => topic))).toEqual(new Set([topics.result(INSTANCE, CLIENT)]));
});

test('an instance that could not be reached receives the result when the link is back', async () => {
  const { outbox, published, link } = await openOutbox();
  const id = newJobId();
  link.up = false;
  await outbox.deliver(resultOf(id), INSTANCE, ['lr-local-00000001']);
  await outbox.flush(60_000);
  expect(outbox.resend(id, 'lr-local-00000002')).toBe(true);
  await outbox.flush(60_000);
  link.up = true;
  outbox.connected();
  await waitFor('all three', () => published.length === 3);
  outbox.disconnected();
  const expected = [INSTANCE, 'lr-local-00000001', 'lr-local-00000002'].map((to) => topics.result(to, CLIENT));
  expect(published.map(({ topic }) => topic).sort()).toEqual(expected.sort());
});

test('a result that another version of the agent has kept is sent like one of this version; one that is none is dropped', async () => {
  const { upstream } = await openOutbox();
  const id = newJobId();
  const other = { ...resultOf(id), v: PROTOCOL_VERSION + 1 } as unknown as Result;
  const none = { ...other, id: newJobId(), output: 7 } as unknown as Result;
  await keepResult(upstream, { replyTo: INSTANCE, result: none });
  await keepResult(upstream, { replyTo: INSTANCE, result: other });
  const next = await openOutbox();
  next.outbox.connected();
  await waitFor('the result', () => next.published.length === 1 && next.kept().length === 1);
  next.outbox.disconnected();
  expect(unpackResult(next.published[0]!.payload)).toEqual(resultOf(id));
});
