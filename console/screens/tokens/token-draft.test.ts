import fc from 'fast-check';
import { expect, test } from 'vitest';
import { admin } from '../../../shared/api/admin.ts';
import { SCOPES } from '../../../shared/identity.ts';
import {
  bodyOf,
  errorsOf,
  type Maker,
  newDraft,
  offeredExpiries,
  offeredScopes,
  type TokenDraft,
} from './token-draft.ts';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const all: Maker = { scopes: SCOPES, sites: '*', expiresAt: null };

test('only what the own token may do is offered', () => {
  expect(offeredScopes(all)).toEqual(SCOPES);
  expect(offeredScopes({ ...all, scopes: ['admin', 'devices:read'] })).toEqual(['devices:read', 'admin']);
});

test('no end is offered that lies behind that of the own token', () => {
  expect(offeredExpiries(all, NOW)).toEqual(['never', '1', '7', '30', '90', '365', 'date']);
  const ending = { ...all, expiresAt: '2026-11-20T12:00:00Z' };
  expect(offeredExpiries(ending, NOW)).toEqual(['own', '1', '7', 'date']);
  expect(newDraft(ending).expiry).toBe('own');
});

test('what is missing is said before anything is sent', () => {
  const empty = { ...newDraft(all), scopes: [], expiry: 'date' as const };
  expect(Object.keys(errorsOf(empty))).toEqual(['name', 'scopes', 'sites', 'date']);
  expect(errorsOf({ ...newDraft(all), name: 'dashboard', isForAllSites: true })).toEqual({});
  expect(
    Object.keys(errorsOf({ ...newDraft(all), name: 'x', sites: ['home'], expiry: 'date', date: '2026-02-30' })),
  ).toEqual(['date']);
});

test('what has no errors is a request that the API understands', () => {
  const draft: fc.Arbitrary<TokenDraft> = fc.record({
    name: fc.string({ maxLength: 100 }),
    scopes: fc.subarray([...SCOPES]),
    isForAllSites: fc.boolean(),
    sites: fc.subarray(['home', 'cabin']),
    expiry: fc.constantFrom('own', 'never', '1', '7', '30', '90', '365', 'date'),
    date: fc.oneof(fc.constant('2026-12-31'), fc.string({ maxLength: 10 })),
  });
  fc.assert(
    fc.property(draft, (one) => {
      fc.pre(Object.keys(errorsOf(one)).length === 0);
      expect(admin.createToken.body.safeParse(bodyOf(one, NOW)).error?.issues ?? []).toEqual([]);
    }),
  );
});
