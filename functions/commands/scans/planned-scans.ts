/** The shards of scans in the plans of a site's agents: who takes which. */
import { createHash } from 'node:crypto';
import { MAX_SCAN_MS, type PlannedScan } from '../../../shared/agent/plan.ts';
import type { Agent } from '../../../shared/api/records.ts';
import { shardsOf } from '../../../shared/api/scans.ts';
import { type AgentId, nameOfAgent, type SiteId } from '../../../shared/identity.ts';
import { formatRange, type IpRange, parseRange, range, rangesOverlap } from '../../../shared/network.ts';
import { longestPrefix } from '../choose-agent.ts';
import { giveUp, isOpen } from './scan-progress.ts';
import type { ScanStore, StoredScan } from './scan-store.ts';

/**
 * Each shard that has no result yet is in the plan of one agent. Those that go on, and have no shard of a scan left, have the
 * scan in their plan as well: what is not in the plan is stopped.
 */
export async function plannedScans(
  { scans }: { scans: ScanStore },
  { site, agents }: { site: { id: SiteId }; agents: readonly Agent[] },
): Promise<(agent: string) => PlannedScan[]> {
  const { scans: known } = await scans.list(site.id);
  const running = known.filter(({ state }) => state === 'running').reverse();
  const dealt = running.map((scan) => ({ scan, shards: deal(scan, agents) }));
  return (agent) =>
    dealt.map(({ scan: { id, mode, protocol, startedAt }, shards }) => ({
      ...{ id, mode, protocol, startedAt },
      shards: shards.get(agent) ?? [],
    }));
}

/** Ends the scans that have not come to their end within a week. */
export async function giveUpScans({ scans }: { scans: ScanStore }, site: SiteId, now: Date): Promise<void> {
  const { scans: known } = await scans.list(site);
  for (const { id, state, startedAt } of known) {
    if (state !== 'running' || startedAt > now.getTime() - MAX_SCAN_MS) continue;
    await scans.change(site, id, (before) => giveUp(before, now.getTime()));
  }
}

/** Who takes a shard follows from the shard, so that most stay where they are when an agent comes or goes. */
export function deal(
  scan: Pick<StoredScan, 'id' | 'range' | 'mode' | 'protocol' | 'shards'>,
  agents: readonly Agent[],
): Map<string, PlannedScan['shards']> {
  const staying = agents.filter(({ state }) => state === 'online');
  const able = staying.length === 0 ? agents : staying;
  const dealt = new Map<string, PlannedScan['shards']>();
  for (const [number, shard] of shardsOf(range(scan.range), scan).entries()) {
    const known = scan.shards[number];
    if (known === undefined || !isOpen(known) || able.length === 0) continue;
    // The next attempt is made by the next agent.
    const taker = ranked(able, shard, `${scan.id} ${number}`)[known.failed % able.length];
    const name = nameOfAgent(taker?.id ?? '');
    dealt.set(name, [...(dealt.get(name) ?? []), [number, formatRange(shard), known.failed + 1]]);
  }
  return dealt;
}

/** Those that are attached to the shard come first, then those that are attached to a part of it. */
function ranked(agents: readonly Agent[], shard: IpRange, seed: string): Agent[] {
  return agents
    .map((agent) => ({ agent, nearness: nearness(agent, shard), turn: turnOf(agent.id, seed) }))
    .sort((a, b) => b.nearness - a.nearness || (a.turn < b.turn ? -1 : 1))
    .map(({ agent }) => agent);
}

function nearness({ networks }: Agent, shard: IpRange): number {
  if (longestPrefix(networks, shard) >= 0) return 2;
  const ranges = networks.map(parseRange).filter((one) => one !== null && one.prefix > shard.prefix);
  return ranges.some((one) => one !== null && rangesOverlap(one, shard)) ? 1 : 0;
}

function turnOf(agent: AgentId, seed: string): string {
  return createHash('sha256').update(`${seed} ${agent}`).digest('hex');
}
