import pino from 'pino';
import { expect, test, vi } from 'vitest';
import type { Ingest } from '../functions/sightings/ingest.ts';
import type { AgentId } from '../shared/identity.ts';
import { createIngestQueue } from './ingest-queue.ts';

const log = pino({ level: 'silent' });
const text = (payload: Uint8Array) => Buffer.from(payload).toString();

/** A queue before an ingest whose calls stay open until they are let go. */
function heldQueue() {
  const open: { message: string; finish(): void; fail(): void }[] = [];
  const call = (kind: string) => (agent: string, payload: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      open.push({
        message: `${kind} ${agent} ${text(payload)}`,
        finish: resolve,
        fail: () => reject(new Error('no database')),
      });
    });
  const ingest: Ingest = {
    ...{ result: call('result'), presence: call('presence'), sightings: call('sightings') },
    ...{ measurements: call('measurements'), connection: call('connection') },
  };
  const queue = createIngestQueue(ingest, log);
  const add = (kind: keyof Ingest, agent: AgentId, message: string | Buffer) =>
    queue.add(kind, agent, Buffer.from(message));
  return { queue, add, open };
}

/** As long as it takes until all that can be begun is begun. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('messages of one agent are handed on one after the other, those of others beside them', async () => {
  const { add, open } = heldQueue();
  add('presence', 'home:a', 'online');
  add('presence', 'home:a', 'offline');
  add('result', 'home:b', '1');
  await settle();
  expect(open.map(({ message }) => message)).toEqual(['presence home:a online', 'result home:b 1']);
  open[0]!.finish();
  await settle();
  expect(open.at(-1)!.message).toBe('presence home:a offline');
});

test('only a few calls are open at a time, and everything has its turn', async () => {
  const { queue, add, open } = heldQueue();
  for (let i = 0; i < 100; i++) add('result', `site-${i % 10}:a${i}`, 'x');
  await settle();
  expect(open.length).toBe(8);
  for (let done = 0; done < 100; done++) {
    open[done]!.finish();
    await settle();
  }
  expect(new Set(open.map(({ message }) => message)).size).toBe(100);
  await queue.drain(1_000);
});

test.each(['presence', 'connection'] as const)(
  '%s is tried again when it cannot be stored, a result is not',
  async (kind) => {
    const { add, open } = heldQueue();
    add('result', 'home:a', 'result');
    add(kind, 'home:a', 'gone');
    await settle();
    open[0]!.fail();
    await settle();
    expect(open[1]!.message).toBe(`${kind} home:a gone`);
    open[1]!.fail();
    await vi.waitUntil(() => open.length === 3, { timeout: 60_000 });
    expect(open[2]!.message).toBe(`${kind} home:a gone`);
  },
);

test('one agent cannot fill the memory, nor take the room of the others', async () => {
  const { add, open } = heldQueue();
  for (let i = 0; i < 200; i++) add('result', 'home:flood', Buffer.alloc(100_000, `${i % 10}`));
  add('result', 'home:quiet', '1');
  await settle();
  expect(open.at(-1)!.message).toBe('result home:quiet 1');
  let handedOn = 0;
  while (open.length > 0) {
    for (const call of open.splice(0)) {
      call.finish();
      handedOn++;
    }
    await settle();
  }
  expect(handedOn).toBeGreaterThan(50);
  expect(handedOn).toBeLessThan(115); // A third of 32 MiB, of 100,000 bytes each, and the quiet one.
});

test('drain waits for what is waiting, but not for ever, and takes in nothing more', async () => {
  const { queue, add, open } = heldQueue();
  for (const message of ['1', '2']) add('result', 'home:a', message);
  await settle();
  const drained = queue.drain(10_000);
  add('result', 'home:a', '3');
  open[0]!.finish();
  await settle();
  open[1]!.finish();
  await drained;
  expect(open.length).toBe(2);

  const [stuck, patient] = [heldQueue(), heldQueue()];
  for (const one of [stuck, patient]) one.add('result', 'home:a', '1');
  const [soon, late] = [stuck.queue.drain(200), patient.queue.drain(60_000)];
  expect(await Promise.race([soon.then(() => 'soon'), late.then(() => 'late')])).toBe('soon');
  patient.open[0]!.finish();
  await late;
});
