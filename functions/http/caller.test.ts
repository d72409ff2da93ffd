import { expect, test } from 'vitest';
import type { Person } from '../../shared/api/records.ts';
import { SCOPES } from '../../shared/identity.ts';
import type { FoundToken } from '../access/token-store.ts';
import { callerOf, hasScope } from './caller.ts';

function foundOf(grants: Person['grants'], own: Partial<FoundToken['token']> = {}): FoundToken {
  const token = { scopes: [...SCOPES], sites: '*', person: 'a'.repeat(16), ...own } as FoundToken['token'];
  const secrets = { digest: Buffer.alloc(32), former: null, isByFormer: false };
  return { token, person: { grants } as Person, ...secrets, expiresAt: null, usedAt: null };
}

const MIXED = foundOf([
  { role: 'viewer', sites: '*' },
  { role: 'operator', sites: ['tag:customers'] },
  { role: 'admin', sites: ['home'] },
]);

test('a person with several roles reaches the sites where one of them has the scope', () => {
  const reads = callerOf(MIXED, 'devices:read');
  expect(reads.reach.isAll).toBe(true);
  expect(reads.token.scopes).toEqual(['devices:read']);
  const runs = callerOf(MIXED, 'nettools:run');
  expect(runs.reach.has({ id: 'shop', tags: ['customers'] })).toBe(true);
  expect(runs.reach.has({ id: 'home', tags: [] })).toBe(true);
  expect(runs.reach.has({ id: 'other', tags: [] })).toBe(false);
  expect(runs.token.scopes).not.toContain('admin');
  const administers = callerOf(MIXED, 'admin');
  expect(administers.reach.only).toEqual(['home']);
  expect(administers.token.scopes).toEqual([...SCOPES]);
});

test("a person's token can do no more than it was made for, and no more than the person may now", () => {
  const found = foundOf([{ role: 'operator', sites: ['home', 'shop'] }], {
    scopes: ['devices:read', 'admin'],
    sites: ['shop', 'cabin'],
  });
  const { token, reach } = callerOf(found, 'devices:read');
  expect(token.scopes).toEqual(['devices:read']);
  expect(reach.only).toEqual(['shop']);
  expect(hasScope(callerOf(found, 'admin').token, 'admin')).toBe(false);
});
