import { expect, test } from 'vitest';
import { withoutPunycode } from './names.ts';

test.each([
  ['xn--kche-0ra.lan', 'küche.lan'],
  ['drucker.XN--MNCHEN-3YA.example', 'drucker.münchen.example'],
  ['a_b.xn--kche-0ra', 'a_b.küche'],
  ['nas.lan', 'nas.lan'],
  ["Anna's Mac.local", "Anna's Mac.local"],
  // Not valid: as it is.
  ['xn--.lan', 'xn--.lan'],
  ['xn--99999999999.lan', 'xn--99999999999.lan'],
  ['xn--a.lan', 'xn--a.lan'],
])('%s is shown as %s', (name, shown) => {
  expect(withoutPunycode(name)).toBe(shown);
});
