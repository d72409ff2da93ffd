import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globTest, macMatcher } from './mac-pattern.ts';

test.each([
  ['00:1e:*', '00:1E:06:AA:BB:01', true],
  ['00-1e-*', '00:1E:06:AA:BB:01', true],
  ['001e06*', '00:1E:06:AA:BB:01', true],
  ['001e.06*', '00:1E:06:AA:BB:01', true],
  ['*:01', '00:1E:06:AA:BB:01', true],
  ['00:*:01', '00:1E:06:AA:BB:01', true],
  ['0:1e:6:*', '00:1E:06:AA:BB:01', true], // without leading zeros, as macOS prints it
  ['*-bb-1', '00:1E:06:AA:BB:01', true],
  ['*', '', true],
  ['**', '00:1E:06:AA:BB:01', true],
  ['0*', '', false],
  ['00.1E.*', '00:1E:06:AA:BB:01', false], // a dot is a dot
  ['00:1_:*', '00:1E:06:AA:BB:01', false],
  ['00:1%*', '00:1E:06:AA:BB:01', false],
  ['INTER*', 'Internet', true],
])('%s on %s: %s', async (pattern, device, expected) => {
  expect((await macMatcher([pattern]))(device)).toBe(expected);
});

test('what is neither a MAC nor a pattern is refused, and its place named', async () => {
  await expect(macMatcher(['00:1E:06:AA:BB:01', 'nas'])).rejects.toThrow(/macs\.1: expected a MAC/);
});

test('patterns are bounded in number, because each is compared with every device; those that say the same are one', async () => {
  const patterns = Array.from({ length: 21 }, (_, i) => `${i}*`);
  await expect(macMatcher(patterns)).rejects.toThrow(/macs: expected at most 20 different patterns with \*, got 21/);
  const alike = ['0*', '0**', ...Array.from({ length: 100 }, (_, i) => `aa:${'*'.repeat(i + 1)}`), 'AA:*'];
  const matches = await macMatcher([...patterns.slice(0, 18), ...alike]);
  expect(matches('AA:B')).toBe(true);
});

test('a pattern with more characters than a MAC has is refused, because it can match none', async () => {
  await expect(macMatcher(['*00:1E:06:AA:BB:01*2'])).rejects.toThrow(/macs\.0: expected a pattern with at most 17/);
  const matches = await macMatcher([`**${[...'00:1E:06:AA:BB:01'].join('**')}**`]);
  expect(matches('00:1E:06:AA:BB:01')).toBe(true);
});

test('patterns of all notations at once, each compared in its own', async () => {
  const matches = await macMatcher(['00-1e-*', '001e.07*', '*0bb03', 'aa:*:05', 'AA-*:05']);
  const devices = '00:1E:06:AA:BB:01 00:1E:07:AA:BB:02 10:1E:07:A0:BB:03 AA:1E:07:AA:BB:05 AB:00:00:00:00:05';
  expect(devices.split(' ').map(matches)).toEqual([true, true, true, true, false]);
});

test('globTest agrees with the regular expression that says the same', () => {
  const pattern = fc.stringMatching(/^[AB*.]{0,8}$/);
  const text = fc.stringMatching(/^[AB.]{0,8}$/);
  fc.assert(
    fc.property(pattern, text, (p, t) => {
      const same = new RegExp(`^${p.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(globTest(p)(t)).toBe(same.test(t));
    }),
    { numRuns: 500 },
  );
});
