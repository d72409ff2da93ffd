import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SiteId } from '../../../shared/identity.ts';
import { siteIdFrom } from './site-id.ts';

test('the id is made of the words of the name', () => {
  expect(siteIdFrom('Cabin by the Lake')).toBe('cabin-by-the-lake');
  expect(siteIdFrom('  Café Größe №5 ')).toBe('cafe-gro-e-no5');
  expect(siteIdFrom('家')).toBe('');
  expect(siteIdFrom('a'.repeat(31).concat(' and more'))).toBe('a'.repeat(31));
});

test('for any name the API accepts the id, or it is empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
      const id = siteIdFrom(name);
      expect(id === '' || SiteId.safeParse(id).success).toBe(true);
    }),
  );
});
