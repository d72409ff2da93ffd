/** Which devices are deleted, from the events of a site. */
import type { DeviceEvent } from '../../../shared/api/events.ts';

type Deletion = Pick<DeviceEvent, 'type' | 'device' | 'deleted'>;

/**
 * The latest deletion of each device that has not come back since, and changes that deleted many.
 * @param events the newest first
 */
export function deletionsOf<Event extends Deletion>(events: readonly Event[]): Event[] {
  const known = new Set<string>();
  return events.filter(({ type, device, deleted = 0 }) => {
    if (device === null) return deleted > 0;
    const isLatest = !known.has(device.key);
    known.add(device.key);
    return isLatest && type === 'deleted';
  });
}
