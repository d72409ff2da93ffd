/** What the token of this session may do. What it may not do is not offered. */
import type { Scope } from '../../shared/identity.ts';
import { useAnswer } from './queries.ts';

export interface Rights {
  /** Id of the token, by which events and jobs name their actor. */
  tokenId: string;
  tokenName: string;
  expiresAt: string | null;
  may(scope: Scope): boolean;
  /** Whether the token is for all sites, those that do not exist yet included. */
  isForAllSites: boolean;
}

const NONE: Rights = { tokenId: '', tokenName: '', expiresAt: null, may: () => false, isForAllSites: false };

/** Before the answer is here, nothing is offered. */
export function useRights(): Rights {
  const { data } = useAnswer('GET /tokens/self', {}, { everyMs: 60_000 });
  if (data === undefined) return NONE;
  return {
    tokenId: data.id,
    tokenName: data.name,
    expiresAt: data.expiresAt,
    may: (scope) => data.scopes.includes(scope),
    isForAllSites: data.sites === '*',
  };
}
