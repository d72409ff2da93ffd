import { expect, test } from 'vitest';
import { mergedClaims } from './provider.ts';

test.each([
  ['both in it', { email: 'a@x', email_verified: false }, { email: 'b@x', email_verified: true }, ['a@x', false]],
  ['an address alone in it', { email: 'a@x' }, { email: 'b@x', email_verified: true }, ['a@x', undefined]],
  ['a proof alone in it', { email_verified: true }, { email: 'b@x' }, [undefined, true]],
  ['both in the userinfo', {}, { email: 'b@x', email_verified: true }, ['b@x', true]],
])('an address and its proof come from one answer, the ID token if it has any: %s', (_, proved, further, expected) => {
  const { email, email_verified, name } = mergedClaims({ sub: 's', ...proved }, { ...further, name: 'Ada' });
  expect([email, email_verified, name]).toEqual([...expected, 'Ada']);
});
