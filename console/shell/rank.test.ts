import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rank, ranked } from './rank.ts';

const words = fc.array(fc.stringMatching(/^[a-z0-9]{1,6}$/), { minLength: 1, maxLength: 5 });

test('every text is found by its words, in any order and letter case', () => {
  fc.assert(
    fc.property(words, words, (some, others) => {
      const query = [...some].reverse().join(' ').toUpperCase();
      expect(rank(query, [...others, ...some].join(' '))).not.toBeNull();
    }),
  );
});

test('whatever is typed, a text is found by its beginning best', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const query = text.trim();
      if (!/\s/.test(query)) expect(rank(query, query)).toBe(0);
    }),
  );
});

test.each([
  ['', 'anything', 0],
  ['kuche', 'Küche', 0],
  ['light', 'Colours: light', 1],
  ['ight', 'Colours: light', 2],
  ['lig col', 'Colours: light', 1],
  ['dark', 'Colours: light', null],
  ['(', 'a (b)', 1],
])('%j fits %j by %j', (query, text, fit) => expect(rank(query, text)).toBe(fit));

test('the best come first, equals keep their order', () => {
  const all = ['inside: topic', 'to the top', 'Topology', 'atop', 'Top'];
  expect(ranked('top', all, (one) => one)).toEqual(['Topology', 'Top', 'inside: topic', 'to the top', 'atop']);
});
