/** Columns of imported files that are no fields of a device: kept with it as text, and given back by a full export. */
import { type DeviceRecord, type Extra, MAX_EXTRA_COLUMNS, MAX_EXTRA_LENGTH, NO_EXTRA } from '../../shared/device.ts';
import { inSlices } from '../table/slices.ts';
import type { Snapshot } from './collection/snapshot.ts';

/** An extra column of a file, and the place of its values in the `extra` of the file's rows. */
export interface ExtraColumn {
  name: string;
  at: number;
}

/** Names of the extra columns of a collection, in the order of their code units. */
export function extraColumns(snapshot: Snapshot): Promise<readonly string[]> {
  return snapshot.derive('extra columns', async (devices) => {
    const names = new Set<string>();
    for await (const slice of inSlices(devices)) {
      for (const { record } of slice) for (const name of Object.keys(record.extra)) names.add(name);
    }
    return [...names].sort();
  });
}

/** A device as a row of a table: the fields, and each extra column that it has a value for. */
export function rowWithExtra({ extra, ...fields }: DeviceRecord): Record<string, string | number> {
  return extra === NO_EXTRA ? fields : { ...fields, ...extra };
}

/**
 * Which columns of a file the collection takes in: those that it has already, and new ones as long as there are at most
 * MAX_EXTRA_COLUMNS. An export has a column for each of them in every row.
 */
export async function acceptedColumns(names: readonly string[], snapshot: Snapshot): Promise<ExtraColumn[]> {
  if (names.length === 0) return [];
  const known = new Set(await extraColumns(snapshot));
  let room = MAX_EXTRA_COLUMNS - known.size;
  return names.flatMap((name, at) => (known.has(name) || room-- > 0 ? [{ name, at }] : []));
}

/**
 * What a device has in its extra columns after a row of a file. A column of the file outweighs what was known, and clears
 * it where its cell is empty.
 * @param changes is told what did not fit
 */
export function mergeExtra(
  known: Extra,
  columns: readonly ExtraColumn[],
  values: readonly string[],
  changes: string[],
): Extra {
  if (columns.length === 0) return known;
  const named = new Set(columns.map(({ name }) => name));
  const kept = Object.entries(known).filter(([name]) => !named.has(name));
  const merged = [...kept, ...fitting(columns, values, lengthOf(kept), changes)];
  if (merged.length === 0) return NO_EXTRA;
  return Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The values that fit beside what a device has, in the order of the columns; empty ones are none.
 * @param used characters that are taken up already
 * @param changes is told what did not fit
 */
export function fitting(
  columns: readonly ExtraColumn[],
  values: readonly string[],
  used: number,
  changes: string[],
): [name: string, value: string][] {
  const entries: [string, string][] = [];
  let length = used;
  for (const { name, at } of columns) {
    const value = values[at] ?? '';
    if (value === '') continue;
    const longer = length + lengthOf([[name, value]]);
    if (longer > MAX_EXTRA_LENGTH) {
      changes.push(`${name}: left out; the extra columns of a device hold at most ${MAX_EXTRA_LENGTH} characters`);
      continue;
    }
    length = longer;
    entries.push([name, value]);
  }
  return entries;
}

function lengthOf(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
