/** Removals of sites whose caller has not asked to the end: a page that was closed, a system that went down. */
import type { Log } from '../../shared/log.ts';
import { type RemovalContext, removeSite } from './remove-site.ts';

/**
 * Carries them to their end, one after the other. One that fails holds up no other.
 * @param isTime whether to stop; asked again and again. What is left then is for another call
 * @throws {AggregateError} when some have failed
 */
export async function finishRemovals(context: RemovalContext, log: Log, isTime: () => boolean): Promise<void> {
  const failures: unknown[] = [];
  for (const row of await context.removals.unfinished()) {
    if (isTime()) break;
    try {
      const isComplete = await removeSite(context, row, isTime);
      const what = isComplete ? 'has come to its end' : 'goes on at another time';
      log.info({ site: row.site }, `a removal of a site that was interrupted ${what}`);
    } catch (error) {
      log.error({ site: row.site, err: error }, 'a removal of a site that was interrupted has failed');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} removals of sites have failed`);
}
