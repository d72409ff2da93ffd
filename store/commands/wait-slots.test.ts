import { expect, test } from 'vitest';
import { slotsInProcess } from './wait-slots.ts';

test('a holder has a tenth of the places for streams at most, and what it gives back once is free once', async () => {
  const places = slotsInProcess(40); // 20 of them for streams.
  const take = async (kind: 'call' | 'stream', holder: string) => places.take(kind, 0, holder);
  const giveBack = await take('stream', 'greedy');
  expect(await take('stream', 'greedy')).not.toBeNull();
  expect(await take('stream', 'greedy')).toBeNull();
  expect(await take('call', 'greedy')).not.toBeNull();
  expect(await take('stream', 'another')).not.toBeNull();
  await giveBack?.();
  await giveBack?.();
  expect(await take('stream', 'greedy')).not.toBeNull();
  expect(await take('stream', 'greedy')).toBeNull();
});

test('all holders together have half of the places for streams', async () => {
  const places = slotsInProcess(10);
  const taken = await Promise.all(Array.from({ length: 8 }, (_, i) => places.take('stream', 0, `holder ${i}`)));
  expect(taken.filter((place) => place !== null)).toHaveLength(5);
});
