/**
 * Pages of a list. A cursor names the last device of the previous page, so it stays valid when the collection changes.
 */
import * as z from 'zod';
import { validationError } from '../http/errors.ts';
import type { DeviceKey } from './collection/device-codec.ts';

/** Devices a page, if a cursor is given and no limit. */
export const DEFAULT_LIMIT = 1000;

/** A device, or what is told of one. */
interface Keyed {
  readonly key: DeviceKey;
}

/** `at`: the past moment that the list is about. */
const Cursor = z.strictObject({ v: z.literal(1), after: z.string(), at: z.iso.datetime().optional() });

function encodeCursor(after: DeviceKey, at: Date | undefined): string {
  const cursor: z.infer<typeof Cursor> = { v: 1, after, ...(at === undefined ? {} : { at: at.toISOString() }) };
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/**
 * The devices after the cursor, and the cursor of the next page, which is null on the last one.
 * @param at the past moment that the devices are of
 * @throws {ServiceError} `validation_failed` when the cursor is invalid
 */
export function pageAfter<Item extends Keyed>(
  devices: readonly Item[],
  cursor: string | undefined,
  limit = DEFAULT_LIMIT,
  at?: Date,
): { page: readonly Item[]; nextCursor: string | null } {
  const start = positionAfter(devices, cursor, 'query.cursor', at);
  return firstPage(devices.slice(start, start + limit + 1), limit, at);
}

/**
 * The position of the first device after the cursor.
 * @throws {ServiceError} `validation_failed` when the cursor is invalid
 */
export function positionAfter(devices: readonly Keyed[], cursor: string | undefined, field: string, at?: Date): number {
  return cursor === undefined ? 0 : firstAfter(devices, decodeCursor(cursor, field, at));
}

/** @param found the devices of the page, and one more if there is a next page */
export function firstPage<Item extends Keyed>(
  found: readonly Item[],
  limit: number,
  at?: Date,
): { page: readonly Item[]; nextCursor: string | null } {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : encodeCursor(last.key, at) };
}

function decodeCursor(cursor: string, field: string, at: Date | undefined): DeviceKey {
  const refused = (message: string) => validationError([{ path: field, message }]);
  let read: z.infer<typeof Cursor>;
  try {
    read = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw refused('expected the nextCursor of an earlier page');
  }
  if (read.at !== at?.toISOString()) throw refused('expected a cursor of the list with the same at');
  return read.after;
}

/** Binary search: the devices are sorted by key. */
function firstAfter(devices: readonly Keyed[], key: DeviceKey): number {
  let low = 0;
  let high = devices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (devices[middle]!.key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
