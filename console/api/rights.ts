/** What the token of this session may do. What it may not do is not offered. */
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
  /** Id of the person whose token it is; null for none. */
  person: string | null;
  /** Whether it began with signing in by the provider, and is over when the person signs out. */
  isSession: boolean;
  createdAt: string | null;
  expiresAt: string | null;
  /** Why it is not known what the token may do; null as long as nothing has gone wrong. */
  problem: Error | null;
  /** Asks again. */
  retry(): void;
  /** On the site that the screen is about; on any, where it is about none. */
  may(scope: Scope): boolean;
  /** Whether the token is for all sites, those that do not exist yet included; of a person, whether they administer them. */
  isForAllSites: boolean;
}

/** What a token may do seldom changes; its end is seen by whichever request comes next. */
const POLL_MS = 10 * 60_000;

/** Before the answer is here, nothing is offered. */
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
