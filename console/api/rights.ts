/** The rights of the session's token. Screens offer nothing beyond them. */
import type { Scope } from '../../shared/identity.ts';
import { type Role, SCOPES_OF_ROLE } from '../../shared/roles.ts';
import { tagOfRef } from '../../shared/site-ref.ts';
import { useHashLocation } from '../ui/hash-location.ts';
import { siteOfAddress } from '../ui/site-of-address.ts';
import { useAnswer } from './queries.ts';
import { isSelected, type Selection } from './selection.ts';

export interface Rights {
  /** Id of the token, by which events and jobs name their actor. */
  tokenId: string;
  tokenName: string;
  /** Id of the person who owns the token; null for none. */
  person: string | null;
  /** Whether the token comes from signing in with the provider, and ends when the person signs out. */
  isSession: boolean;
  createdAt: string | null;
  expiresAt: string | null;
  /** Why the rights are unknown. */
  problem: Error | null;
  retry(): void;
  /** On the site of the screen; on any site, for a screen without one. */
  may(scope: Scope): boolean;
  /** Whether the token is for all sites, future ones included; of a person, whether they administer them. */
  isForAllSites: boolean;
}

/** Rights seldom change, and any request notices a revoked token. */
const POLL_MS = 10 * 60_000;

/** While the answer is pending, `may` is false. */
export function useRights(): Rights {
  const { data, error, refetch } = useAnswer('GET /tokens/self', {}, { everyMs: POLL_MS });
  const [location] = useHashLocation();
  const site = siteOfAddress(location);
  const isOfPerson = data !== undefined && data.person !== null;
  const own = useAnswer('GET /people/self', {}, { everyMs: POLL_MS, when: isOfPerson });
  const grants = isOfPerson ? (own.data?.person?.grants ?? []) : null;
  const isTagged = grants?.some(({ sites }) => sites !== '*' && sites.some((ref) => tagOfRef(ref) !== null)) ?? false;
  const { data: about } = useAnswer('GET /sites', {}, { everyMs: 60_000, when: isTagged && site !== null });
  const tags = about?.sites.find(({ id }) => id === site)?.tags ?? [];
  const holds = (sites: Selection) => site === null || isSelected(sites, { id: site, tags });
  return {
    tokenId: isOfPerson && own.data === undefined && own.error === null ? '' : (data?.id ?? ''),
    tokenName: data?.name ?? '',
    person: data?.person ?? null,
    isSession: data?.purpose === 'session',
    createdAt: data?.createdAt ?? null,
    expiresAt: data?.expiresAt ?? null,
    problem: data === undefined ? error : null,
    retry: () => void refetch(),
    may: (scope) =>
      (data?.scopes.includes(scope) ?? false) &&
      (grants === null || grants.some(({ role, sites }) => includes(role, scope) && holds(sites))),
    isForAllSites:
      data?.sites === '*' &&
      (grants === null || grants.some(({ role, sites }) => includes(role, 'admin') && sites === '*')),
  };
}

function includes(role: Role, scope: Scope): boolean {
  return SCOPES_OF_ROLE[role].includes(scope);
}
