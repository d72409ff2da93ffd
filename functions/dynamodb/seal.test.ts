import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSealed, SEAL, sealOf } from './seal.ts';

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);
const TOKEN = { pk: 'T#0123456789abcdef', sk: 'T' };
const AGENT = { pk: 'S#home', sk: 'A#home:main' };

/** A row as it is stored. */
const sealed = (row: Record<string, unknown> & { pk: string; sk: string }) => ({
  ...row,
  [SEAL]: sealOf(KEY, row, row),
});

test('a row with its own seal is believed; with none, or that of another key, it is not', () => {
  const row = { ...TOKEN, d: '{"scopes":["devices:read"]}' };
  expect(isSealed(KEY, sealed(row))).toBe(true);
  expect(isSealed(KEY, row)).toBe(false);
  expect(isSealed(KEY, { ...row, [SEAL]: '' })).toBe(false);
  expect(isSealed(OTHER_KEY, sealed(row))).toBe(false);
});

test('a change of any attribute that gives rights, of its name or of the key of the row breaks the seal', () => {
  const names = ['certificate', 'key', 'next'] as const;
  const rows = fc
    .dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' }), { minKeys: 1, noNullPrototype: true })
    .map((attributes) => ({ ...AGENT, ...attributes }));
  fc.assert(
    fc.property(rows, rows, (row, other) => {
      const isSame = names.every(
        (name) => (row as Record<string, unknown>)[name] === (other as Record<string, unknown>)[name],
      );
      expect(isSealed(KEY, { ...other, [SEAL]: sealOf(KEY, row, row) })).toBe(isSame);
      expect(isSealed(KEY, { ...sealed(row), sk: 'A#home:attic' })).toBe(false);
      expect(isSealed(KEY, { ...sealed(row), pk: 'S#cabin' })).toBe(false);
    }),
  );
});

test('a number is not taken for the text of it', () => {
  const code = { pk: 'E#00', sk: 'E', agent: 'home:main', expiresAt: 1, replaces: 0 };
  expect(isSealed(KEY, { ...sealed(code), replaces: '0' })).toBe(false);
  expect(isSealed(KEY, { ...sealed(code), replaces: 1 })).toBe(false);
});

test('what gives no rights may change, and rows without any need no seal', () => {
  const agent = sealed({ ...AGENT, certificate: '01', key: 'k' });
  expect(isSealed(KEY, { ...agent, presence: 'online', since: 1, retired: '00', revokedAt: 5 })).toBe(true);
  expect(isSealed(KEY, { ...AGENT, revokedAt: 5, presence: 'offline' })).toBe(true);
  for (const row of [
    { pk: 'S#home', sk: 'D#00:1E:06:AA:BB:01', d: '[]' },
    { pk: 'J#home', sk: 'home.0', d: '{}' },
    { pk: 'SITES', sk: 'SITE#home', d: '{}' },
  ]) {
    expect(sealOf(KEY, row, row)).toBe(null);
    expect(isSealed(KEY, row)).toBe(true);
  }
});
