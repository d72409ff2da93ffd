/** How fast devices answer: what their ping checks have measured last, beside what is usual. */
import type { DeviceLatency } from '../../../shared/api/device-presence.ts';
import type { DeviceKey } from '../../devices/collection/device-codec.ts';
import type { Snapshot } from '../../devices/collection/snapshot.ts';
import type { Stores } from '../../stores.ts';
import { connectedAgents } from '../checks/check-standing.ts';
import type { LastRun } from './series-store.ts';

/** Hours before, by which it is judged what is usual. */
const USUAL_HOURS = 6;
/** What counts as high is that many times the mean, and that much above it: a short way varies by a multiple. */
const HIGH = { times: 2, aboveMs: 5 };
/** What is kept with a collection is read again after that. Agents tell every five minutes what they have measured. */
const KEEP_MS = 60_000;

/**
 * By the keys of the devices; without those that no check asks or that do not answer. Where several agents ask, that of the
 * fastest. Read at most once a minute for a version of a collection: the checks and the agents of the site, which are small
 * rows, and seven rows at most of the measurements of each agent that is connected.
 */
export function latencyOf(stores: LatencyStores, snapshot: Snapshot, now: Date): Promise<Latencies> {
  const minute = Math.floor(now.getTime() / KEEP_MS);
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

/** Infinite when none of the runs had an answer. */
function meanMs({ run: { runs, failed, rttSum } }: LastRun): number {
  return failed < runs ? Math.round(rttSum / (runs - failed)) / 1000 : Infinity;
}
