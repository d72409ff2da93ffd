/** Common schemas of the operations of `/devices`. */
import * as z from 'zod';
import { parseDeviceKey } from '../device.ts';
import { parsedText } from '../text-schemas.ts';
import { queryFlag, queryInteger, queryTime } from './operation.ts';

export const Count = z.int().min(0);
export const DryRun = queryFlag;

/** For lists that are complete without `limit`. */
export const PageSize = queryInteger(1, 10_000).optional().describe('Devices a page.');
export const NextCursor = z.string().nullable().optional().describe('In pages only; null on the last page.');

/** The past time of a snapshot. */
export const PastMoment = queryTime.optional().meta({
  description:
    'As it was at this time of the last 90 days, without later changes. Observations of agents count from their own time. 404 if that is impossible: after an import or another change of many devices, more than 10,000 changes, or the deletion of a device without stored fields. Default: now.',
  'x-checked-further': true,
});

/** The version of a collection, which identifies the change that led to it. */
export const ChangeId = z.string().max(16).regex(/^\d+$/, 'expected the number of a change');
export const Changed = ChangeId.nullable().describe(
  'Id of the change, for `POST /devices/restore` and the events; null when nothing changed.',
);

/** The name of a device in a request, parsed to its key. */
export const DeviceName = parsedText(
  100,
  'expected a MAC address, Internet, or a key as topology has it',
  parseDeviceKey,
).describe('A MAC in any notation, `Internet`, or the `~…` that topology shows for a device without MAC.');
export const DeviceParams = z.object({ mac: DeviceName });

/** The arguments of an MCP tool about one device. */
const Target = z.string().min(1).max(100).describe('MAC address, or its last IP address.');
export const BY_ADDRESS = {
  arguments: { target: { field: 'mac', schema: Target } },
  addressable: 'target',
} as const;

export const exampleDevice = {
  devName: 'nas',
  devMAC: '00:1E:06:AA:BB:01',
  devIP: '192.168.1.20',
  devType: 'NAS',
  devFavorite: 1,
  devStatus: 'online',
};
export const exampleChange = '1763800000001';
