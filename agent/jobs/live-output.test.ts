import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Output, Progress } from '../../shared/agent/messages.ts';
import { BROKER_LIMITS } from '../../shared/agent/topics.ts';
import { INSTANCE, newJobId } from '../../test/support/agent/broker.ts';
import { LiveOutput, MAX_WATCHERS } from './live-output.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OTHER = 'lr-local-0000000other';

function start() {
  const sent: (Output | Progress)[] = [];
  const sentTo: string[] = [];
  const link = { up: true };
  const live = new LiveOutput(newJobId(), INSTANCE, (to, message) => {
    if (!link.up) return false;
    sent.push(message);
    sentTo.push(to);
    return true;
  });
  /** The output that a follower has received: positions and texts. */
  const outputs = (to: string) =>
    sent.flatMap((message, i) => (message.t === 'output' && sentTo[i] === to ? [[message.at, message.text]] : []));
  const printed = (to: string) => outputs(to).map(([at, text]) => `${at} ${text}`);
  return { sent, live, outputs, printed, link };
}

test('the first lines leave at once, those of half a second after them in one message', () => {
  const { live, printed } = start();
  live.progress('starting', null);
  vi.advanceTimersByTime(200);
  live.output('one\n');
  vi.advanceTimersByTime(50);
  expect(printed(INSTANCE)).toEqual(['0 one\n']);
  for (const line of ['two\n', 'three\n']) {
    vi.advanceTimersByTime(100);
    live.output(line);
  }
  expect(printed(INSTANCE)).toHaveLength(1);
  vi.advanceTimersByTime(300);
  expect(printed(INSTANCE)).toEqual(['0 one\n', '4 two\nthree\n']);
});

test('a command that ends at once sends nothing, and nothing is sent after the end', () => {
  const { sent, live } = start();
  live.output('one\n');
  live.progress('scan', 50);
  live.end();
  live.watch(OTHER, 0);
  vi.advanceTimersByTime(5_000);
  expect(sent).toEqual([]);
});

test('a watcher gets what there is from any place on, the last progress, and then what comes', () => {
  const { sent, live, printed } = start();
  live.output('0123456789');
  live.progress('scan', 40);
  vi.advanceTimersByTime(1_000);
  live.watch(OTHER, 4);
  expect(printed(OTHER)).toEqual(['4 456789']);
  expect(sent.at(-1)).toMatchObject({ t: 'progress', percent: 40 });
  live.output('abc');
  vi.advanceTimersByTime(1_000);
  expect(printed(OTHER)).toEqual(['4 456789', '10 abc']);
  expect(printed(INSTANCE)).toEqual(['0 0123456789', '10 abc']);
  // Requested again, because a message was lost.
  live.watch(OTHER, 8);
  expect(printed(OTHER).at(-1)).toBe('8 89abc');
  live.watch(OTHER, 1_000);
  live.output('!');
  vi.advanceTimersByTime(1_000);
  expect(printed(OTHER).at(-1)).toBe('13 !');
});

test('of too many watchers the oldest is evicted, but never the requester', () => {
  const { live } = start();
  const watchers = Array.from({ length: 10 }, (_, i) => `lr-local-1000000${i}`);
  for (const watcher of watchers) live.watch(watcher, 0);
  live.watch(watchers[5]!, 0);
  live.watch(OTHER, 0);
  expect(live.watchers).toHaveLength(MAX_WATCHERS);
  expect(live.watchers).toEqual([INSTANCE, ...[4, 6, 7, 8, 9, 5].map((i) => watchers[i]), OTHER]);
});

test('what the connection did not take is sent later', () => {
  const { live, link, printed } = start();
  link.up = false;
  live.output('one\n');
  vi.advanceTimersByTime(3_000);
  live.output('two\n');
  link.up = true;
  vi.advanceTimersByTime(1_000);
  expect(printed(INSTANCE)).toEqual(['0 one\ntwo\n']);
});

test('a flood of output travels in few messages that fit into packets, and ends at a million characters', () => {
  const { sent, live, outputs } = start();
  for (let i = 0; i < 2_000; i++) live.output('\u0001'.repeat(1_000));
  vi.advanceTimersByTime(1_000);
  expect(sent.length).toBeLessThan(15);
  vi.advanceTimersByTime(60_000);
  // The topic travels in the same packet.
  for (const message of sent) expect(JSON.stringify(message).length).toBeLessThan(BROKER_LIMITS.packetBytes - 300);
  const text = outputs(INSTANCE)
    .map(([, piece]) => piece)
    .join('');
  expect(text.slice(0, 1_000_000)).toBe('\u0001'.repeat(1_000_000));
  expect(text.slice(1_000_000)).toMatch(/^\n\[The output goes on.*\]\n$/);
});

test('whatever is printed, and whenever followers join, the pieces concatenated are the output', () => {
  const texts = fc.array(fc.string({ unit: 'binary', size: 'large' }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(texts, fc.nat(11), (printed, watchAfter) => {
      const { live, outputs } = start();
      for (const [i, text] of printed.entries()) {
        live.output(text);
        if (i === watchAfter) live.watch(OTHER, 0);
        vi.advanceTimersByTime(40);
      }
      vi.advanceTimersByTime(60_000);
      for (const to of live.watchers) {
        let together = '';
        for (const [at, text] of outputs(to)) {
          expect(at).toBe(together.length);
          together += text;
        }
        expect(together).toBe(printed.join(''));
      }
    }),
    { numRuns: 20 },
  );
});
