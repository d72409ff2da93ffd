/** Agents that are lost and back, and sites that go dark with their last one. */

import { type AgentId, nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Reason } from '../../../shared/reasons.ts';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import { ALL_SITES } from '../../http/reach.ts';
import type { Connected } from '../../sites/agents/agent-row.ts';
import type { Stores } from '../../stores.ts';
import { type Observed, observe } from './observe.ts';
import type { SiteState } from './site-state.ts';

/** Older changes are recorded without an event: they were noticed late. */
const NEWS_FOR_MS = 24 * 3_600_000;
/** Sites that go dark within this time do so for the same reason. */
const TOGETHER_MS = 3 * 60_000;
const MAX_SITES = 1_000;
/** Sites whose internet provider is read. */
const MAX_READ = 20;

/** Idempotent: compares the agents' connections with the state, and records events of the difference, which no call misses. */
type ConnectionStores = Pick<Stores, 'devices' | 'sites' | 'siteStates'>;

export async function observeConnections(stores: ConnectionStores, site: SiteId, now: Date): Promise<void> {
  const agents = await stores.sites.connected(site);
  const evidence = once((at: number, provider: string | null) => whyDark(stores, site, at, provider));
  await observe(stores, site, null, async (state) => {
    const observed = takeConnections(state, site, agents, now.getTime());
    const dark = observed?.occurrences.find(({ type }) => type === 'site-dark');
    if (observed === null || dark === undefined) return observed;
    const reasonCode = await evidence(dark.at * 1000, state.address?.provider ?? null);
    const because = { detail: { why: reasonSentence(reasonCode) }, reasonCode };
    return {
      ...observed,
      occurrences: observed.occurrences.map((one) => (one === dark ? { ...one, ...because } : one)),
    };
  });
}

/** @param known all that were ever connected. A missing one has been revoked, which needs no event */
export function takeConnections(
  before: SiteState,
  site: SiteId,
  known: readonly Connected[],
  now: number,
): Observed | null {
  // While two agents with one identity evict each other, the agent is neither lost nor back, and its site is not dark.
  const agents = known.map((one) => (one.doubled === undefined ? one : { ...one, isConnected: null }));
  const occurrences: Occurrence[] = [];
  const isNews = (at: number) => now - at < NEWS_FOR_MS;
  const lost: SiteState['lost'] = {};
  for (const { agent, isConnected, since, doubled } of agents) {
    const name = nameOfAgent(agent);
    const lostSince = before.lost[name];
    if (doubled !== undefined) {
      lost[name] = lostSince ?? doubled.at;
      const { at, why, reasonCode } = doubled;
      if (lostSince === undefined)
        occurrences.push({ ...ofAgent('agent-lost', agent, at), detail: { why }, reasonCode });
    } else if (isConnected === false) {
      lost[name] = lostSince ?? since;
      if (lostSince === undefined && isNews(since)) occurrences.push(ofAgent('agent-lost', agent, since));
    } else if (lostSince !== undefined) {
      if (isConnected === null) lost[name] = lostSince;
      else occurrences.push(ofAgent('agent-back', agent, since, lostSince));
    }
  }
  const isDark = agents.length > 0 && agents.every(({ isConnected }) => isConnected === false);
  const isLit = agents.length === 0 || agents.some(({ isConnected }) => isConnected);
  let { darkSince } = before;
  if (isDark && darkSince === null) {
    darkSince = Math.max(...agents.map(({ since }) => since));
    if (isNews(darkSince)) occurrences.push(ofSite('site-dark', site, darkSince));
  } else if (isLit && darkSince !== null) {
    const back = agents.flatMap(({ isConnected, since }) => (isConnected ? [since] : []));
    if (back.length > 0) occurrences.push(ofSite('site-back', site, Math.min(...back), darkSince));
    darkSince = null;
  }
  const after = { ...before, lost, darkSince, ...internetOf(before, agents) };
  return occurrences.length === 0 && JSON.stringify(after) === JSON.stringify(before)
    ? null
    : { state: after, occurrences };
}

/** Drops what revoked agents have reported of the internet. */
function internetOf(
  { internet, internetLostSince }: SiteState,
  agents: readonly Connected[],
): Pick<SiteState, 'internet' | 'internetLostSince'> {
  const names = new Set(agents.map(({ agent }) => nameOfAgent(agent)));
  const after = Object.fromEntries(Object.entries(internet).filter(([name]) => names.has(name)));
  const isLost = Object.values(after).some(({ ok }) => !ok);
  return { internet: after, internetLostSince: isLost ? internetLostSince : null };
}

function ofAgent(type: 'agent-lost' | 'agent-back', agent: AgentId, at: number, lostSince?: number): Occurrence {
  const subject = { kind: 'agent' as const, id: agent, name: nameOfAgent(agent) };
  return { type, at: Math.floor(at / 1000), subject, ...lasting(at, lostSince) };
}

function ofSite(type: 'site-dark' | 'site-back', site: SiteId, at: number, darkSince?: number): Occurrence {
  const subject = { kind: 'site' as const, id: site, name: site };
  return { type, at: Math.floor(at / 1000), subject, ...lasting(at, darkSince) };
}

function lasting(at: number, since: number | undefined): Pick<Occurrence, 'detail'> {
  return since === undefined ? {} : { detail: { seconds: Math.max(0, Math.round((at - since) / 1000)) } };
}

/** The evidence of other sites. Those that go dark later are not known yet. */
async function whyDark(
  { sites, siteStates }: ConnectionStores,
  site: SiteId,
  at: number,
  provider: string | null,
): Promise<Reason> {
  const { sites: all } = await sites.page(ALL_SITES, null, MAX_SITES);
  const dark = all.filter(({ id, staleSince }) => {
    return id !== site && staleSince !== null && Math.abs(Date.parse(staleSince) - at) <= TOGETHER_MS;
  });
  if (dark.length === 0) return { code: 'no-other-site-dark' };
  const states = await Promise.all(dark.slice(0, MAX_READ).map(({ id }) => siteStates.read(id)));
  const same = states.filter(({ state }) => provider !== null && state.address?.provider === provider).length;
  const named = same === 0 || provider === null ? {} : { provider };
  return { code: 'other-sites-dark', values: { sites: dark.length, same, ...named } };
}

function once<Arguments extends unknown[], T>(work: (...given: Arguments) => Promise<T>) {
  let made: Promise<T> | null = null;
  return (...given: Arguments) => (made ??= work(...given));
}
