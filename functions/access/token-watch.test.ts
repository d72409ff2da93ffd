import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FoundToken } from './token-store.ts';
import { openTokenWatch } from './token-watch.ts';

const valid = {} as FoundToken;
const silent = { info() {}, warn() {}, error() {} };
/** What the store says of each token: it is valid, there is none, or the database cannot be reached. */
const said = new Map<string, FoundToken | null | Error>();
let reads: string[] = [];
const tokens = {
  async find(id: string) {
    reads.push(id);
    const answer = said.get(id) ?? null;
    if (answer instanceof Error) throw answer;
    return answer;
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  reads = [];
  said.clear();
});
afterEach(() => vi.useRealTimers());

test('a token is read once in 15 seconds, however many streams it has open, and no longer than they are', async () => {
  const { watch } = openTokenWatch(tokens, silent);
  said.set('a', valid).set('b', valid);
  const onInvalid = vi.fn();
  const leaves = ['a', 'a', 'b'].map((id) => watch(id, onInvalid));
  await vi.advanceTimersByTimeAsync(10_000);
  leaves.push(watch('a', onInvalid));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toEqual(['a', 'b']);
  leaves[2]?.();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(reads).toEqual(['a', 'b', 'a', 'a']);
  for (const leave of leaves) leave();
  expect(vi.getTimerCount()).toBe(0);
  expect(onInvalid).not.toHaveBeenCalled();
});

test('an unreachable database ends no stream; the next check decides', async () => {
  const { watch } = openTokenWatch(tokens, silent);
  const onInvalid = vi.fn();
  said.set('a', new Error('unreachable'));
  watch('a', onInvalid);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(onInvalid).not.toHaveBeenCalled();
  said.delete('a');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(onInvalid).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
