/** What agents have measured at a site, written into its stores as if they had reported it. Nothing is sent into any network. */
import { observe } from '../../functions/monitoring/outages/observe.ts';
import { MAX_SPEEDS } from '../../functions/monitoring/outages/site-state.ts';
import { BATCH_MS, type Point } from '../../shared/agent/measurements.ts';
import { agentId, type SiteId } from '../../shared/identity.ts';
import type { FilledSystem } from './filled-system.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RUNS = BATCH_MS / MINUTE_MS;

/** A check that has failed for so many hours, and why. */
export interface Failing {
  check: string;
  hours: number;
  reason: string;
}

/** The checks of a site are judged as up, and the internet as there, but for one that has failed for so many hours. */
export async function addVerdicts(
  { context }: FilledSystem,
  site: SiteId,
  checks: readonly string[],
  { agent = 'main', failing }: { agent?: string; failing?: Failing } = {},
): Promise<void> {
  const now = Date.now();
  const since = now - DAY_MS;
  const downAt = now - (failing?.hours ?? 0) * 60 * MINUTE_MS;
  const up = checks.filter((check) => check !== failing?.check);
  const wrong =
    failing === undefined
      ? {}
      : {
          downSince: { [failing.check]: downAt },
          failing: { [failing.check]: { [agent]: { since: downAt, reason: failing.reason } } },
        };
  await observe(context, site, agentId(site, agent), (state) => ({
    state: {
      ...state,
      ...wrong,
      upSince: { ...state.upSince, ...Object.fromEntries(up.map((check) => [check, since])) },
      internet: { ...state.internet, [agent]: { ok: true, since, gateway: true } },
    },
    occurrences: [],
  }));
}

/** Runs of checks, one a minute, by an agent that is enrolled; it measured nothing between `gap[0]` and `gap[1]` hours ago. */
export async function addRuns(
  { context }: FilledSystem,
  site: SiteId,
  checks: readonly string[],
  {
    hours,
    gap = [0, 0],
    agent = 'main',
    failing,
  }: { hours: number; gap?: readonly [from: number, to: number]; agent?: string; failing?: Failing },
): Promise<void> {
  const { series } = context;
  const end = Math.floor(Date.now() / BATCH_MS) * BATCH_MS;
  let before: number | null = null;
  for (let from = end - hours * 60 * MINUTE_MS; from < end; from += BATCH_MS) {
    const hoursAgo = (end - from) / (60 * MINUTE_MS);
    if (hoursAgo <= gap[0] && hoursAgo > gap[1]) continue;
    const sections = checks.map((id, i): [string, Point[]] => [
      id,
      Array.from({ length: RUNS }, (_, run) => {
        const second = run * (MINUTE_MS / 1000);
        if (id === failing?.check && hoursAgo <= failing.hours) return [second, null, 5, 5, null];
        return pointAt(from + run * MINUTE_MS, second, 2 + i * 9);
      }),
    ]);
    await series.record(agentId(site, agent), { from, before, checks: sections });
    before = from;
  }
}

/** Slower in the evening, with a minute here and there that is lost. */
function pointAt(at: number, second: number, usualMs: number): Point {
  const minute = Math.floor(at / MINUTE_MS);
  const evening = 1 + 0.6 * Math.max(0, Math.sin((at / DAY_MS) * 2 * Math.PI));
  const rtt = usualMs * evening * (1 + ((minute * 7919) % 100) / 250);
  if (minute % 211 === 0) return [second, null, 5, 5, null];
  return [second, Math.round(rtt * 1000) / 1000, 5, minute % 97 === 0 ? 1 : 0, 0.2];
}

/** The speed of a line by contract, in Mbit/s. */
export interface Line {
  down: number;
  up: number;
  provider: string;
  address: string;
}

const DSL: Line = { down: 250, up: 48, provider: 'AS64500 Example Networks', address: '203.0.113.7' };

/** Four speed tests a day, and a public address that has changed once. */
export async function addSpeeds(
  { context }: FilledSystem,
  site: SiteId,
  days: number,
  { down, up, provider, address }: Line = DSL,
): Promise<void> {
  const { months, ...stores } = context;
  const now = Math.floor(Date.now() / 1000);
  const speeds = Array.from({ length: days * 4 }, (_, i) => {
    const at = now - (days * 4 - i) * 21_600 + 20_000;
    const isLast = i === days * 4 - 1;
    const part = isLast ? 1 : (i % 23 === 0 ? 0.4 : 1) * (0.93 + ((i * 37) % 20) / 280);
    return {
      at,
      downMbps: rounded(down * part),
      upMbps: rounded(up * part),
      pingMs: 11 + ((i * 7) % 4),
      agent: 'main',
    };
  });
  await months.addSpeeds(site, speeds);
  await months.addAddresses(site, [
    { at: now - 20 * 86_400, address: '198.51.100.7', provider, agent: 'main' },
    { at: now - 86_400, address, provider, agent: 'main' },
  ]);
  const remembered = speeds.slice(-MAX_SPEEDS).map(({ at, downMbps, upMbps, pingMs, agent }) => ({
    ...{ at: at * 1000, agent, down: downMbps, up: upMbps, ping: pingMs },
  }));
  const since = (now - 86_400) * 1000;
  await observe(stores, site, agentId(site, 'main'), (state) => ({
    state: { ...state, speeds: remembered, address: { address, provider, since, agent: 'main' } },
    occurrences: [],
  }));
}

const rounded = (mbps: number) => Math.round(mbps * 10) / 10;

/** An outage of these devices, and the internet that was away meanwhile. */
export async function addOutage(
  { context }: FilledSystem,
  site: SiteId,
  members: readonly string[],
  hoursAgo = 1,
): Promise<void> {
  const at = Math.floor(Date.now() / 1000) - hoursAgo * 3_600;
  const outage = { kind: 'outage', id: `${at}`, name: '' } as const;
  const internet = { kind: 'internet', id: site, name: site } as const;
  await context.devices.change(site, { actor: `${site}:main`, cause: 'observation' }, async () => ({
    put: [],
    remove: [],
    occurrences: [
      {
        type: 'outage',
        at,
        subject: outage,
        count: members.length,
        members: [...members],
        detail: { cause: 'power', why: '4 of 4 devices were seen last at the same time' },
        reasonCode: { code: 'gone-together', values: { gone: members.length, of: members.length, seconds: 0 } },
      },
      { type: 'outage-over', at: at + 720, subject: outage, detail: { seconds: 720, back: members.length, still: 0 } },
      {
        type: 'internet-back',
        at: at + 700,
        subject: internet,
        detail: { seconds: 690, why: 'the gateway does not answer' },
        reasonCode: { code: 'gateway-silent' },
      },
    ],
  }));
}
