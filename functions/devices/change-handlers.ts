/** `/changes`: what happened at a site in a span of time. */
import type { changes as operations } from '../../shared/api/changes.ts';
import type { Handlers } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import { JOURNAL_DAYS } from './collection/journal.ts';
import type { DevicesContext } from './context.ts';
import { looksBack } from './past.ts';
import { readChanges, type Span } from './read-changes.ts';
import { sumUp } from './sum-up.ts';

export const changesHandlers: Handlers<typeof operations, DevicesContext> = {
  async listChanges({ devices, now }, { site }, { limit, ...wanted }) {
    const span = spanOf(wanted, now());
    const snapshot = await devices.snapshot(site);
    const nameOf = (key: string) => snapshot.get(key)?.record.devName ?? '';
    const { events, truncated, unreadable } = await looksBack.run(() =>
      readChanges(devices, site, span, async () => nameOf),
    );
    const { summary, summaryCodes, changes } = sumUp(events);
    return {
      success: true,
      since: span.since.toISOString(),
      until: span.until.toISOString(),
      summary,
      summaryCodes,
      changes: changes.slice(0, limit),
      truncated: truncated || changes.length > limit,
      unreadable,
    };
  },
};

function spanOf(wanted: { since?: Date | undefined; until?: Date | undefined }, now: Date): Span {
  const until = wanted.until !== undefined && wanted.until < now ? wanted.until : now;
  const since = wanted.since ?? new Date(until.getTime() - 86_400_000);
  if (since.getTime() < now.getTime() - JOURNAL_DAYS * 86_400_000)
    throw invalid('query.since', `expected a time within the last ${JOURNAL_DAYS} days`);
  if (since >= until) throw invalid('query.since', 'expected a time before `until`, and before now');
  return { since, until };
}
