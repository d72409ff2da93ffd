import { expect, test } from 'vitest';
import { slotsInProcess, type WaitKind } from './wait-slots.ts';

/** How many of a kind one gets who asks until there are no more. */
async function takeAll(slots: ReturnType<typeof slotsInProcess>, kind: WaitKind, site: string, user = site) {
  let count = 0;
  while ((await slots.take(kind, 0, { site, user })) !== null) count++;
  return count;
}

test.each(['call', 'stream'] as const)(
  'a holder takes a third of the slots for a %s, and leaves some to all others',
  async (kind) => {
    const slots = slotsInProcess(kind === 'call' ? 90 : 180);
    expect(await takeAll(slots, kind, 'hostile')).toBe(30);
    expect(await takeAll(slots, kind, 'hostile', 'another token')).toBeGreaterThan(5);
    for (let site = 0; site < 10; site++)
      expect(await slots.take(kind, 0, { site: `${site}`, user: '' })).not.toBeNull();
  },
);

test('what is given back is free once', async () => {
  const slots = slotsInProcess(1);
  const holder = { site: 'home', user: 'token' };
  const giveBack = await slots.take('call', 0, holder);
  await giveBack?.();
  expect(await slots.take('call', 0, holder)).not.toBeNull();
  await giveBack?.();
  expect(await slots.take('call', 0, holder)).toBeNull();
});

test('all holders together have half of the slots for streams', async () => {
  const slots = slotsInProcess(10);
  const holders = Array.from({ length: 8 }, (_, i) => ({ site: `site-${i}`, user: 'token' }));
  const taken = await Promise.all(holders.map((holder) => slots.take('stream', 0, holder)));
  expect(taken.filter((slot) => slot !== null)).toHaveLength(5);
});
