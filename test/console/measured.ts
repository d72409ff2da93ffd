/** What agents have measured at a site, written into its stores as if they had told it. Nothing is sent into any network. */
import { BATCH_MS, type Point } from '../../shared/agent/measurements.ts';
import { agentId, type SiteId } from '../../shared/identity.ts';
import type { TestSystem } from '../test-system.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RUNS = BATCH_MS / MINUTE_MS;

/** Runs of checks, one a minute, by an agent that is enrolled; nobody has measured between `gap[0]` and `gap[1]` hours ago. */
export async function addRuns(
  { system }: TestSystem,
  site: SiteId,
  checks: readonly string[],
  { hours, gap = [0, 0] }: { hours: number; gap?: readonly [from: number, to: number] },
): Promise<void> {
  const { series } = system.parts.context;
  const end = Math.floor(Date.now() / BATCH_MS) * BATCH_MS;
  let before: number | null = null;
  for (let from = end - hours * 60 * MINUTE_MS; from < end; from += BATCH_MS) {
    const hoursAgo = (end - from) / (60 * MINUTE_MS);
    if (hoursAgo <= gap[0] && hoursAgo > gap[1]) continue;
    const sections = checks.map((id, i): [string, Point[]] => [
      id,
      Array.from({ length: RUNS }, (_, run) => pointAt(from + run * MINUTE_MS, run * (MINUTE_MS / 1000), 2 + i * 9)),
    ]);
    await series.record(agentId(site, 'main'), { from, before, checks: sections });
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

/** Four speed tests a day, and a public address that has changed once. */
export async function addSpeeds({ system }: TestSystem, site: SiteId, days: number): Promise<void> {
  const { months } = system.parts.context;
  const now = Math.floor(Date.now() / 1000);
  const speeds = Array.from({ length: days * 4 }, (_, i) => {
    const at = now - (days * 4 - i) * 21_600 + 3_600;
    const slow = i % 23 === 0 ? 0.4 : 1;
    return {
      at,
      downMbps: slow * (240 + ((i * 37) % 20)),
      upMbps: slow * (46 + ((i * 13) % 5)),
      pingMs: 11 + ((i * 7) % 4),
      agent: 'main',
    };
  });
  await months.addSpeeds(site, speeds);
  const provider = 'AS64500 Example Networks';
  await months.addAddresses(site, [
    { at: now - 20 * 86_400, address: '198.51.100.7', provider, agent: 'main' },
    { at: now - 86_400, address: '203.0.113.7', provider, agent: 'main' },
  ]);
}

/** An outage of these devices an hour ago, and the internet that was away meanwhile. */
export async function addOutage({ system }: TestSystem, site: SiteId, members: readonly string[]): Promise<void> {
  const at = Math.floor(Date.now() / 1000) - 3_600;
  const outage = { kind: 'outage', id: `${at}`, name: '' } as const;
  const internet = { kind: 'internet', id: site, name: site } as const;
  await system.parts.context.devices.change(site, { actor: `${site}:main`, cause: 'observation' }, async () => ({
    put: [],
    remove: [],
    told: [
      {
        type: 'outage',
        at,
        subject: outage,
        count: members.length,
        members: [...members],
        detail: { cause: 'power', why: 'they went in the same second, and so did their switch' },
      },
      { type: 'outage-over', at: at + 720, subject: outage, detail: { seconds: 720, back: members.length, still: 0 } },
      {
        type: 'internet-back',
        at: at + 700,
        subject: internet,
        detail: { seconds: 690, why: 'the gateway was away too' },
      },
    ],
  }));
}
