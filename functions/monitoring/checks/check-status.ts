/** The status of checks: from the state of their site, and their last measurements. */
import type * as z from 'zod';
import type { Check, CheckMeasured as CheckMeasuredSchema } from '../../../shared/api/checks.ts';
import type { Agent } from '../../../shared/api/records.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import { timeOf } from '../../../shared/time.ts';
import type { Stores } from '../../stores.ts';
import type { SiteState } from '../outages/site-state.ts';
import type { LastRun } from '../series/series-store.ts';
import { type MadeCheck, madeChecks, readAddresses } from './check-makers.ts';
import type { StoredCheck } from './check-store.ts';

type Result = Pick<Check, 'state' | 'since' | 'reason' | 'reasonCode'>;
type Status = Result & Pick<Check, 'certificateEndsAt' | 'path'>;
type CheckMeasured = z.infer<typeof CheckMeasuredSchema>;

export async function connectedAgents({ sites }: Pick<Stores, 'sites'>, site: SiteId): Promise<Agent[]> {
  return (await sites.agents(site)).filter(({ state }) => state === 'online' || state === 'draining');
}

export async function shownChecks(
  stores: Pick<Stores, 'devices' | 'sites' | 'siteStates' | 'series'>,
  site: SiteId,
  checks: readonly StoredCheck[],
): Promise<Check[]> {
  if (checks.length === 0) return [];
  const [agents, addresses, { state }] = await Promise.all([
    connectedAgents(stores, site),
    readAddresses(stores, site, checks),
    stores.siteStates.read(site, { consistent: true }),
  ]);
  const longest = Math.max(...checks.map(({ everySeconds }) => everySeconds));
  const ids = agents.map(({ id }) => id);
  const runs = await stores.series.lastRuns(ids, longest);
  const measured = new Map<string, CheckMeasured[]>();
  for (const run of runs) measured.set(run.check, [...(measured.get(run.check) ?? []), shownRun(run)]);
  return madeChecks(checks, agents, addresses).map((made) => {
    const { id, ...settings } = made.check;
    return { id, site, ...settings, ...statusOf(made, state), measured: measured.get(id) ?? [] };
  });
}

function statusOf(made: MadeCheck, state: SiteState): Status {
  const { id } = made.check;
  const { endsAt } = state.certificates[id] ?? {};
  const [path = null] = made.makers.flatMap((agent) => [state.paths[id]?.[agent]].filter((hops) => hops !== undefined));
  return { ...resultOf(made, state), certificateEndsAt: endsAt === undefined ? null : timeOf(endsAt), path };
}

function resultOf({ check, probe, makers }: MadeCheck, state: SiteState): Result {
  const { id, kind, enabled } = check;
  // Unknown while no agent runs it.
  if (!enabled || probe === null || makers.length === 0) return UNKNOWN;
  if (kind === 'internet') return internetOf(makers, state);
  const { [id]: down } = state.downSince;
  const { [id]: up } = state.upSince;
  const why = makers.map((agent) => state.failing[id]?.[agent]).find((said) => said?.reason);
  if (down !== undefined)
    return { state: 'down', since: timeOf(down), reason: why?.reason ?? null, reasonCode: why?.reasonCode };
  return up === undefined ? UNKNOWN : { state: 'up', since: timeOf(up), reason: null };
}

const UNKNOWN = { state: 'unknown', since: null, reason: null } as const;

function internetOf(makers: readonly string[], { internet, internetLostSince }: SiteState): Result {
  const said = makers.flatMap((agent) => internet[agent] ?? []);
  if (internetLostSince !== null) {
    const gateway = said.find(({ ok }) => !ok)?.gateway ?? null;
    const lost = { state: 'down', since: timeOf(internetLostSince) } as const;
    if (gateway === null) return { ...lost, reason: null };
    const reasonCode = { code: gateway ? 'internet-behind-gateway' : 'gateway-silent' } as const;
    return { ...lost, reason: reasonSentence(reasonCode), reasonCode };
  }
  const well = said.filter(({ ok }) => ok).map(({ since }) => since);
  return well.length === 0 ? UNKNOWN : { state: 'up', since: timeOf(Math.min(...well)), reason: null };
}

function shownRun({ agent, run }: LastRun): CheckMeasured {
  const { at, failed, sent, lost, rttSum, jitterRuns, jitterSum } = run;
  return {
    agent,
    at: timeOf(at * 1000),
    rttMs: failed > 0 ? null : rttSum / 1000,
    lossPercent: Math.round((lost / sent) * 1000) / 10,
    jitterMs: jitterRuns === 0 ? null : jitterSum / 1000,
  };
}
