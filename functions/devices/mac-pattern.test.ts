import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globMatches, macMatcher } from './mac-pattern.ts';

const mac = fc
  .uint8Array({ minLength: 6, maxLength: 6 })
  .map((bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':'));

test('an exact MAC names its device in every notation', () => {
  for (const written of ['00:1e:06:aa:bb:01', '00-1E-06-AA-BB-01', '001e.06aa.bb01', '001E06AABB01']) {
    const matches = macMatcher([written]);
    expect(matches('00:1E:06:AA:BB:01')).toBe(true);
    expect(matches('00:1E:06:AA:BB:02')).toBe(false);
    expect(matches('')).toBe(false);
  }
});

test.each([
  ['00:1e:*', '00:1E:06:AA:BB:01', true],
  ['00-1e-*', '00:1E:06:AA:BB:01', true],
  ['001e06*', '00:1E:06:AA:BB:01', true],
  ['001e.06*', '00:1E:06:AA:BB:01', true],
  ['*:01', '00:1E:06:AA:BB:01', true],
  ['00:*:01', '00:1E:06:AA:BB:01', true],
  ['*', '', true],
  ['**', '00:1E:06:AA:BB:01', true],
  ['0*', '', false],
  ['00.1E.*', '00:1E:06:AA:BB:01', false], // a dot is a dot
  ['00:1_:*', '00:1E:06:AA:BB:01', false],
  ['00:1%*', '00:1E:06:AA:BB:01', false],
  ['INTER*', 'Internet', true],
])('%s on %s: %s', (pattern, device, expected) => {
  expect(macMatcher([pattern])(device)).toBe(expected);
});

test('what is neither a MAC nor a pattern is refused, and its place named', () => {
  expect(() => macMatcher(['00:1E:06:AA:BB:01', 'nas'])).toThrow(/macs\.1: expected a MAC/);
});

test('patterns are bounded in number, because each is compared with every device', () => {
  expect(() => macMatcher(Array.from({ length: 101 }, (_, i) => `${i}*`))).toThrow(/at most 100/);
});

test('a pattern made from a MAC by widening any part of it matches that MAC', () => {
  fc.assert(
    fc.property(mac, fc.nat(17), fc.nat(17), (text, a, b) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      expect(globMatches(`${text.slice(0, from)}*${text.slice(to)}`, text)).toBe(true);
    }),
  );
});

test('globMatches agrees with the regular expression that says the same', () => {
  const pattern = fc.stringMatching(/^[AB*.]{0,8}$/);
  const text = fc.stringMatching(/^[AB.]{0,8}$/);
  fc.assert(
    fc.property(pattern, text, (p, t) => {
      const same = new RegExp(`^${p.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(globMatches(p, t)).toBe(same.test(t));
    }),
    { numRuns: 2000 },
  );
});
