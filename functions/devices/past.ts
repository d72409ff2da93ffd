/** The collection as it was at a moment: `?at=`. */

import { validationError } from '../http/errors.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { JOURNAL_DAYS } from './collection/journal.ts';
import { pastSnapshot } from './collection/past-snapshot.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';

/** Each reads up to thousands of entries of the journal, and holds what it finds. */
export const looksBack = openSemaphore({
  atOnce: 2,
  waiting: 300,
  waitMs: 30_000,
  refusal: 'Too many answers about the past are being made at the moment; try again later',
});

/**
 * @param current the collection as it is now, and the version with which it begins
 * @throws {ServiceError} `validation_failed` when nothing is known of that time, `not_found` when it cannot be shown any
 *   more
 */
export async function snapshotAt(
  { devices, now }: Pick<DevicesContext, 'devices' | 'now'>,
  { snapshot, born }: { snapshot: Snapshot; born: number },
  at: Date,
): Promise<Snapshot> {
  const refuse = (message: string) => validationError([{ path: 'query.at', message }]);
  const time = at.getTime();
  if (time > now().getTime()) throw refuse('expected a time that is not in the future');
  if (time < now().getTime() - JOURNAL_DAYS * 86_400_000) {
    throw refuse(`expected a time within the last ${JOURNAL_DAYS} days`);
  }
  // The version with which a collection begins is the time at which it was made.
  if (time < born)
    throw refuse(`expected a time after ${new Date(born).toISOString()}, when "${snapshot.site}" was added`);
  return looksBack.run(() => pastSnapshot(devices, snapshot, at));
}
