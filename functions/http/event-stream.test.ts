import { afterEach, expect, test, vi } from 'vitest';
import { EventStream, type ServerEvent } from './event-stream.ts';

afterEach(() => vi.useRealTimers());

test('events in the format of the standard; the stream ends with them', async () => {
  const stream = new EventStream(
    (async function* () {
      yield { event: 'output', id: '6', data: { text: 'a\nb\r\n' } };
      yield { event: 'result', data: null };
    })(),
  );
  expect(await new Response(stream.stream()).text()).toBe(
    'event: output\nid: 6\ndata: {"text":"a\\nb\\r\\n"}\n\nevent: result\ndata: null\n\n',
  );
});

test('a reader that leaves ends what makes the events', async () => {
  let ended = false;
  async function* events(): AsyncGenerator<ServerEvent> {
    try {
      for (;;) yield { event: 'output', data: 1 };
    } finally {
      ended = true;
    }
  }
  const reader = new EventStream(events()).stream().getReader();
  await reader.read();
  await reader.cancel();
  expect(ended).toBe(true);
});

test('while nothing happens, a comment keeps the connection alive', async () => {
  vi.useFakeTimers();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stream = new EventStream(
    (async function* () {
      await held;
      yield { event: 'result', data: 1 };
    })(),
  );
  const text = new Response(stream.stream()).text();
  await vi.advanceTimersByTimeAsync(31_000);
  release();
  expect(await text).toBe(': still there\n\n: still there\n\nevent: result\ndata: 1\n\n');
});
