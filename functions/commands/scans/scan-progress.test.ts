import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_SHARD_ATTEMPTS } from '../../../shared/agent/plan.ts';
import {
  beginProgress,
  cancel,
  isOpen,
  noteShard,
  passesOf,
  type ScanProgress,
  type ShardEnd,
} from './scan-progress.ts';

const anyEnd = fc.record({
  shard: fc.integer({ min: 0, max: 4 }),
  attempt: fc.integer({ min: 1, max: MAX_SHARD_ATTEMPTS }),
  hosts: fc.option(fc.integer({ min: 0, max: 9 })),
  problem: fc.constant('x'),
  isFinal: fc.constant(false),
  at: fc.constant(7),
}) satisfies fc.Arbitrary<ShardEnd>;

test('whatever is told, in any order and again, each attempt counts once, in order, and an ended scan stays as it is', () => {
  fc.assert(
    fc.property(fc.array(anyEnd, { maxLength: 40 }), (ends) => {
      let progress: ScanProgress = beginProgress(4);
      for (const end of ends) {
        const after = noteShard(progress, end);
        if (after === null) continue;
        expect(noteShard(after, end)).toBeNull();
        expect(passesOf(after)).toBeGreaterThanOrEqual(passesOf(progress));
        progress = after;
      }
      const open = progress.shards.some(isOpen);
      expect(progress.state === 'running').toBe(open);
      expect(progress.endedAt).toBe(open ? null : 7);
      if (!open) expect(progress.state).toBe(progress.shards.some(({ hosts }) => hosts !== null) ? 'done' : 'failed');
    }),
  );
});

test('further attempts are planned when each shard without a result has had one', () => {
  const end = (shard: number, attempt: number, hosts: number | null): ShardEnd => {
    return { shard, attempt, hosts, problem: null, isFinal: false, at: 1 };
  };
  let progress = beginProgress(3);
  const passes = [end(0, 1, null), end(1, 1, 4), end(2, 1, null), end(0, 2, 1), end(2, 2, null), end(2, 3, null)].map(
    (one) => {
      progress = noteShard(progress, one) ?? progress;
      return passesOf(progress);
    },
  );
  expect(passes).toEqual([0, 0, 1, 1, 2, Number.POSITIVE_INFINITY]);
  expect(progress.state).toBe('done');
  expect(cancel(progress, 2)).toBeNull();
});

test('what would fail again is not tried again', () => {
  const [shard] = noteShard(beginProgress(1), {
    shard: 0,
    attempt: 1,
    hosts: null,
    problem: 'x',
    isFinal: true,
    at: 1,
  })!.shards;
  expect(isOpen(shard!)).toBe(false);
});
