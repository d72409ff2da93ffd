import { expect, test } from 'vitest';
import { openWaitSlots, type WaitKind, type WaitSlots } from './wait-slots.ts';

/** How many of a kind one gets who takes them until there are no more. */
function takeAll(slots: WaitSlots, kind: WaitKind, user: string): number {
  let count = 0;
  while (slots.take(kind, user) !== null) count++;
  return count;
}

test.each(['call', 'stream'] as const)('a user has a third of the slots for a %s, and leaves the others', (kind) => {
  const slots = openWaitSlots({ call: 9, stream: 9 });
  expect(['greedy', 'another', 'a third', 'a fourth'].map((user) => takeAll(slots, kind, user))).toEqual([3, 3, 3, 0]);
});

test('streams take no slot of calls, nor calls one of streams', () => {
  const slots = openWaitSlots({ call: 1, stream: 1 });
  expect([takeAll(slots, 'stream', 'user'), takeAll(slots, 'call', 'user')]).toEqual([1, 1]);
});

test('what is given back is free once', () => {
  const slots = openWaitSlots({ call: 1, stream: 0 });
  const giveBack = slots.take('call', 'user');
  giveBack?.();
  expect(slots.take('call', 'user')).not.toBeNull();
  giveBack?.();
  expect(slots.take('call', 'user')).toBeNull();
});
