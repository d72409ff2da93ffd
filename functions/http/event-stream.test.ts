import { afterEach, expect, test, vi } from 'vitest';
import { EventStream, type ServerEvent, type StreamOptions } from './event-stream.ts';

afterEach(() => vi.useRealTimers());

/** A stream that nobody may end, and whose failures are told by their message. */
const OPTIONS: StreamOptions = { explain: (error) => ({ message: (error as Error).message }), watch: () => () => {} };

/** As a job does of which nothing is heard: it waits until nobody reads any more. */
async function* silence(signal: AbortSignal): AsyncGenerator<ServerEvent> {
  yield { event: 'accepted', data: 1 };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

test('events in the format of the standard; the stream ends with them', async () => {
  const stream = new EventStream(async function* () {
    yield { event: 'output', id: '6', data: { text: 'a\nb\r\n' } };
    yield { event: 'result', data: null };
  });
  expect(await new Response(stream.stream(OPTIONS)).text()).toBe(
    'event: output\nid: 6\ndata: {"text":"a\\nb\\r\\n"}\n\nevent: result\ndata: null\n\n',
  );
});

test('a reader that leaves ends what makes the events', async () => {
  let ended = false;
  const stream = new EventStream(async function* () {
    try {
      for (;;) yield { event: 'output', data: 1 };
    } finally {
      ended = true;
    }
  });
  const reader = stream.stream(OPTIONS).getReader();
  await reader.read();
  await reader.cancel();
  expect(ended).toBe(true);
});

test('a reader that leaves ends also what waits for something to happen', async () => {
  vi.useFakeTimers();
  let ended = false;
  const stream = new EventStream(async function* (signal) {
    try {
      yield* silence(signal);
    } finally {
      ended = true;
    }
  });
  const reader = stream.stream(OPTIONS).getReader();
  await reader.read();
  await reader.cancel();
  expect([ended, vi.getTimerCount()]).toEqual([true, 0]);
});

test('a stream that comes to its end leaves nothing behind', async () => {
  vi.useFakeTimers();
  const stream = new EventStream(async function* () {
    yield { event: 'output', data: 1 };
  });
  expect(await new Response(stream.stream(OPTIONS)).text()).toBe('event: output\ndata: 1\n\n');
  expect(vi.getTimerCount()).toBe(0);
});

test('a failure is the last event, and the body ends as it should', async () => {
  vi.useFakeTimers();
  const stream = new EventStream(async function* () {
    yield { event: 'output', data: 1 };
    throw new Error('the database is gone');
  });
  expect(await new Response(stream.stream(OPTIONS)).text()).toBe(
    'event: output\ndata: 1\n\nevent: error\ndata: {"message":"the database is gone"}\n\n',
  );
  expect(vi.getTimerCount()).toBe(0);
});

test('a caller that may not see the rest is told so, and what makes the events is ended', async () => {
  vi.useFakeTimers();
  let end: (error: unknown) => void = () => {};
  let isWatched = true;
  let signalled = false;
  const stream = new EventStream((signal) => {
    signal.addEventListener('abort', () => {
      signalled = true;
    });
    return silence(signal);
  });
  const body = stream.stream({
    ...OPTIONS,
    watch(given) {
      end = given;
      return () => {
        isWatched = false;
      };
    },
  });
  const text = new Response(body).text();
  await vi.advanceTimersByTimeAsync(1_000);
  end(new Error('the token was revoked'));
  end(new Error('once more'));
  expect(await text).toBe('event: accepted\ndata: 1\n\nevent: error\ndata: {"message":"the token was revoked"}\n\n');
  expect([isWatched, signalled, vi.getTimerCount()]).toEqual([false, true, 0]);
});

test('nothing is made before somebody reads', () => {
  let began = false;
  new EventStream((signal) => {
    began = true;
    return silence(signal);
  });
  expect(began).toBe(false);
});

test('while nothing happens, a comment keeps the connection alive', async () => {
  vi.useFakeTimers();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stream = new EventStream(async function* () {
    await held;
    yield { event: 'result', data: 1 };
  });
  const text = new Response(stream.stream(OPTIONS)).text();
  await vi.advanceTimersByTimeAsync(31_000);
  release();
  expect(await text).toBe(': heartbeat\n\n: heartbeat\n\nevent: result\ndata: 1\n\n');
});
