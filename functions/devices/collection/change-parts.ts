/** The parts of a change of many devices: journal rows that are written before its entry. */
import * as z from 'zod';
import type { SiteId } from '../../../shared/identity.ts';
import { rows } from '../../table/rows.ts';
import { inSlices } from '../../table/slices.ts';
import type { Item } from '../../table/table.ts';
import { type Change, DeviceChange, diffDevices, Lags, lagsOf, packedLags, unpackedLags } from './change-row.ts';
import { packText, unpackText } from './packed-text.ts';
import type { Snapshot } from './snapshot.ts';

/** Limits of a part. DynamoDB takes items of 400 KB. */
const MAX_PART = { devices: 100, characters: 200_000 };

const Part = z.tuple([z.array(DeviceChange), Lags]);

/** Some of the devices of a change. */
export interface ChangePart {
  devices: readonly DeviceChange[];
  /** How many seconds before the change each device changed; null when all changed with it. */
  lags: readonly number[] | null;
}

/** The texts of the parts, each with as many devices as are written and read at once. */
export async function* inParts(
  base: Snapshot,
  { put, remove }: Pick<Change, 'put' | 'remove'>,
  at: Date,
  noticed: Change['noticed'],
): AsyncGenerator<string> {
  function* textsOf(devices: readonly DeviceChange[]): Generator<string> {
    const text = JSON.stringify([devices, packedLags(lagsOf(devices, at, noticed))]);
    if (text.length <= MAX_PART.characters || devices.length === 1) yield text;
    else {
      const half = devices.length >> 1;
      yield* textsOf(devices.slice(0, half));
      yield* textsOf(devices.slice(half));
    }
  }
  for await (const slice of inSlices(put, MAX_PART.devices))
    yield* textsOf(diffDevices(base, { put: [...slice], remove: [] }));
  for await (const slice of inSlices(remove, MAX_PART.devices))
    yield* textsOf(diffDevices(base, { put: [], remove: [...slice] }));
}

export function encodePart(site: SiteId, id: string, number: number, text: string): Item {
  const key = rows.changePart(site, id, number);
  return { ...key, id, d: packText(text, key.pk, 1) };
}

/** @throws when the item is no part of a change */
export function decodePart(item: Item): ChangePart {
  const [devices, lags] = Part.parse(JSON.parse(unpackText(item.d, item.pk)));
  return { devices, lags: unpackedLags(lags, devices) };
}
