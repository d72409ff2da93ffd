import { beforeEach, expect, test, vi } from 'vitest';
import { EventStream, type ServerEvent, type StreamOptions } from './event-stream.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

/** A stream that is never ended by a watch, and reports the messages of failures. */
const OPTIONS: StreamOptions = { explain: (error) => ({ message: (error as Error).message }), watch: () => () => {} };

/** Like a silent job: waits until the reader has gone. */
async function* silence(signal: AbortSignal): AsyncGenerator<ServerEvent> {
  yield { event: 'accepted', data: 1 };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

test('events in the format of the standard; the stream ends with them, and leaves nothing behind', async () => {
  const stream = new EventStream(async function* () {
    yield { event: 'output', id: '6', data: { text: 'a\nb\r\n' } };
    yield { event: 'result', data: null };
  });
  expect(await new Response(stream.stream(OPTIONS)).text()).toBe(
    'event: output\nid: 6\ndata: {"text":"a\\nb\\r\\n"}\n\nevent: result\ndata: null\n\n',
  );
  expect(vi.getTimerCount()).toBe(0);
});

async function* busy(): AsyncGenerator<ServerEvent> {
  for (;;) yield { event: 'output', data: 1 };
}

test.each([
  ['busy', busy],
  ['silent', silence],
])('a reader that leaves ends a %s source', async (_, source) => {
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

test('while nothing happens, a comment keeps the connection alive', async () => {
  const stream = new EventStream(async function* () {
    await new Promise((resolve) => setTimeout(resolve, 31_000));
    yield { event: 'result', data: 1 };
  });
  const text = new Response(stream.stream(OPTIONS)).text();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(await text).toBe(': heartbeat\n\n: heartbeat\n\nevent: result\ndata: 1\n\n');
});
