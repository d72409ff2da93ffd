/** Columns of imported files that are not device fields: kept as text, and included in a full export. */
import { type DeviceRecord, type Extra, MAX_EXTRA_COLUMNS, MAX_EXTRA_LENGTH, NO_EXTRA } from '../../shared/device.ts';
import { inSlices } from '../table/slices.ts';
import type { Snapshot } from './collection/snapshot.ts';

/** An extra column of a file, and the index of its values in the `extra` of the file's rows. */
export interface ExtraColumn {
  name: string;
  at: number;
}

export function extraColumns(snapshot: Snapshot): Promise<readonly string[]> {
  return snapshot.derive('extra columns', async (devices) => {
    const names = new Set<string>();
    for await (const slice of inSlices(devices)) {
      for (const { record } of slice) for (const name of Object.keys(record.extra)) names.add(name);
    }
    return [...names].sort();
  });
}

/** A device as a row of a table: its fields, and the extra columns in which it has a value. */
export function rowWithExtra({ extra, ...fields }: DeviceRecord): Record<string, string | number> {
  return extra === NO_EXTRA ? fields : { ...fields, ...extra };
}

/** The columns of a file that the collection accepts: known ones, and new ones up to MAX_EXTRA_COLUMNS in all, in file order. */
export async function acceptedColumns(names: readonly string[], snapshot: Snapshot): Promise<ExtraColumn[]> {
  if (names.length === 0) return [];
  const known = new Set(await extraColumns(snapshot));
  let room = MAX_EXTRA_COLUMNS - known.size;
  return names.flatMap((name, at) => (known.has(name) || room-- > 0 ? [{ name, at }] : []));
}

/** The values of a row in its extra columns. Null leaves one as it was; an empty text clears it. */
export type ExtraValues = readonly (string | null)[];

/** Merges a row's extra columns: the file overrides, empty cells clear. @param changes gets a remark for values that do not fit */
export function mergeExtra(
  known: Extra,
  columns: readonly ExtraColumn[],
  values: ExtraValues,
  changes: string[],
): Extra {
  if (columns.length === 0) return known;
  const set = new Set(columns.flatMap(({ name, at }) => (values[at] === null ? [] : [name])));
  const kept = Object.entries(known).filter(([name]) => !set.has(name));
  const fit = fitting(columns, values, lengthOf(kept), changes);
  let room = MAX_EXTRA_LENGTH - lengthOf(kept) - lengthOf(fit.entries);
  const stay = fit.left.flatMap((name) => {
    const entry: [string, string][] = Object.hasOwn(known, name) ? [[name, known[name] ?? '']] : [];
    if (lengthOf(entry) > room) return [];
    room -= lengthOf(entry);
    return entry;
  });
  const merged = [...kept, ...fit.entries, ...stay];
  if (merged.length === 0) return NO_EXTRA;
  return Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The non-empty values that fit beside what a device has, in the order of the columns, and the names of those that do not.
 * @param used characters that are taken up already
 * @param changes gets a remark for each value that did not fit
 */
export function fitting(
  columns: readonly ExtraColumn[],
  values: ExtraValues,
  used: number,
  changes: string[],
): { entries: [name: string, value: string][]; left: string[] } {
  const entries: [string, string][] = [];
  const left: string[] = [];
  let length = used;
  for (const { name, at } of columns) {
    const value = values[at] ?? '';
    if (value === '') continue;
    const longer = length + lengthOf([[name, value]]);
    if (longer > MAX_EXTRA_LENGTH) {
      const most = `the extra columns of a device hold at most ${MAX_EXTRA_LENGTH} characters`;
      changes.push(`${name}: ${most}; left as it was`);
      left.push(name);
      continue;
    }
    length = longer;
    entries.push([name, value]);
  }
  return { entries, left };
}

function lengthOf(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
