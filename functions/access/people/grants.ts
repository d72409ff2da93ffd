/** Who somebody is and what they may do, by what the identity provider says of them. */
import type { Grant } from '../../../shared/api/records.ts';
import { legible, oneLine, startOf } from '../../../shared/text.ts';
import type { RoleRule } from './settings.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The grants of all rules that hold. */
export function grantsOf(claims: Claims, rules: readonly RoleRule[]): Grant[] {
  return rules
    .filter(({ claim, value }) => valuesOf(claims, claim).some((said) => value === '*' || said === value))
    .map(({ role, sites }) => ({ role, sites }));
}

/** The texts of a claim. An address that the provider has not checked could be anybody's. */
function valuesOf(claims: Claims, claim: string): string[] {
  if (claim === 'email' && claims.email_verified !== true) return [];
  return [Object.hasOwn(claims, claim) ? claims[claim] : []]
    .flat()
    .filter((said): said is string => typeof said === 'string' && said !== '');
}

/** Longest name, as `Person` has it. */
const MAX_NAME = 100;

/** A name for lists and the audit, which is nobody's proof. */
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
