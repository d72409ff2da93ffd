/** The parts of a change of many devices, in rows of the journal that are written before its entry. */
import * as z from 'zod';
import type { SiteId } from '../../../shared/identity.ts';
import { rows } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { Item } from '../../table/table.ts';
import { type Change, DeviceChange, diffDevices, Lags, lagsOf, packedLags, unpackedLags } from './change-row.ts';
import { packText, unpackText } from './packed-text.ts';
import type { Snapshot } from './snapshot.ts';

/** Of a part. An item of DynamoDB holds 400 KB. */
const MAX_PART = { devices: 100, characters: 200_000 };

/** The stored form of a part of a change of many. */
const Part = z.tuple([z.array(DeviceChange), Lags]);

/** Some of the devices of a change. */
export interface ChangePart {
  devices: readonly DeviceChange[];
  /** How many seconds before the change that became of each device; null when of none of them it was earlier. */
  lags: readonly number[] | null;
}

/** The parts of a change of many: as many devices each as are written and read at once. */
export async function* inParts(
  base: Snapshot,
  { put, remove }: Pick<Change, 'put' | 'remove'>,
  at: Date,
  noticed: Change['noticed'],
): AsyncGenerator<ChangePart> {
  let devices: DeviceChange[] = [];
  let characters = 0;
  const part = () => ({ devices, lags: lagsOf(devices, at, noticed) });
  async function* changes(): AsyncGenerator<DeviceChange> {
    for await (const slice of inSlices(put)) yield* diffDevices(base, { put: [...slice], remove: [] });
    for await (const slice of inSlices(remove)) yield* diffDevices(base, { put: [], remove: [...slice] });
  }
  for await (const change of changes()) {
    const { length } = JSON.stringify(change);
    if (devices.length === MAX_PART.devices || characters + length > MAX_PART.characters) {
      if (devices.length > 0) yield part();
      [devices, characters] = [[], 0];
    }
    devices.push(change);
    characters += length;
  }
  if (devices.length > 0) yield part();
}

export function encodePart(site: SiteId, id: string, number: number, { devices, lags }: ChangePart): Item {
  const key = rows.changePart(site, id, number);
  return { ...key, id, d: packText(JSON.stringify([devices, packedLags(lags)]), key.pk) };
}

/** @throws when the item is no part of a change */
export function decodePart(item: Item): ChangePart {
  const [devices, lags] = Part.parse(JSON.parse(unpackText(item.d, item.pk)));
  return { devices, lags: unpackedLags(lags, devices) };
}
