/** The scopes of people's roles: each includes those of the role before it. */
import type { Scope } from './identity.ts';
import type { ROLES } from './words.ts';

export type Role = (typeof ROLES)[number];

const VIEWER: readonly Scope[] = ['devices:read'];
const OPERATOR: readonly Scope[] = [...VIEWER, 'devices:write', 'nettools:run'];

export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: VIEWER,
  operator: OPERATOR,
  admin: [...OPERATOR, 'admin'],
};
