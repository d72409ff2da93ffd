import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Throttle } from './throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start() {
  const at: number[] = [];
  const begin = performance.now();
  const throttle = new Throttle(() => at.push(performance.now() - begin), { afterMs: 1_000, everyMs: 30_000 });
  return { throttle, at };
}

test('a change is announced a moment later, and several of them together', () => {
  const { throttle, at } = start();
  throttle.changed();
  vi.advanceTimersByTime(500);
  throttle.changed();
  vi.advanceTimersByTime(60_000);
  expect(at).toEqual([1_000]);
});

test('however often it changes, it is announced every 30 s at most, and the last change is not lost', () => {
  const { throttle, at } = start();
  for (let i = 0; i < 500; i++) {
    throttle.changed();
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(120_000);
  expect(at).toEqual([1_000, 31_000, 61_000]);
});

test('nothing is announced after the end', () => {
  const { throttle, at } = start();
  throttle.changed();
  throttle.stop();
  vi.advanceTimersByTime(60_000);
  expect(at).toEqual([]);
});
