import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Difference, difference, isNothing } from './difference.ts';

interface Part {
  name: string;
  value: number;
}
const comparison = {
  wantedKey: ({ name }: Part) => name,
  presentKey: ({ name }: Part) => name,
  isSame: (a: Part, b: Part) => a.value === b.value,
};
const parts: fc.Arbitrary<Part[]> = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'constructor'), value: fc.nat(2) }),
  { selector: ({ name }) => name },
);
const sorted = (all: Iterable<Part>) => [...all].sort((a, b) => (a.name < b.name ? -1 : 1));

function applied({ add, change, remove }: Difference<Part, Part>, to: readonly Part[]): Part[] {
  const after = new Map(to.map((one) => [one.name, one]));
  for (const { name } of remove) after.delete(name);
  for (const { wanted, present } of change) {
    expect(after.get(wanted.name)).toBe(present);
    after.set(wanted.name, wanted);
  }
  for (const one of add) {
    expect(after.has(one.name)).toBe(false);
    after.set(one.name, one);
  }
  return [...after.values()];
}

test('what is applied makes one list into the other, and then nothing is left to do', () => {
  fc.assert(
    fc.property(parts, parts, (wanted, present) => {
      const after = applied(difference(wanted, present, comparison), present);
      expect(sorted(after)).toEqual(sorted(wanted));
      expect(isNothing(difference(wanted, after, comparison))).toBe(true);
    }),
  );
});

test('a part of it that was done before a crash is not done again', () => {
  fc.assert(
    fc.property(parts, parts, fc.nat(6), (wanted, present, steps) => {
      const { add, change, remove } = difference(wanted, present, comparison);
      const all = [
        ...remove.map((one) => ({ add: [], change: [], remove: [one] })),
        ...change.map((one) => ({ add: [], change: [one], remove: [] })),
        ...add.map((one) => ({ add: [one], change: [], remove: [] })),
      ];
      const half = all.slice(0, steps).reduce<Part[]>((to, step) => applied(step, to), present);
      expect(sorted(applied(difference(wanted, half, comparison), half))).toEqual(sorted(wanted));
    }),
  );
});

test('nothing is to be done where only the order is another one', () => {
  fc.assert(fc.property(parts, (all) => isNothing(difference(all, all.toReversed(), comparison))));
});
