/** Case-insensitive substring search in name, MAC (in any notation) and IP address. */
import type { StoredDevice } from '../dynamodb/device-codec.ts';
import type { Snapshot } from '../dynamodb/snapshot.ts';

/** Separates the searched fields of a device, so that no match spans two of them. */
const BETWEEN = '\u0000';

/** Notations of a part of a MAC that differ from the stored one: `00-1e`, `001e.06aa`, `001e06`. */
const OTHER_NOTATIONS = [
  /^(?:[0-9a-f]{2}-)+[0-9a-f]{0,2}$/,
  /^[0-9a-f]{4}\.[0-9a-f]{1,4}(?:\.[0-9a-f]{0,4})?$/,
  /^[0-9a-f]{4,12}$/,
];

export function searchDevices(snapshot: Snapshot, query: string): StoredDevice[] {
  const isMatch = matcherOf(snapshot, query);
  return snapshot.devices.filter((_, position) => isMatch(position));
}

/** Whether the device at a position of the snapshot matches. */
export function matcherOf(snapshot: Snapshot, query: string): (position: number) => boolean {
  const haystacks = snapshot.derive('haystacks', (devices) =>
    devices.map(({ record: { devName, devMac, devLastIP } }) =>
      [devName, devMac, devLastIP].join(BETWEEN).toLowerCase(),
    ),
  );
  const needle = query.toLowerCase();
  if (needle.includes(BETWEEN)) return () => false;
  const isWritten = (position: number) => haystacks[position]?.includes(needle) ?? false;
  if (!OTHER_NOTATIONS.some((notation) => notation.test(needle))) return isWritten;
  const bare = needle.replace(/[.-]/g, '');
  const bareMacs = snapshot.derive('bare macs', (devices) =>
    devices.map(({ record }) => record.devMac.replaceAll(':', '').toLowerCase()),
  );
  return (position) => isWritten(position) || (bareMacs[position]?.includes(bare) ?? false);
}
