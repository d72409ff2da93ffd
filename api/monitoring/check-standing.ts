/** How checks stand: what the state of their site says of them, and what was measured last. */
import type { Check } from '../../shared/api/checks.ts';
import type { Agent } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import type { StoredCheck } from '../../store/monitoring/check-store.ts';
import type { SiteState } from '../../store/monitoring/site-state.ts';
import type { Stores } from '../../store/stores.ts';
import { type MadeCheck, madeChecks, readAddresses } from './check-makers.ts';

type Standing = Pick<Check, 'state' | 'since' | 'reason' | 'certificateEndsAt' | 'path' | 'measured'>;

/** The agents of a site that are connected. */
export async function connectedAgents({ sites }: Pick<Stores, 'sites'>, site: SiteId): Promise<Agent[]> {
  return (await sites.agents(site)).filter(({ state }) => state === 'online' || state === 'draining');
}

/** These checks of a site, as they are shown. */
export async function shownChecks(
  stores: Pick<Stores, 'devices' | 'sites' | 'siteStates'>,
  site: SiteId,
  checks: readonly StoredCheck[],
): Promise<Check[]> {
  if (checks.length === 0) return [];
  const [agents, addresses, { state }] = await Promise.all([
    connectedAgents(stores, site),
    readAddresses(stores, site, checks),
    stores.siteStates.read(site, { consistent: true }),
  ]);
  return madeChecks(checks, agents, addresses).map((made) => {
    const { id, ...settings } = made.check;
    return { id, site, ...settings, ...standingOf(made, state) };
  });
}

export function standingOf(made: MadeCheck, state: SiteState): Standing {
  const { id } = made.check;
  const certificate = state.certificates[id];
  const paths = state.paths[id] ?? {};
  const [from = ''] = made.makers.filter((agent) => paths[agent] !== undefined);
  return {
    ...verdictOf(made, state),
    certificateEndsAt: certificate === undefined ? null : timeOf(certificate.endsAt),
    path: paths[from] ?? null,
    measured: [],
  };
}

function verdictOf(
  { check, probe, makers }: MadeCheck,
  state: SiteState,
): Pick<Standing, 'state' | 'since' | 'reason'> {
  const { id, kind, enabled } = check;
  const since = (kind === 'internet' ? state.internetLostSince : state.downSince[id]) ?? null;
  const up = state.upSince[id];
  // What nobody asks at the moment, nobody knows.
  if (!enabled || probe === null || makers.length === 0) return { state: 'unknown', since: null, reason: null };
  if (since !== null) return { state: 'down', since: timeOf(since), reason: reasonOf(check, makers, state) };
  if (up === undefined) return { state: 'unknown', since: null, reason: null };
  return { state: 'up', since: timeOf(up), reason: null };
}

function reasonOf(
  { id, kind }: StoredCheck,
  makers: readonly string[],
  { failing, offline }: SiteState,
): string | null {
  if (kind !== 'internet') return makers.flatMap((agent) => failing[id]?.[agent]?.reason || []).at(0) ?? null;
  const gateway = makers.flatMap((agent) => offline[agent] ?? []).at(0)?.gateway ?? null;
  if (gateway === null) return null;
  return gateway ? 'the gateway answers, the internet behind it does not' : 'the gateway does not answer';
}

const timeOf = (ms: number) => new Date(ms).toISOString();
