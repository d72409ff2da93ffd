/** Stores measurements: points of checks, speed tests, public addresses. */
import type { Change } from '../../../shared/agent/measurements.ts';
import type { EndedJob } from '../../../shared/agent/messages.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../../shared/identity.ts';
import type { Log } from '../../../shared/log.ts';
import { formatIp, parseIp } from '../../../shared/network.ts';
import { legible, oneLine } from '../../../shared/text.ts';
import type { ToolResult } from '../../../shared/tools/list.ts';
import type { Assignment } from '../../commands/job-store.ts';
import { CLOCK_TOLERANCE_MS } from '../schedules/planned-results.ts';
import type { MonthStore } from './month-store.ts';
import type { Batch, SeriesStore } from './series-store.ts';

/** Whether this can be the time of a measurement (Unix, ms): agents keep a backlog of at most eight days. */
function isPlausible(at: number, now: Date): boolean {
  return at <= now.getTime() + CLOCK_TOLERANCE_MS && at >= now.getTime() - 8 * 86_400_000;
}

/** Stores a batch of points. Idempotent. A batch of an implausible time is dropped: the agent would only send it again. */
export async function storePoints(
  { series, now }: { series: SeriesStore; now(): Date },
  agent: AgentId,
  batch: Batch,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  if (isPlausible(batch.from, now())) return series.record(agent, batch);
  log.warn({ agentId: agent, from: batch.from }, 'dropped points of an implausible time');
}

/** Adds the public addresses in these changes to those of the site. Idempotent. */
export async function storeAddresses(
  { months, now }: { months: MonthStore; now(): Date },
  agent: AgentId,
  changes: readonly Change[],
): Promise<void> {
  const addresses = changes.flatMap((change) => {
    if (change.t !== 'address' || !isPlausible(change.at, now())) return [];
    const ip = parseIp(change.address);
    if (ip === null) return [];
    const provider = change.provider === null ? null : legible(oneLine(change.provider));
    return [{ at: Math.floor(change.at / 1000), address: formatIp(ip), provider, agent: nameOfAgent(agent) }];
  });
  await months.addAddresses(siteOfAgent(agent), addresses);
}

/** Adds the result of a speed test to those of its site. Ignores other results; idempotent. */
export async function storeSpeed(
  { months }: { months: MonthStore },
  { agent, command }: Pick<Assignment, 'agent' | 'command'>,
  { state, result, endedAt }: EndedJob,
): Promise<void> {
  if (command.tool !== 'speedtest' || state !== 'succeeded' || result === null) return;
  // Parsed by the schema of the tool, which the compiler cannot know.
  const { downloadMbps, uploadMbps, pingMs } = result as ToolResult<'speedtest'>;
  const at = Math.floor(endedAt / 1000);
  const speed = { at, downMbps: downloadMbps, upMbps: uploadMbps, pingMs, agent: nameOfAgent(agent) };
  await months.addSpeeds(siteOfAgent(agent), [speed]);
}
