import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { pageAfter } from './pages.ts';

const device = (n: number) => ({ key: String(n).padStart(5, '0'), record: BLANK_DEVICE });

test('following the cursors visits every device once, in order, whatever the size of a page', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), (count, limit) => {
      const all = Array.from({ length: count }, (_, i) => device(i));
      const seen = [];
      let cursor: string | undefined;
      do {
        const { page, nextCursor } = pageAfter(all, cursor, limit);
        seen.push(...page);
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(all);
    }),
  );
});

test('a cursor outlives the device it names', () => {
  const all = [1, 2, 3, 4].map(device);
  const { nextCursor } = pageAfter(all, undefined, 2);
  expect(pageAfter([1, 3, 4].map(device), nextCursor ?? '', 2).page).toEqual([3, 4].map(device));
});
