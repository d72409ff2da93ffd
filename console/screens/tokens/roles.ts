/** Roles as sets of scopes. */
import type { Scope } from '../../../shared/identity.ts';
import { type Role, SCOPES_OF_ROLE } from '../../../shared/roles.ts';
import { ROLES } from '../../../shared/words.ts';
import type { Maker } from './token-limits.ts';

/** The roles that a token can give, having all of their scopes; the least first. */
export function offeredRoles({ scopes }: Pick<Maker, 'scopes'>): Role[] {
  return ROLES.filter((role) => SCOPES_OF_ROLE[role].every((scope) => scopes.includes(scope)));
}

/** The role that has exactly these scopes; null for none. */
export function roleOf(scopes: readonly Scope[]): Role | null {
  const isSame = (role: Role) =>
    SCOPES_OF_ROLE[role].length === scopes.length && SCOPES_OF_ROLE[role].every((one) => scopes.includes(one));
  return ROLES.find(isSame) ?? null;
}
