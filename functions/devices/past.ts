/** The collection at a past time: `?at=`. */
import { invalid } from '../http/errors.ts';
import { openSemaphore } from '../http/semaphore.ts';
import { JOURNAL_DAYS } from './collection/journal.ts';
import { pastSnapshot } from './collection/past-snapshot.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';

/** Each reads up to thousands of journal entries, and holds what it finds. */
export const looksBack = openSemaphore({
  atOnce: 2,
  waiting: 300,
  waitMs: 30_000,
  refusal: 'Too many answers about the past are being made at the moment; try again later',
});

/**
 * @param current the current collection, and its first version
 * @throws {ServiceError} `validation_failed` for a time of which nothing is kept, `not_found` when it cannot be rebuilt
 */
export async function snapshotAt(
  { devices, now }: Pick<DevicesContext, 'devices' | 'now'>,
  { snapshot, born }: { snapshot: Snapshot; born: number },
  at: Date,
): Promise<Snapshot> {
  const refuse = (message: string) => invalid('query.at', message);
  const time = at.getTime();
  if (time > now().getTime()) throw refuse('expected a time that is not in the future');
  if (time < now().getTime() - JOURNAL_DAYS * 86_400_000)
    throw refuse(`expected a time within the last ${JOURNAL_DAYS} days`);
  // The first version of a collection is the time of its creation.
  if (time < born)
    throw refuse(`expected a time after ${new Date(born).toISOString()}, when "${snapshot.site}" was added`);
  return looksBack.run(() => pastSnapshot(devices, snapshot, at));
}
