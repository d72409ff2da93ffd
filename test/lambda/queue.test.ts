/** The queue of these tests is as strict as SQS: a message that is not deleted in time comes again, and not for ever. */
import type { SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { THROTTLED } from './function-process.ts';
import { follow, MessageQueue } from './queue.ts';
import { FunctionError } from './runtime-api.ts';

function startQueue() {
  let time = 1_000;
  const queue = new MessageQueue({ name: 'q', visibilityMs: 60_000, maxReceives: 3, now: () => time });
  return {
    queue,
    passTime(ms: number) {
      time += ms;
    },
  };
}

const seen = ({ Records }: SQSEvent) =>
  Records.map(({ body, attributes }) => [body, Number(attributes.ApproximateReceiveCount)]);

test('a message is hidden while somebody works on it, and comes again unless it is deleted, until it is a dead letter', () => {
  const { queue, passTime } = startQueue();
  for (const body of ['good', 'bad']) queue.send(body);
  const first = queue.receive();
  expect(seen(first)).toEqual([
    ['good', 1],
    ['bad', 1],
  ]);
  queue.delete(first.Records[0]!);
  passTime(59_999);
  expect(queue.receive().Records).toEqual([]);
  for (const receives of [2, 3]) {
    passTime(60_000);
    expect(seen(queue.receive())).toEqual([['bad', receives]]);
    expect(queue.deadLetters).toEqual([]);
  }
  passTime(60_000);
  expect(queue.receive().Records).toEqual([]);
  expect([queue.deadLetters, queue.size]).toEqual([['bad'], 0]);
});

test('who took longer than the message was hidden cannot delete it any more', () => {
  const { queue, passTime } = startQueue();
  queue.send('slow');
  const [early] = queue.receive().Records;
  passTime(60_000);
  const [late] = queue.receive().Records;
  queue.delete(early!);
  expect(queue.size).toBe(1);
  queue.delete(late!);
  expect(queue.size).toBe(0);
});

test('ten messages are a batch, and a delayed one is not there before its time', () => {
  const { queue, passTime } = startQueue();
  queue.send('later', { delayMs: 5_000 });
  for (let i = 0; i < 12; i++) queue.send(`${i}`);
  expect(seen(queue.receive())).toHaveLength(10);
  expect(seen(queue.receive())).toHaveLength(2);
  passTime(5_000);
  expect(seen(queue.receive())).toEqual([['later', 1]]);
});

test('what a function names as failed, and what it breaks off at, stays; a throttled call is made again', async () => {
  const queue = new MessageQueue({ name: 'q', visibilityMs: 200, maxReceives: 3 });
  const calls: (string | number | undefined)[][] = [];
  const outcomes: (() => string[])[] = [
    () => {
      throw new FunctionError(THROTTLED, 'too many');
    },
    () => {
      throw new FunctionError('Runtime.ExitError', 'the process ended');
    },
    () => ['bad'],
    () => ['bad'],
  ];
  queue.send('bad');
  queue.send('good');
  await using _ = follow(
    queue,
    async (event) => {
      calls.push(...seen(event));
      const failed = outcomes.shift()?.() ?? [];
      return {
        batchItemFailures: event.Records.filter(({ body }) => failed.includes(body)).map(({ messageId }) => ({
          itemIdentifier: messageId,
        })),
      };
    },
    1,
  );
  await expect.poll(() => queue.size).toBe(0);
  expect(queue.deadLetters).toEqual(['bad']);
  expect(calls.filter(([body]) => body === 'good').at(-1)).toEqual(['good', 2]);
  expect(calls.filter(([body]) => body === 'bad').at(-1)).toEqual(['bad', 3]);
});
