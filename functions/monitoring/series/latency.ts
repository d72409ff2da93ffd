/** Latency of devices: the last measurements of their ping checks, compared with the usual ones. */
import type { DeviceLatency } from '../../../shared/api/device-presence.ts';
import type { DeviceKey } from '../../devices/collection/device-codec.ts';
import type { Snapshot } from '../../devices/collection/snapshot.ts';
import type { Stores } from '../../stores.ts';
import { connectedAgents } from '../checks/check-status.ts';
import type { LastRun } from './series-store.ts';

const USUAL_HOURS = 6;
/** High is this many times the mean, and this much above it: short latencies vary by a multiple. */
const HIGH = { times: 2, aboveMs: 5 };

/**
 * By the keys of the devices; without those that no check pings or that do not reply. Of several agents the fastest counts.
 * Read at most once a minute for a version of a collection, because agents report every five minutes: the checks and agents
 * of the site, which are small rows, and at most seven rows of measurements of each connected agent.
 */
export function latencyOf(stores: LatencyStores, snapshot: Snapshot, now: Date): Promise<Latencies> {
  const minute = Math.floor(now.getTime() / 60_000);
  return snapshot.deriveFor('latency', String(minute), () => readLatency(stores, snapshot));
}

type LatencyStores = Pick<Stores, 'checks' | 'sites' | 'series'>;
type Latencies = ReadonlyMap<DeviceKey, DeviceLatency>;

async function readLatency(stores: LatencyStores, snapshot: Snapshot): Promise<Latencies> {
  const { site } = snapshot;
  const { checks } = await stores.checks.list(site);
  const pings = checks.filter(({ kind, device, enabled }) => kind === 'ping' && device !== undefined && enabled);
  const latencies = new Map<DeviceKey, DeviceLatency>();
  if (pings.length === 0) return latencies;
  const agents = (await connectedAgents(stores, site)).map(({ id }) => id);
  const longest = Math.max(...pings.map(({ everySeconds }) => everySeconds));
  const [last, before] = await Promise.all([
    stores.series.lastRuns(agents, longest),
    stores.series.lastHours(agents, USUAL_HOURS),
  ]);
  const usual = new Map(before.map((run) => [nameOf(run), meanMs(run)]));
  for (const { id, device = '' } of pings) {
    const runs = last.filter(({ check, run }) => check === id && run.failed < run.runs);
    const [fastest] = runs.sort((a, b) => meanMs(a) - meanMs(b));
    const key = snapshot.deviceOf(device)?.key;
    if (fastest === undefined || key === undefined) continue;
    const ms = meanMs(fastest);
    const mean = usual.get(nameOf(fastest)) ?? Infinity;
    latencies.set(key, { ms, isHigh: ms > Math.max(HIGH.times * mean, mean + HIGH.aboveMs) });
  }
  return latencies;
}

const nameOf = ({ agent, check }: LastRun) => `${agent} ${check}`;

/** Infinite when no run had a reply. */
function meanMs({ run: { runs, failed, rttSum } }: LastRun): number {
  return failed < runs ? Math.round(rttSum / (runs - failed)) / 1000 : Infinity;
}
