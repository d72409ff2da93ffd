/** The collection as a file. */
import { IN_NEW_NETALERTX, UNKNOWN_TO_NETALERTX } from '../../shared/api/device-export.ts';
import type { devices } from '../../shared/api/devices.ts';
import type { Input } from '../../shared/api/operation.ts';
import { DEVICE_FIELDS, type DeviceField, type DeviceRecord, SUMMARY_COLUMNS, summaryOf } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { HandlerResult } from '../http/handler-result.ts';
import { minuteOf, type SiteWatch } from './collection/coverage-row.ts';
import { type StoredDevice, WITHOUT_MAC } from './collection/device-codec.ts';
import type { Snapshot } from './collection/snapshot.ts';
import { csvLines } from './csv.ts';
import { encoded, jsonArray } from './encoded-list.ts';
import { extraColumns, rowWithExtra } from './extra-columns.ts';

export type ExportQuery = Input<(typeof devices)['exportDevices']>;

type Row = Record<string, string | number>;

interface Layout {
  columns: readonly string[];
  rowOf(device: StoredDevice): Row;
  has?(device: StoredDevice): boolean;
}

export async function exported(
  { snapshot, watch }: { snapshot: Snapshot; watch: SiteWatch },
  { format = 'csv', columns, bom }: ExportQuery,
  now: Date,
): Promise<HandlerResult> {
  const minute = minuteOf(now);
  const layout = await layoutOf(snapshot, columns, (device) => watch.recordOf(device, minute));
  const seen = columns === undefined ? {} : { watch, minute };
  const shown = (all: readonly StoredDevice[]) => (layout.has === undefined ? all : all.filter(layout.has));
  switch (format.toLowerCase()) {
    case 'csv': {
      const lines = (all: readonly StoredDevice[]) => csvLines(layout.columns, shown(all), layout.rowOf, bom);
      return encoded(snapshot, `export csv ${columns ?? ''} ${bom ? 'bom' : ''}`, lines, {
        contentType: 'text/csv; charset=utf-8',
        headers: { 'Content-Disposition': 'attachment; filename=devices.csv' },
        ...seen,
      });
    }
    case 'json':
      return encoded(snapshot, `export json ${columns ?? ''}`, (all) => exportJson(layout, shown(all)), seen);
    default: {
      const message = `Unsupported format ${JSON.stringify(format.slice(0, 40))}: use csv or json`;
      throw new ServiceError('unsupported_format', message);
    }
  }
}

/** @param recordOf the record of a device, with its current last-seen time */
async function layoutOf(
  snapshot: Snapshot,
  columns: ExportQuery['columns'],
  recordOf: (device: StoredDevice) => DeviceRecord,
): Promise<Layout> {
  if (columns === undefined) return { columns: SUMMARY_COLUMNS, rowOf: ({ record }) => summaryOf(record) };
  const extra = await extraColumns(snapshot);
  if (columns === 'all')
    return { columns: [...DEVICE_FIELDS, ...extra], rowOf: (device) => rowWithExtra(recordOf(device)) };
  const hasValue = (field: DeviceField) => snapshot.devices.some(({ record }) => record[field] !== '');
  const known = DEVICE_FIELDS.filter((field) => !(field in UNKNOWN_TO_NETALERTX));
  const fields = known.filter((field) => !(field in IN_NEW_NETALERTX) || hasValue(field));
  const others = extra.filter((name) => NETALERTX_DEFAULTS.has(name));
  return {
    columns: [...fields, ...others],
    rowOf(device) {
      const record = recordOf(device);
      return Object.fromEntries([
        ...fields.map((field) => [field, record[field]] as const),
        ...others.map((name) => [name, record.extra[name] ?? NETALERTX_DEFAULTS.get(name) ?? ''] as const),
      ]);
    },
    has: ({ key }) => !key.startsWith(WITHOUT_MAC), // There, the MAC is the key of the table.
  };
}

/** Columns of NetAlertX that are no fields here, with its default values: it skips a flag that is empty. */
const NETALERTX_DEFAULTS = new Map([
  ['devScan', '1'],
  ['devLogEvents', '1'],
  ['devAlertEvents', '1'],
  ...['devSkipRepeated', 'devReqNicsOnline', 'devCanSleep'].map((name) => [name, '0'] as const),
  ...['devLastNotification', 'devSyncHubNode', 'devForceStatus'].map((name) => [name, ''] as const),
  ...['Mac', 'Name', 'FQDN', 'LastIP', 'Vendor', 'SSID', 'ParentMAC', 'ParentPort', 'ParentRelType', 'Vlan'].map(
    (name) => [`dev${name}Source`, ''] as const,
  ),
]);

function* exportJson({ columns, rowOf }: Layout, items: readonly StoredDevice[]): Generator<string> {
  yield '{"data":';
  yield* jsonArray(items, rowOf);
  yield `,"columns":${JSON.stringify(columns)}}`;
}
