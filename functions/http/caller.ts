/**
 * Who makes a request, and what they may do and give by it.
 * @promise A person's token does what both token and person may do now: `functions/http/caller.test.ts`,
 *   `test/api/people.test.ts`.
 */
import type { Operation } from '../../shared/api/operation.ts';
import type { Person, Token } from '../../shared/api/records.ts';
import { type FieldError, ServiceError } from '../../shared/errors.ts';
import type { Scope } from '../../shared/identity.ts';
import { SCOPES_OF_ROLE } from '../../shared/roles.ts';
import { type Reach, reachOf } from './reach.ts';

/** The message for every caller without a valid token, whatever the request. */
export const NOT_AUTHORIZED = 'ERROR: Not authorized';

/** A token as requests use it. */
export interface ValidToken extends Token {
  /** The nearest token before it that is limited to certain sites; null when there is none. */
  ancestor: string | null;
  /** Tokens with which it ends. */
  givers?: string[] | undefined;
}

/** Who makes a request, and what they may do by it. */
export interface Caller {
  /** Its `scopes` are those that hold at each site of `reach`; its `sites` what a person is shown of that. */
  token: ValidToken;
  person: Person | null;
  /** Whether the token was presented by the secret that it had before its last one. */
  isByFormer: boolean;
  /** The sites that they may use, for the scope that the operation demands. */
  reach: Reach;
}

/** Who has the slots that a call takes: a person, or a token with all that were made of it, because more tokens must not give more slots. */
export function userOf({ person, token }: Pick<Caller, 'person' | 'token'>): string {
  return person?.id ?? token.ancestor ?? token.id;
}

/**
 * A person's token can do what both its own scopes and sites and the grants of that person allow now. Of grants with
 * different roles, those count that have the scope.
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

/** What an operation that needs a token demands of its scopes. */
export type NeededScope = NonNullable<Operation['scope']>;

export function hasScope({ scopes }: Pick<Token, 'scopes'>, needed: NeededScope): boolean {
  return needed === 'any' || scopes.includes(needed);
}

/** @throws {ServiceError} `forbidden`, as without a token; only the holder of a valid one learns which scope it lacks */
export function requireScope(token: Token, scope: NeededScope): void {
  if (hasScope(token, scope)) return;
  const fields = [{ path: 'header.authorization', message: `the token lacks the scope ${scope}` }];
  throw new ServiceError('forbidden', NOT_AUTHORIZED, { fields });
}

/** The end of a token, which those that it makes do not outlive; null for none. A session ends, but its person stays. */
export function endOf({ purpose, expiresAt }: Token): string | null {
  return purpose === 'session' ? null : expiresAt;
}

/** What is wrong with the end that is wanted for a token; null: that it has none. */
export function lifeBeyond(maker: Token, expiresAt: string | null | undefined, now: Date): FieldError[] {
  if (expiresAt === undefined) return [];
  const refuse = (message: string) => [{ path: 'expiresAt', message }];
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return refuse('expected a time in the future');
  const end = endOf(maker);
  const isBeyond = end !== null && (expiresAt === null || Date.parse(expiresAt) > Date.parse(end));
  return isBeyond ? refuse(`expected ${end} or earlier, because the token of this request expires then`) : [];
}

/**
 * The former secret of a token is for those who have not heard of the new one. A thief of it may make nothing that is
 * valid when it is not any more.
 * @throws {ServiceError} `conflict`
 */
export function requireCurrentSecret({ isByFormer }: Caller): void {
  if (!isByFormer) return;
  throw new ServiceError('conflict', 'The token of this request has a new secret: only with that one can it do this');
}
