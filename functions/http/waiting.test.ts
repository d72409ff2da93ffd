import { HonoRequest } from 'hono/request';
import { expect, test } from 'vitest';
import { idempotencyKeyOf, resumeFrom, waitingOf } from './waiting.ts';

const LIMIT = { arrivedAt: 1_000_000, longestWaitS: 25 };

const requestWith = (headers: Record<string, string>) => new HonoRequest(new Request('http://lan/', { headers }));
const waiting = (headers: Record<string, string>) => waitingOf(requestWith(headers), LIMIT);

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
])('%j', (headers, expected) => {
  expect(waiting(headers as Record<string, string>)).toEqual(expected);
});

test.each(['wait=', 'wait=x', 'wait=-1', 'wait=1.5', 'wait', 'respond-async=soon', ',;='])(
  'a preference that makes no sense is ignored (RFC 7240): %s',
  (prefer) => {
    expect(waiting({ prefer })).toEqual({ events: false, until: 1_025_000, applied: null });
    expect(waiting({ prefer: `${prefer}, wait=5` })).toMatchObject({ until: 1_005_000, applied: 'wait=5' });
  },
);

test('an Idempotency-Key is printable ASCII, or refused', () => {
  const keyOf = (key: string) => idempotencyKeyOf(requestWith({ 'idempotency-key': key }));
  expect([idempotencyKeyOf(requestWith({})), keyOf('"8e03978e-40d5"')]).toEqual([null, '"8e03978e-40d5"']);
  for (const key of ['', 'a b', 'x'.repeat(201)]) expect(() => keyOf(key)).toThrow(/^header.idempotency-key: /);
});

test('a stream goes on behind its last event, and from the beginning when that makes no sense', () => {
  expect(resumeFrom('120')).toBe(120);
  for (const id of ['', 'x', '-1', '1e3', '99999999999']) expect(resumeFrom(id)).toBe(0);
});
