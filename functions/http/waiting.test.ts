import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { endOfWait, idempotencyKeyOf, resumeFrom, waitingOf } from './waiting.ts';

const LIMIT = { arrivedAt: 1_000_000, longestWaitS: 25 };

async function read<T>(
  headers: Record<string, string>,
  of: (request: Parameters<typeof idempotencyKeyOf>[0]) => T,
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

const waiting = (request: Parameters<typeof waitingOf>[0]) => waitingOf(request, LIMIT);

test.each([
  [{}, { events: false, until: 1_025_000, applied: null }],
  [{ prefer: 'respond-async' }, { events: false, until: null, applied: 'respond-async' }],
  [{ prefer: 'wait=30' }, { events: false, until: 1_025_000, applied: 'wait=25' }],
  [{ prefer: 'wait=0' }, { events: false, until: null, applied: 'wait=0' }],
  [{ prefer: 'wait = "5"' }, { events: false, until: 1_005_000, applied: 'wait=5' }],
  [{ prefer: 'wait=9999' }, { events: false, until: 1_025_000, applied: 'wait=25' }],
  [{ prefer: 'handling=lenient, Respond-Async, wait=3' }, { events: false, until: null, applied: 'respond-async' }],
  [{ accept: 'text/event-stream' }, { events: true, until: 1_025_000, applied: null }],
  [{ accept: 'application/json, text/event-stream;q=0.5' }, { events: true, until: 1_025_000, applied: null }],
  [{ accept: '*/*' }, { events: false, until: 1_025_000, applied: null }],
])('%j', async (headers, expected) => {
  expect(await read(headers as Record<string, string>, waiting)).toEqual(expected);
});

test.each(['wait=', 'wait=x', 'wait=-1', 'wait=1.5', 'wait', 'respond-async=soon', ',;='])(
  'a preference that makes no sense is ignored (RFC 7240): %s',
  async (prefer) => {
    expect(await read({ prefer }, waiting)).toEqual({ events: false, until: 1_025_000, applied: null });
    expect(await read({ prefer: `${prefer}, wait=5` }, waiting)).toMatchObject({ until: 1_005_000, applied: 'wait=5' });
  },
);

test('a wait is counted from the arrival of the request, and never longer than the limit', () => {
  expect([endOfWait(LIMIT), endOfWait(LIMIT, 5), endOfWait(LIMIT, 60)]).toEqual([1_025_000, 1_005_000, 1_025_000]);
});

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
