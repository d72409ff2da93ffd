import { afterEach, expect, test, vi } from 'vitest';
import { EventStream, type ServerEvent, type StreamOptions } from './event-stream.ts';

afterEach(() => vi.useRealTimers());

/** A stream that is never ended by a watch, and reports the messages of failures. */
const OPTIONS: StreamOptions = { explain: (error) => ({ message: (error as Error).message }), watch: () => () => {} };

/** Like a silent job: waits until the reader has gone. */
async function* silence(signal: AbortSignal): AsyncGenerator<ServerEvent> {
  yield { event: 'accepted', data: 1 };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

test('events in the format of the standard; the stream ends with them, and leaves nothing behind', async () => {
  vi.useFakeTimers();
  const stream = new EventStream(async function* () {
    yield { event: 'output', id: '6', data: { text: 'a\nb\r\n' } };
    yield { event: 'result', data: null };
  });
  expect(await new Response(stream.stream(OPTIONS)).text()).toBe(
    'event: output\nid: 6\ndata: {"text":"a\\nb\\r\\n"}\n\nevent: result\ndata: null\n\n',
  );
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  [
    'busy',
    () =>
      (async function* () {
        for (;;) yield { event: 'output', data: 1 };
      })(),
  ],
  ['silent', silence],
])('a reader that leaves ends a %s source', async (_, source) => {
  vi.useFakeTimers();
  let ended = false;
  const stream = new EventStream(async function* (signal) {
    try {
      yield* source(signal);
    } finally {
      ended = true;
    }
  });
  const reader = stream.stream(OPTIONS).getReader();
  await reader.read();
  await reader.cancel();
  expect([ended, vi.getTimerCount()]).toEqual([true, 0]);
});

test('a caller that may not see the rest gets an error, and the source is ended', async () => {
  vi.useFakeTimers();
  let end: (error: unknown) => void = () => {};
  const order: string[] = [];
  const stream = new EventStream((signal) => {
    signal.addEventListener('abort', () => order.push('aborted'));
    return silence(signal);
  });
  const body = stream.stream({
    ...OPTIONS,
    watch(given) {
      end = given;
      return () => order.push('unwatched');
    },
  });
  const text = new Response(body).text();
  await vi.advanceTimersByTimeAsync(1_000);
  end(new Error('the token was revoked'));
  end(new Error('once more'));
  expect(await text).toBe('event: accepted\ndata: 1\n\nevent: error\ndata: {"message":"the token was revoked"}\n\n');
  expect([order, vi.getTimerCount()]).toEqual([['unwatched', 'aborted'], 0]);
});

test('the source does not start before the first read', () => {
  let began = false;
  new EventStream((signal) => {
    began = true;
    return silence(signal);
  });
  expect(began).toBe(false);
});

test('while nothing happens, a comment keeps the connection alive', async () => {
  vi.useFakeTimers();
  const stream = new EventStream(async function* () {
    await new Promise((resolve) => setTimeout(resolve, 31_000));
    yield { event: 'result', data: 1 };
  });
  const text = new Response(stream.stream(OPTIONS)).text();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(await text).toBe(': heartbeat\n\n: heartbeat\n\nevent: result\ndata: 1\n\n');
});
