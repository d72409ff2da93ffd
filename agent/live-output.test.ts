import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Output, Progress } from '../shared/agent/messages.ts';
import { LiveOutput } from './live-output.ts';
import { newJobId } from './testing/broker.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const sent: (Output | Progress)[] = [];
  return { sent, live: new LiveOutput(newJobId(), (message) => sent.push(message)) };
}

test('lines of half a second go out in one message', () => {
  const { sent, live } = start();
  live.output('one\n');
  live.output('two\n');
  vi.advanceTimersByTime(500);
  live.output('three\n');
  vi.advanceTimersByTime(500);
  expect(sent.map((message) => message.t === 'output' && [message.seq, message.text])).toEqual([
    [0, 'one\ntwo\n'],
    [1, 'three\n'],
  ]);
});

test('a command that ends within half a second sends none', () => {
  const { sent, live } = start();
  live.output('one\n');
  live.progress('scan', 50);
  vi.advanceTimersByTime(400);
  live.end();
  vi.advanceTimersByTime(5_000);
  expect(sent).toEqual([]);
});

test('of several reports of progress the last is sent', () => {
  const { sent, live } = start();
  live.progress('scan', 10);
  live.progress('scan', 20);
  vi.advanceTimersByTime(500);
  expect(sent).toMatchObject([{ t: 'progress', seq: 0, phase: 'scan', percent: 20 }]);
});

test('a flood of output is cut to a few messages that fit into packets', () => {
  const { sent, live } = start();
  for (let i = 0; i < 1_000; i++) live.output('\u0001'.repeat(1_000));
  vi.advanceTimersByTime(500);
  expect(sent).toHaveLength(4);
  for (const message of sent) expect(JSON.stringify(message).length).toBeLessThan(110_000);
});
