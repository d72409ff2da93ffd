/**
 * The caller of a request: its rights, and those that it may grant.
 * @promise A person's token does what both token and person may do now: `functions/http/caller.test.ts`,
 *   `test/api/people.test.ts`.
 */
import type { Operation } from '../../shared/api/operation.ts';
import type { Person, Token } from '../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import type { Scope } from '../../shared/identity.ts';
import { SCOPES_OF_ROLE } from '../../shared/roles.ts';
import { type Reach, reachOf } from './reach.ts';

/** For every caller without a valid token, whatever the request. */
export const NOT_AUTHORIZED = 'ERROR: Not authorized';

export interface ValidToken extends Token {
  /** The nearest ancestor that is limited to certain sites. */
  ancestor: string | null;
  /** Its parent tokens: it ends with each of them. */
  givers?: string[] | undefined;
}

export interface Caller {
  /** Its `scopes` hold at each site of `reach`; its `sites` are for display. */
  token: ValidToken;
  person: Person | null;
  /** Whether the request presents the token's former secret. */
  isByFormer: boolean;
  /** The sites that the caller may use, for the scope that the operation requires. */
  reach: Reach;
}

/** Whose slots a call takes: a person's, or those of a token and its descendants, because more tokens must not give more slots. */
export function userOf({ person, token }: Pick<Caller, 'person' | 'token'>): string {
  return person?.id ?? token.ancestor ?? token.id;
}

/**
 * A person's token can do what both its own scopes and sites and the person's grants allow now. Only grants whose role has
 * the scope count.
 */
export function callerOf(found: Omit<Caller, 'reach'>, needed: NeededScope): Caller {
  const { token, person, isByFormer } = found;
  if (person === null) return { token, person, isByFormer, reach: reachOf([token.sites]) };
  const grants = person.grants
    .map(({ role, sites }) => ({ scopes: SCOPES_OF_ROLE[role], sites }))
    .filter(({ scopes }) => needed === 'any' || scopes.includes(needed));
  const isGranted = (scope: Scope) =>
    needed === 'any'
      ? grants.some(({ scopes }) => scopes.includes(scope))
      : grants.length > 0 && grants.every(({ scopes }) => scopes.includes(scope));
  const granted = grants.some(({ sites }) => sites === '*') ? '*' : grants.flatMap(({ sites }) => sites);
  return {
    token: { ...token, scopes: token.scopes.filter(isGranted), sites: token.sites === '*' ? granted : token.sites },
    person,
    isByFormer,
    reach: reachOf([token.sites, granted]),
  };
}

/** The scope that an operation requires. */
export type NeededScope = NonNullable<Operation['scope']>;

export function hasScope({ scopes }: Pick<Token, 'scopes'>, needed: NeededScope): boolean {
  return needed === 'any' || scopes.includes(needed);
}

/** @throws {ServiceError} `forbidden`, as without a token; only the holder of a valid one learns the missing scope */
export function requireScope(token: Token, scope: NeededScope): void {
  if (hasScope(token, scope)) return;
  const fields = [{ path: 'header.authorization', message: `the token lacks the scope ${scope}` }];
  throw new ServiceError('forbidden', NOT_AUTHORIZED, { fields });
}

/** The expiry that the tokens made by this one inherit; null for none. A session ends, but its person stays. */
export const endOf = ({ purpose, expiresAt }: Token): string | null => (purpose === 'session' ? null : expiresAt);

/** What is wrong with a requested expiry; null: no expiry. */
export function lifeBeyond(maker: Token, expiresAt: string | null | undefined, now: Date): FieldError[] {
  if (expiresAt === undefined) return [];
  const refuse = (message: string) => [{ path: 'expiresAt', message }];
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return refuse('expected a time in the future');
  const end = endOf(maker);
  const isBeyond = end !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(end));
  return isBeyond ? refuse(`expected ${end} or earlier, because the token of this request expires then`) : [];
}

/**
 * The former secret serves clients that do not have the new one yet. With a stolen one, nothing can be made that outlives it.
 * @throws {ServiceError} `conflict`
 */
export function requireCurrentSecret({ isByFormer }: Caller): void {
  if (!isByFormer) return;
  throw new ServiceError('conflict', 'The token of this request has a new secret: only with that one can it do this');
}
