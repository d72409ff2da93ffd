/**
 * Pages of a list. A cursor names the last device of the previous page, so it stays valid when the collection changes.
 */
import * as z from 'zod';
import type { DeviceKey, StoredDevice } from '../dynamodb/device-codec.ts';
import { validationError } from '../http/errors.ts';

const DEFAULT_LIMIT = 1000;

const Cursor = z.strictObject({ v: z.literal(1), after: z.string() });

function encodeCursor(after: DeviceKey): string {
  return Buffer.from(JSON.stringify({ v: 1, after } satisfies z.infer<typeof Cursor>)).toString('base64url');
}

/**
 * The devices after the cursor, and the cursor of the next page, which is null on the last one.
 * @throws {ServiceError} `validation_failed` when the cursor is invalid
 */
export function pageAfter(
  devices: readonly StoredDevice[],
  cursor: string | undefined,
  limit = DEFAULT_LIMIT,
  field = 'query.cursor',
): { page: readonly StoredDevice[]; nextCursor: string | null } {
  const start = cursor === undefined ? 0 : firstAfter(devices, decodeCursor(cursor, field));
  const page = devices.slice(start, start + limit);
  const last = start + limit < devices.length ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : encodeCursor(last.key) };
}

function decodeCursor(cursor: string, field: string): DeviceKey {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))).after;
  } catch {
    throw validationError([{ path: field, message: 'expected the nextCursor of an earlier page' }]);
  }
}

/** Binary search: the devices are sorted by key. */
function firstAfter(devices: readonly StoredDevice[], key: DeviceKey): number {
  let low = 0;
  let high = devices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (devices[middle]!.key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
