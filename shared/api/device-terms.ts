/** What several operations of `/devices` take and answer. */
import * as z from 'zod';
import { parseDeviceKey } from '../device.ts';
import { queryFlag, queryInteger, queryTime } from './operation.ts';

export const succeeded = z.literal(true);
export const Count = z.int().min(0);
export const DryRun = queryFlag;

/** Pages of a list that is answered as a whole without `limit`. */
export const PageSize = queryInteger(1, 10_000).optional().meta({ description: 'Devices a page.' });
export const NextCursor = z
  .string()
  .nullable()
  .optional()
  .meta({ description: 'In pages only; null on the last page.' });

/** A past moment that an answer is about. */
export const PastMoment = queryTime.optional().meta({
  description:
    'As it was at this time of the last 90 days: what has changed since is undone. What agents saw counts from when they saw it. 404 where that cannot be done: an import or another change of many devices lies in between, more than 10,000 changes, or the deletion of a device of which nothing is kept. Default: now.',
  'x-checked-further': true,
});

/** The version of a collection, which names the change that led to it. */
export const ChangeId = z.string().max(16).regex(/^\d+$/, 'expected the number of a change');
export const Changed = ChangeId.nullable().meta({
  description: 'Names the change, for `POST /devices/restore` and the events; null when nothing was changed.',
});

/** Names one device. Becomes its key. */
export const DeviceName = z
  .string()
  .max(100, { abort: true })
  .transform((text, context): string => {
    const key = parseDeviceKey(text);
    if (key !== null) return key;
    context.addIssue({ code: 'custom', message: 'expected a MAC address, Internet, or a key as topology has it' });
    return z.NEVER;
  })
  .meta({
    description: 'A MAC in any notation, `Internet`, or the `~…` by which topology names a device without MAC.',
  });
export const DeviceParams = z.object({ mac: DeviceName });

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const exampleDevice = {
  devName: 'nas',
  devMAC: '00:1E:06:AA:BB:01',
  devIP: '192.168.1.20',
  devType: 'NAS',
  devFavorite: 1,
  devStatus: 'online',
};
export const exampleChange = '1763800000001';
