import { expect, test } from 'vitest';
import { SCOPES } from '../../../shared/identity.ts';
import { SCOPES_OF_ROLE } from '../../../shared/roles.ts';
import { offeredRoles, roleOf } from './roles.ts';

test('a token with all scopes of a role offers it', () => {
  expect(offeredRoles({ scopes: SCOPES })).toEqual(['viewer', 'operator', 'admin']);
  expect(offeredRoles({ scopes: ['admin', 'devices:read'] })).toEqual(['viewer']);
  expect(offeredRoles({ scopes: ['admin'] })).toEqual([]);
});

test('scopes are a role in whatever order, and none when one lacks or is too many', () => {
  for (const [role, scopes] of Object.entries(SCOPES_OF_ROLE)) expect(roleOf(scopes.toReversed())).toBe(role);
  expect(roleOf(['devices:read', 'devices:write'])).toBeNull();
  expect(roleOf(['nettools:run'])).toBeNull();
});
