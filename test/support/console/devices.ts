/** Devices for the tests of the topology. */
import fc from 'fast-check';
import { INTERNET, type TopologyDevice } from '../../../console/screens/map/tree.ts';

export function device(key: string, parent = '', more: Partial<TopologyDevice> = {}): TopologyDevice {
  return { key, name: key, ip: '', type: '', status: 'online', parentPort: '', ...more, parent };
}

const key = fc.constantFrom(INTERNET, ...'abcdefghijklmnopqrstuvwxyz');

/** Few keys, so that parents often form circles, and are often missing. */
export const arbitraryDevices = fc.uniqueArray(
  fc.record({
    key,
    name: fc.string({ maxLength: 3 }),
    ip: fc.constant(''),
    type: fc.constantFrom('', 'Gateway'),
    status: fc.constantFrom('online', 'offline', 'down', 'archived'),
    parent: fc.oneof(fc.constant(''), fc.constant('unknown'), key),
    parentPort: fc.constant(''),
  }),
  { selector: (one) => one.key, maxLength: 27 },
);
