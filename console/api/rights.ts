/** What the token of this session may do. What it may not do is not offered. */
import type { Scope } from '../../shared/identity.ts';
import { useAnswer } from './queries.ts';

export interface Rights {
  /** Id of the token, by which events and jobs name their actor. */
  tokenId: string;
  tokenName: string;
  createdAt: string | null;
  expiresAt: string | null;
  /** Why it is not known what the token may do; null as long as nothing has gone wrong. */
  problem: Error | null;
  /** Asks again. */
  retry(): void;
  may(scope: Scope): boolean;
  /** Whether the token is for all sites, those that do not exist yet included. */
  isForAllSites: boolean;
}

/** What a token may do does not change; its end is seen by whichever request comes next. */
const POLL_MS = 10 * 60_000;

/** Before the answer is here, nothing is offered. */
export function useRights(): Rights {
  const { data, error, refetch } = useAnswer('GET /tokens/self', {}, { everyMs: POLL_MS });
  return {
    tokenId: data?.id ?? '',
    tokenName: data?.name ?? '',
    createdAt: data?.createdAt ?? null,
    expiresAt: data?.expiresAt ?? null,
    problem: data === undefined ? error : null,
    retry: () => void refetch(),
    may: (scope) => data?.scopes.includes(scope) ?? false,
    isForAllSites: data?.sites === '*',
  };
}
