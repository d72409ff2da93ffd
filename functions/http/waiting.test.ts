import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { idempotencyKeyOf, resumeFrom, waitingOf } from './waiting.ts';

async function read<T>(
  headers: Record<string, string>,
  of: (request: Parameters<typeof waitingOf>[0]) => T,
): Promise<T> {
  const app = new Hono();
  let value: T | undefined;
  let thrown: unknown;
  app.get('/', (c) => {
    try {
      value = of(c.req);
    } catch (error) {
      thrown = error;
    }
    return c.body(null);
  });
  await app.request('/', { headers });
  if (thrown !== undefined) throw thrown;
  return value as T;
}

test.each([
  [{}, { events: false, ms: 280_000, applied: null }],
  [{ prefer: 'respond-async' }, { events: false, ms: 0, applied: 'respond-async' }],
  [{ prefer: 'wait=30' }, { events: false, ms: 30_000, applied: 'wait=30' }],
  [{ prefer: 'wait = "5"' }, { events: false, ms: 5_000, applied: 'wait=5' }],
  [{ prefer: 'wait=9999' }, { events: false, ms: 280_000, applied: 'wait=280' }],
  [{ prefer: 'handling=lenient, Respond-Async, wait=3' }, { events: false, ms: 0, applied: 'respond-async' }],
  [{ accept: 'text/event-stream' }, { events: true, ms: 280_000, applied: null }],
  [{ accept: 'application/json, text/event-stream;q=0.5' }, { events: true, ms: 280_000, applied: null }],
  [{ accept: '*/*' }, { events: false, ms: 280_000, applied: null }],
])('%j', async (headers, expected) => {
  expect(await read(headers as Record<string, string>, waitingOf)).toEqual(expected);
});

test.each(['wait=', 'wait=x', 'wait=-1', 'wait=1.5', 'wait', 'respond-async=soon', ',;='])(
  'a preference that makes no sense is ignored (RFC 7240): %s',
  async (prefer) => {
    expect(await read({ prefer }, waitingOf)).toEqual({ events: false, ms: 280_000, applied: null });
    expect(await read({ prefer: `${prefer}, wait=5` }, waitingOf)).toMatchObject({ ms: 5_000, applied: 'wait=5' });
  },
);

test('an Idempotency-Key is printable ASCII, or refused', async () => {
  expect(await read({}, idempotencyKeyOf)).toBeNull();
  expect(await read({ 'idempotency-key': '"8e03978e-40d5"' }, idempotencyKeyOf)).toBe('"8e03978e-40d5"');
  for (const key of ['', 'a b', 'x'.repeat(201)]) {
    await expect(read({ 'idempotency-key': key }, idempotencyKeyOf)).rejects.toMatchObject({
      code: 'validation_failed',
    });
  }
});

test('a stream goes on behind its last event, and from the beginning when that makes no sense', async () => {
  expect(resumeFrom('120')).toBe(120);
  for (const id of ['', 'x', '-1', '1e3', '99999999999']) expect(resumeFrom(id)).toBe(0);
});
