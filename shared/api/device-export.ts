/** The collection as a file. */
import * as z from 'zod';
import { DeviceRow, DeviceSummary } from '../device.ts';
import { exampleDevice } from './device-terms.ts';
import { Bom } from './export.ts';
import { named, type Operations, onSite } from './operation.ts';

const exportQuery = z.object({
  format: z.string().max(100).optional().describe('`csv` (default) or `json`, in any letter case.'),
  columns: z
    .enum(['all', 'netalertx'])
    .optional()
    .describe(
      '`all`: every field of the record, then each extra column of the collection, for a lossless copy. `netalertx`: the ' +
        'columns that NetAlertX imports, of the devices with a MAC.',
    ),
  bom: Bom,
});
/** NetAlertX empties its table before an import, and skips every row of a file with an unknown column: these fields. */
export const UNKNOWN_TO_NETALERTX = {
  devRandomMAC: true,
  devAddresses: true,
  devConflict: true,
  devModel: true,
  devOtherMACs: true,
} as const;
/** Fields that its older releases lack. A device imported from one of those has no value in them. */
export const IN_NEW_NETALERTX = { devPrimaryIPv4: true, devPrimaryIPv6: true, devVlan: true } as const;
const NetAlertXRow = DeviceRow.omit(UNKNOWN_TO_NETALERTX).partial(IN_NEW_NETALERTX);

const EXPORT_JSON = named('DeviceExport', {
  data: z.array(z.union([DeviceSummary, DeviceRow, NetAlertXRow])),
  columns: z.array(z.string()),
});
const EXPORT_HEADERS = ['Content-Disposition'] as const;
const exampleExport = { data: [exampleDevice], columns: Object.keys(exampleDevice) };

export const deviceExport = {
  exportDevices: {
    ...onSite('GET', '/devices/export', 'devices:read'),
    summary: 'The collection as a CSV file, or as JSON',
    query: exportQuery,
    response: EXPORT_JSON,
    otherMedia: ['text/csv'],
    hasEtag: true,
    headers: EXPORT_HEADERS,
    errors: ['unsupported_format'],
    example: { query: { format: 'json' }, response: exampleExport },
  },
  exportDevicesAs: {
    ...onSite('GET', '/devices/export/{format}', 'devices:read'),
    summary: 'The collection as a CSV file, or as JSON; the format in the path wins over the query',
    params: z.object({ format: z.string().max(100) }),
    query: exportQuery,
    response: EXPORT_JSON,
    otherMedia: ['text/csv'],
    hasEtag: true,
    headers: EXPORT_HEADERS,
    errors: ['unsupported_format'],
    example: { params: { format: 'json' }, response: exampleExport },
  },
} as const satisfies Operations;
