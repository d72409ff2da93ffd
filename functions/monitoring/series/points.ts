/** What is measured, on its way into the series: points of checks, speed tests, public addresses. */
import type { Change } from '../../../shared/agent/measurements.ts';
import type { EndedJob } from '../../../shared/agent/messages.ts';
import { type AgentId, nameOfAgent, siteOfAgent } from '../../../shared/identity.ts';
import type { Log } from '../../../shared/log.ts';
import { formatIp, parseIp } from '../../../shared/network.ts';
import { legible, oneLine } from '../../../shared/text.ts';
import type { ToolResult } from '../../../shared/tools/list.ts';
import type { Assignment } from '../../commands/job-store.ts';
import type { MonthStore } from './month-store.ts';
import type { Batch, SeriesStore } from './series-store.ts';

/** The clock of an agent may be ahead by so much. */
const MAX_AHEAD_MS = 5 * 60_000;
/** So long an agent may keep what it could not tell. */
const MAX_BEHIND_MS = 8 * 86_400_000;

/** Whether something can have been measured at this time (Unix, ms), by what the clock says now. */
function isPlausible(at: number, now: Date): boolean {
  return at <= now.getTime() + MAX_AHEAD_MS && at >= now.getTime() - MAX_BEHIND_MS;
}

/**
 * Stores a batch of points; storing it again changes nothing. One of a time at which nothing can have been measured is
 * dropped: the agent would only send it again.
 * @param agent as its certificate says
 */
export async function storePoints(
  { series, now }: { series: SeriesStore; now(): Date },
  agent: AgentId,
  batch: Batch,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  if (isPlausible(batch.from, now())) return series.record(agent, batch);
  log.warn({ agentId: agent, from: batch.from }, 'dropped points of a time at which nothing can have been measured');
}

/** Adds the public addresses of which these changes tell to those of the site; telling it again adds nothing. */
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

/** Adds the result of a speed test to those of its site. Does nothing for other results; adding one again changes nothing. */
export async function storeSpeed(
  { months }: { months: MonthStore },
  { agent, command }: Pick<Assignment, 'agent' | 'command'>,
  { state, result, endedAt }: EndedJob,
): Promise<void> {
  if (command.tool !== 'speedtest' || state !== 'succeeded' || result === null) return;
  // The schema of the tool has parsed it, which the compiler cannot know.
  const { downloadMbps, uploadMbps, pingMs } = result as ToolResult<'speedtest'>;
  const at = Math.floor(endedAt / 1000);
  const speed = { at, downMbps: downloadMbps, upMbps: uploadMbps, pingMs, agent: nameOfAgent(agent) };
  await months.addSpeeds(siteOfAgent(agent), [speed]);
}
