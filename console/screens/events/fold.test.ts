import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SiteEvent } from './feed.ts';
import { folded, isFold, LEAST } from './fold.ts';

function entry(i: number, { type = 'online', minute = 0, site = 'home' as string, device = true } = {}): SiteEvent {
  const at = new Date(Date.UTC(2026, 10, 1, 8, minute, i % 60)).toISOString();
  const named = device ? { mac: '', key: `~${i}`, name: `device ${i}` } : null;
  const event = { id: `${i}.0`, at, recordedAt: at, type, device: named, changes: {}, actor: 'a', cause: 'edit' };
  return { site, event: event as SiteEvent['event'] };
}
const none = () => false;

test('like events of three devices within a minute are one line, in the place of the newest', () => {
  const all = [entry(9), entry(8, { type: 'renamed' }), entry(7), entry(6)];
  expect(folded(all, none)).toEqual([{ entries: [all[0], all[2], all[3]] }, all[1]]);
});

test('two devices, other minutes and sites, new events and those without a device are not folded', () => {
  const two = [entry(2), entry(1), entry(1)];
  expect(folded(two, none)).toEqual(two);
  for (const other of [{ minute: 1 }, { site: 'office' }, { device: false }]) {
    const all = [entry(3, other), ...two];
    expect(folded(all, none)).toEqual(all);
  }
  const all = [entry(3), ...two];
  expect(folded(all, (one) => one === all[0])).toEqual(all);
});

test('nothing is lost, and nothing shown twice', () => {
  const type = fc.constantFrom('online', 'offline');
  const Entry = fc.record({ type, minute: fc.nat({ max: 2 }), device: fc.boolean() });
  fc.assert(
    fc.property(fc.array(Entry, { maxLength: 30 }), (wanted) => {
      const all = wanted.map((one, i) => entry(i, one));
      const shown = folded(all, none);
      const back = shown.flatMap((one) => (isFold(one) ? one.entries : [one]));
      expect(new Set(back)).toEqual(new Set(all));
      expect(back).toHaveLength(all.length);
      expect(shown.filter(isFold).every(({ entries }) => entries.length >= LEAST)).toBe(true);
    }),
  );
});
