/** Finds devices by name, MAC (in any notation) and IP address, or by all texts that a list shows. */
import { parseMac } from '../../shared/addresses.ts';
import { inSlices } from '../table/slices.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import { matchOf, mustStandIn, textsOf, type Wanted, wantedOf } from './match.ts';
import { fold, SEPARATOR, SearchIndex } from './search-index.ts';

/** Notations of a part of a MAC that differ from the stored one: `00-1e`, `001e.06aa`, `001e06`. */
const OTHER_NOTATIONS = [
  /^(?:[0-9a-f]{2}-)+[0-9a-f]{0,2}$/,
  /^[0-9a-f]{4}\.[0-9a-f]{1,4}(?:\.[0-9a-f]{0,4})?$/,
  /^[0-9a-f]{4,12}$/,
];

/** The matching devices, in the order of their keys: from a position of the snapshot on, at most `limit`. */
export async function searchDevices(
  snapshot: Snapshot,
  query: string,
  range: { from?: number; limit?: number } = {},
): Promise<StoredDevice[]> {
  const index = await snapshot.deriveFromLast('search index', SearchIndex.of);
  const text = fold(query);
  if (text.includes(SEPARATOR)) return [];
  if (!OTHER_NOTATIONS.some((notation) => notation.test(text))) {
    const mac = parseMac(query); // A MAC without its leading zeros is no part of the stored one.
    return index.find(mac === null ? [text] : [text, fold(mac)], () => true, range);
  }
  const digits = text.replace(/[.-]/g, '');
  // A name or an address may contain these digits with colons as well, but only a MAC may be written without colons.
  const hasDigits = ({ record, joined = {} }: StoredDevice) =>
    [record.devMac, ...Object.keys(joined)].some((mac) => fold(mac).replaceAll(':', '').includes(digits));
  return index.find([text, inPairs(digits), `${digits[0]}:${inPairs(digits.slice(1))}`], hasDigits, range);
}

/** As in a stored MAC, if the first digit begins a byte. */
const inPairs = (digits: string): string => digits.replace(/(..)(?=.)/g, '$1:');

/** The devices with the text in any field that a list shows, in no order. */
export async function filterByText(snapshot: Snapshot, text: string): Promise<readonly StoredDevice[]> {
  const found = new Set(await searchDevices(snapshot, text));
  const wanted = wantedOf(text);
  // Lists have a filter of their own for ports.
  if (wanted === null || wanted.port !== null) return [...found];
  for await (const slice of inSlices(await candidatesFor(snapshot, wanted))) {
    for (const device of slice) if (!found.has(device) && matchOf(device, wanted) !== null) found.add(device);
  }
  return [...found];
}

/** A superset of the matching devices. */
export async function candidatesFor(snapshot: Snapshot, wanted: Wanted): Promise<readonly StoredDevice[]> {
  const texts = mustStandIn(wanted);
  if (texts === null) return snapshot.devices;
  const index = await snapshot.deriveFromLast<SearchIndex>('index of all fields', (devices, last) =>
    SearchIndex.of(devices, last, textsOf),
  );
  return index.find(texts, () => true);
}
