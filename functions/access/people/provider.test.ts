import { expect, test } from 'vitest';
import { mergedClaims } from './provider.ts';

test.each([
  [
    'both in the ID token',
    { email: 'a@x', email_verified: false },
    { email: 'b@x', email_verified: true },
    ['a@x', false],
  ],
  ['an address alone there', { email: 'a@x' }, { email: 'b@x', email_verified: true }, ['a@x', undefined]],
  ['a proof alone there', { email_verified: true }, { email: 'b@x' }, [undefined, true]],
  ['both in the userinfo', {}, { email: 'b@x', email_verified: true }, ['b@x', true]],
])('an address and its proof come from one answer: %s', (_, proved, further, expected) => {
  const { email, email_verified, name } = mergedClaims({ sub: 's', ...proved }, { ...further, name: 'Ada' });
  expect([email, email_verified, name]).toEqual([...expected, 'Ada']);
});
