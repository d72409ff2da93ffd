import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventQuery, EventType } from '../../../shared/api/events.ts';
import { beginOf, type Filters, filtersIn, GROUPS, hasWords, queryOf, TYPES } from './filters.ts';

test('the types of the filter are those of the API', () => {
  expect(TYPES).toEqual(EventType.options);
  for (const { type } of GROUPS) expect(EventQuery.parse({ type }).type).toHaveLength(type.split(',').length);
});

test('filters survive the address', () => {
  const filters: fc.Arbitrary<Filters> = fc.record({
    type: fc.uniqueArray(fc.constantFrom(...TYPES)).map((types) => types.join(',')),
    period: fc.constantFrom('', '1h', '24h', '7d', '30d'),
    device: fc.constantFrom('', '00:1E:06:AA:BB:01', 'Internet', '~0b1c'),
    text: fc.string({ unit: 'grapheme', maxLength: 40 }),
  });
  fc.assert(
    fc.property(filters, (one) => {
      expect(filtersIn(new URLSearchParams(queryOf(one).toString()))).toEqual(one);
    }),
  );
});

test('no address leads to a request that the API rejects', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (type, since) => {
      const filters = filtersIn(new URLSearchParams({ type: `${type},down,down`, since }));
      expect(EventQuery.safeParse({ type: filters.type }).success).toBe(true);
      const begin = beginOf(filters.period, Date.now());
      expect(EventQuery.safeParse(begin === null ? {} : { since: begin }).success).toBe(true);
    }),
  );
  expect(filtersIn(new URLSearchParams('since=constructor'))).toMatchObject({ period: '' });
});

test('a text is found by its words, in any letter case and order', () => {
  expect(hasWords('NAS received the address 192.168.1.21', 'address nas')).toBe(true);
  expect(hasWords('NAS received the address 192.168.1.21', 'printer')).toBe(false);
  expect(hasWords('anything', '  ')).toBe(true);
});
