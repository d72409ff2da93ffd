import { expect, test } from 'vitest';
import { admin } from '../../../shared/api/admin.ts';
import { SCOPES } from '../../../shared/identity.ts';
import { expiryTime, type Maker, offeredExpiries, offeredScopes } from './token-limits.ts';

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
});

test('an end is a time that the API takes, unless it is no day of the calendar', () => {
  const { expiresAt } = admin.createToken.body.shape;
  expect([expiryTime('own', '', NOW), expiryTime('never', '', NOW)]).toEqual([null, null]);
  expect(expiryTime('7', '', NOW)).toBe('2026-11-08T12:00:00.000Z');
  expect(expiresAt.safeParse(expiryTime('date', '2026-12-31', NOW)).success).toBe(true);
  for (const day of ['', '2026-02-30', 'tomorrow']) {
    expect([day, expiresAt.safeParse(expiryTime('date', day, NOW)).success]).toEqual([day, false]);
  }
});
