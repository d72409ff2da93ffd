/** Points of checks that agents have measured, on their way into the series. */
import type { AgentId } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import type { Batch, SeriesStore } from '../../store/series/series-store.ts';

/** The clock of an agent may be ahead by so much. */
const MAX_AHEAD_MS = 5 * 60_000;
/** So long an agent may keep what it could not tell. */
const MAX_BEHIND_MS = 8 * 86_400_000;

/** Whether something can have been measured at this time (Unix, ms), by what the clock says now. */
export function isPlausible(at: number, now: Date): boolean {
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
  log.warn({ agentId: agent, from: batch.from }, 'dropped points of a time that cannot be');
}
