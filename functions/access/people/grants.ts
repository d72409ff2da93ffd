/** A person's name, address and grants, by the claims of the identity provider. */
import type { Grant } from '../../../shared/api/records.ts';
import { legible, oneLine, startOf } from '../../../shared/text.ts';
import type { RoleRule } from './settings.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The grants of all matching rules. */
export function grantsOf(claims: Claims, rules: readonly RoleRule[]): Grant[] {
  return rules
    .filter(({ claim, value }) => valuesOf(claims, claim).some((one) => value === '*' || one === value))
    .map(({ role, sites }) => ({ role, sites }));
}

/** The texts of a claim. An address that the provider has not verified could be anyone's. */
function valuesOf(claims: Claims, claim: string): string[] {
  if (claim === 'email' && claims.email_verified !== true) return [];
  const values = [Object.hasOwn(claims, claim) ? claims[claim] : []].flat();
  return values.filter((one): one is string => typeof one === 'string' && one !== '');
}

/** As in `Person`. */
const MAX_NAME = 100;

/** A name for lists and the audit, which proves nothing. */
export function nameOf(claims: Claims, subject: string): string {
  const given = [claims.name, claims.preferred_username, claims.email, subject];
  const names = given.map((name) => (typeof name === 'string' ? startOf(legible(oneLine(name)).trim(), MAX_NAME) : ''));
  return names.find((name) => name !== '') ?? 'unnamed';
}

const MAX_EMAIL = 254;

export function emailOf(claims: Claims): string | null {
  const [email = ''] = valuesOf(claims, 'email');
  return /^[\x21-\x7e]+@[\x21-\x7e]+$/.test(email) && email.length <= MAX_EMAIL ? email : null;
}
