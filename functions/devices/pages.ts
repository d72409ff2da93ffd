/** Pages of a list. A cursor has the last device of the previous page, so it stays valid when the collection changes. */
import * as z from 'zod';
import { invalid } from '../http/errors.ts';
import type { DeviceKey } from './collection/device-codec.ts';
import { firstFrom } from './collection/snapshot.ts';

/** Devices per page, with a cursor and no limit. */
export const DEFAULT_LIMIT = 1000;

interface Keyed {
  readonly key: DeviceKey;
}

/** `at`: the past time that the list is of. */
const Cursor = z.strictObject({ v: z.literal(1), after: z.string(), at: z.iso.datetime().optional() });

export const cursorText = (cursor: object) => Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** @throws {ServiceError} `validation_failed` when it is no cursor of this schema */
export function parseCursor<Schema extends z.ZodType>(schema: Schema, text: string, field: string): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw invalid(field, 'expected the nextCursor of an earlier page');
  }
}

/**
 * The devices after the cursor, and the cursor of the next page, which is null on the last one.
 * @param at the past time that the list is of
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

/** The position of the first device after the cursor. @throws {ServiceError} `validation_failed` when the cursor is invalid */
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
  const cursor = { v: 1, after: last?.key, ...(at && { at: at.toISOString() }) };
  return { page, nextCursor: last === undefined ? null : cursorText(cursor) };
}

function decodeCursor(cursor: string, field: string, at: Date | undefined): DeviceKey {
  const read = parseCursor(Cursor, cursor, field);
  if (read.at === at?.toISOString()) return read.after;
  throw invalid(field, 'expected a cursor of the list with the same at');
}

function firstAfter(devices: readonly Keyed[], key: DeviceKey): number {
  const at = firstFrom(devices, key, 0);
  return devices[at]?.key === key ? at + 1 : at;
}
