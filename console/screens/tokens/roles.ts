/** What a person may do, in one word each. The API knows scopes alone. */
import { SCOPES, type Scope } from '../../../shared/identity.ts';
import type { Maker } from './token-limits.ts';

export const ROLES = {
  viewer: ['devices:read'],
  operator: ['devices:read', 'devices:write', 'nettools:run'],
  admin: SCOPES,
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof ROLES;

/** Those that a token may give, the least first: it has all of their scopes. */
export function offeredRoles({ scopes }: Pick<Maker, 'scopes'>): Role[] {
  return (Object.keys(ROLES) as Role[]).filter((role) => ROLES[role].every((scope) => scopes.includes(scope)));
}

/** The role that has exactly these scopes; null for none. */
export function roleOf(scopes: readonly Scope[]): Role | null {
  const isSame = (role: Role) =>
    ROLES[role].length === scopes.length && ROLES[role].every((one) => scopes.includes(one));
  return (Object.keys(ROLES) as Role[]).find(isSame) ?? null;
}
