/** `/devices`: the collection of a site. */
import * as z from 'zod';
import {
  BLANK_DEVICE,
  DEVICE_FIELD_KINDS,
  DEVICE_FIELDS,
  DeviceRecord,
  DeviceRow,
  DeviceStatus,
  DeviceSummary,
  EDITABLE_FIELDS,
  type EditableField,
  MAX_EXTRA_COLUMNS,
  MAX_EXTRA_LENGTH,
  MAX_EXTRA_VALUE,
  MAX_LENGTHS,
  parseDeviceKey,
  parseDeviceMac,
  RESTORABLE_DAYS,
  StatusFilter,
} from '../device.ts';
import { AgentName, JobId } from '../identity.ts';
import { McpLimit } from '../mcp-tool.ts';
import { NmapMode } from '../tools/nmap.ts';
import { deviceFilters, Facets, ListCursor, ListedDevice, NodeId, sortQuery } from './device-list.ts';
import { EventList, EventQuery, exampleEvents } from './events.ts';
import { list } from './list.ts';
import { Cursor, type Operations, queryInteger } from './operation.ts';
import { Time } from './records.ts';

const succeeded = z.literal(true);
const Count = z.int().min(0);
const DryRun = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .default('false')
  .transform((text) => text === 'true');

/** Limit of MACs and patterns in one request. */
const MAX_MACS = 100_000;
/** Limit of the patterns among them, because each is compared with every device of the site. */
export const MAX_MAC_PATTERNS = 20;

/** Limit of rows in an import, without the header; a longer file is refused with 413. */
export const MAX_IMPORT_ROWS = 200_000;
/** Most lines of an import that are named one by one; the others are counted. */
export const MAX_NAMED_LINES = 1_000;
/** Largest import, as a form or as JSON. In the cloud, the limits of the gateway and the function are lower. */
const MAX_IMPORT_BYTES = 10 * 1024 * 1024;

const inWords = (count: number) => count.toLocaleString('en');
const Line = z.int().min(1).meta({ description: 'Number of the line in the file; the header is line 1.' });
const Lines = z.array(z.object({ line: Line, reason: z.string() })).max(MAX_NAMED_LINES);

/** Pages of a list that is answered as a whole without `limit`. */
const PageSize = queryInteger(1, 10_000).optional().meta({ description: 'Devices a page.' });
const NextCursor = z.string().nullable().optional().meta({ description: 'In pages only; null on the last page.' });

const exportQuery = z.object({
  format: z.string().max(100).optional().meta({ description: '`csv` (default) or `json`, in any letter case.' }),
  columns: z.enum(['all']).optional().meta({
    description: '`all`: every field of the record, then each extra column of the collection, for a lossless copy.',
  }),
});

/** The version of a collection, which names the change that led to it. */
export const ChangeId = z.string().max(16).regex(/^\d+$/, 'expected the number of a change');
const Changed = ChangeId.nullable().meta({
  description: 'Names the change, for `POST /devices/restore` and the events; null when nothing was changed.',
});

/** Checked by the handler, because what fits depends on the operation. */
const MacText = z.string().min(1).max(100).meta({ 'x-checked-further': true });

/** Names one device. Becomes its key. */
const DeviceName = z
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
const DeviceParams = z.object({ mac: DeviceName });

/** The devices of one category. */
const StatusList = z.array(
  z.object({
    id: z.string().meta({ description: 'The MAC address; empty for a device without one.' }),
    title: z.string().meta({ description: 'The name, with `★ ` in front of a favorite.' }),
    favorite: z.union([z.literal(0), z.literal(1)]),
  }),
);
const exampleStatusList = [{ id: '00:1E:06:AA:BB:01', title: '★ nas', favorite: 1 }];

/** One device with everything that is known of it. */
const OneDevice = DeviceRecord.extend({
  success: succeeded,
  key: NodeId.meta({ description: 'Its MAC, `Internet`, or `~<uuid>` for a device without MAC: as in topology.' }),
  devStatus: DeviceStatus,
  setByPerson: z
    .array(z.enum(DEVICE_FIELDS))
    .meta({ description: 'The fields that people have set, by hand or by an import: discovery leaves them alone.' }),
  seenBy: z
    .array(z.object({ agent: AgentName, online: z.boolean(), since: Time }))
    .meta({ description: 'What each agent that has seen the device says of it, and since when.' }),
}).meta({ id: 'Device' });
export type OneDevice = z.infer<typeof OneDevice>;

/** A port that was open when a scan last tried it. */
export const DevicePort = z
  .object({
    port: z.int().min(0).max(65_535),
    protocol: z.enum(['tcp', 'udp', 'sctp']),
    state: z.string().meta({ description: '`open`, or `open|filtered` where nmap cannot tell.' }),
    service: z.string().nullable().meta({ description: 'As nmap calls it, by its number if no product is known.' }),
    product: z.string().nullable().optional(),
    version: z.string().nullable().optional(),
    identifiedAt: z.iso.datetime().optional().meta({
      description: 'When a scan of mode `detail` last found product and version; other modes leave them as they are.',
    }),
    seenAt: z.iso.datetime().meta({ description: 'When a scan last found it open.' }),
    firstSeenAt: z.iso.datetime(),
    scan: JobId.meta({ description: 'The job of the scan that last found it open.' }),
    mode: NmapMode.meta({ description: 'The mode of that scan.' }),
  })
  .meta({ id: 'DevicePort' });
export type DevicePort = z.infer<typeof DevicePort>;

/** The open ports of one device. */
const DevicePorts = z.object({
  success: succeeded,
  mac: NodeId.meta({ description: 'The key of the device: its MAC, `Internet`, or `~<uuid>`.' }),
  scannedAt: z.iso.datetime().nullable().meta({
    description: 'When a scan last met the device; null when none has in the last 90 days.',
  }),
  ports: z.array(DevicePort),
});
export type DevicePorts = z.infer<typeof DevicePorts>;

/** How each field of an edit is checked. */
const EDITS = {
  text: z.string().max(MAX_LENGTHS.text),
  flag: z.union([z.literal(0), z.literal(1)]),
  parent: z
    .string()
    .max(100, { abort: true })
    .transform((text, context) => {
      const parent = text === '' ? '' : parseDeviceMac(text);
      if (parent !== null) return parent;
      context.addIssue({ code: 'custom', message: 'expected a MAC address, Internet, or an empty text' });
      return z.NEVER;
    })
    .meta({ description: 'The MAC of another device in any notation, the word `Internet`, or empty.' }),
};

type EditShape = { [Field in EditableField]: z.ZodOptional<(typeof EDITS)[(typeof DEVICE_FIELD_KINDS)[Field]]> };

/** Strict: a misspelt field must not be taken for an edit that was made. */
export const DeviceEdit = z
  .strictObject(
    Object.fromEntries(
      EDITABLE_FIELDS.map((field) => [field, EDITS[DEVICE_FIELD_KINDS[field]].optional()]),
    ) as EditShape,
  )
  .refine((edit) => Object.keys(edit).length > 0, `expected at least one of ${EDITABLE_FIELDS.join(', ')}`)
  .meta({ id: 'DeviceEdit' });
export type DeviceEdit = z.infer<typeof DeviceEdit>;
/** Most devices in an edit of many. */
const MAX_EDITED_DEVICES = 1_000;
/** Seven texts of the greatest length, however they are written in JSON, and the names of 1,000 devices. */
const MAX_EDIT_BYTES = 256 * 1024;

const ABOUT_EVENTS =
  'the newest first; with `Accept: text/event-stream` the new ones as they happen, for two minutes, and on from `Last-Event-ID`';

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const exampleDevice = {
  devName: 'nas',
  devMAC: '00:1E:06:AA:BB:01',
  devIP: '192.168.1.20',
  devType: 'NAS',
  devFavorite: 1,
  devStatus: 'online',
};
const exampleChange = '1763800000001';
const exampleRecord = {
  ...BLANK_DEVICE,
  devMac: '00:1E:06:AA:BB:01',
  devName: 'nas',
  devLastIP: '192.168.1.20',
  devType: 'NAS',
  devFavorite: 1,
  devPresentLastScan: 1,
  devFirstConnection: '2026-11-01 08:15:00',
};
const exampleOne = {
  success: true,
  key: '00:1E:06:AA:BB:01',
  devStatus: 'online',
  ...exampleRecord,
  setByPerson: ['devName'],
  seenBy: [{ agent: 'main', online: true, since: '2026-11-01T08:15:00.000Z' }],
};
const EXPORT_JSON = z
  .object({
    data: z.array(z.union([DeviceSummary, DeviceRow])),
    columns: z.array(z.string()),
  })
  .meta({ id: 'DeviceExport' });
const EXPORT_HEADERS = ['Content-Disposition'] as const;
const exampleExport = { data: [exampleDevice], columns: Object.keys(exampleDevice) };

export const devices = {
  listDevices: {
    method: 'GET',
    path: '/devices',
    scope: 'devices:read',
    perSite: true,
    summary:
      'The devices of the site, archived ones too, as far as they fit the filters; in the order of their MAC addresses unless `sort` says another',
    query: z.object({
      ...deviceFilters,
      sort: sortQuery,
      fields: z.enum(['all']).optional().meta({ description: '`all`: the full record instead of the six fields.' }),
      limit: PageSize,
      cursor: ListCursor.optional(),
    }),
    response: z.object({
      success: succeeded,
      devices: z.array(z.union([DeviceSummary, ListedDevice])),
      total: Count.optional().meta({ description: 'In pages only: how many devices fit the filters, on all pages.' }),
      nextCursor: NextCursor,
    }),
    hasEtag: true,
    headers: ['LanReach-Stale-Since'],
    mcp: {
      name: 'list_devices',
      title: 'List devices',
      description:
        'The devices of a site with name, MAC address, IP address, type and status, in pages. ' +
        'With status only those of one category: online, offline, down (offline, and people want to be alerted), archived, favorites, new, my (all that are not archived). ' +
        'The filters text, type, group and vendor narrow the list further; total says how many devices fit, so to count devices a limit of 1 is enough. ' +
        'To find one device by name or address, use search_devices.',
      annotations: READ_ONLY,
      arguments: { limit: { schema: McpLimit } },
    },
    example: { response: { success: true, devices: [exampleDevice] } },
  },
  editDevices: {
    method: 'PATCH',
    path: '/devices',
    scope: 'devices:write',
    perSite: true,
    summary: `Set the same fields of up to ${inWords(MAX_EDITED_DEVICES)} devices, in one change`,
    maxBody: MAX_EDIT_BYTES,
    query: z.object({ dryRun: DryRun }),
    // Strict, as the edit of one device is.
    body: z.strictObject({
      devices: list(DeviceName, { min: 1, max: MAX_EDITED_DEVICES }).meta({
        description: 'The devices, each named as in the path of `/devices/{mac}`. One that is named twice counts once.',
      }),
      set: DeviceEdit.meta({ description: 'The fields to set, as in the body of `PATCH /devices/{mac}`.' }),
    }),
    response: z.object({
      success: succeeded,
      updated: Count.meta({ description: 'How many devices have changed; with `dryRun` how many would.' }),
      unchanged: Count.meta({ description: 'How many devices had these values already, set by a person.' }),
      missing: z
        .array(NodeId)
        .max(MAX_EDITED_DEVICES)
        .meta({ description: 'The keys of those that are not in the collection; the others are edited.' }),
      change: Changed.meta({ description: 'Names the change, for the events; null when nothing was changed.' }),
    }),
    errors: ['conflict'],
    example: {
      body: { devices: ['00:1E:06:AA:BB:01', '001e06aabb02'], set: { devLocation: 'attic' } },
      response: { success: true, updated: 1, unchanged: 0, missing: ['00:1E:06:AA:BB:02'], change: exampleChange },
    },
  },
  deviceFacets: {
    method: 'GET',
    path: '/devices/facets',
    scope: 'devices:read',
    perSite: true,
    summary:
      'The types, groups and vendors of the devices that are not archived, with the number of devices of each: the values that the filters of `GET /devices` take, which with `status=my` lists as many',
    response: Facets.extend({ success: succeeded }),
    hasEtag: true,
    example: {
      response: {
        success: true,
        type: {
          values: [
            { value: 'NAS', count: 2 },
            { value: '', count: 1 },
          ],
          truncated: false,
        },
        group: { values: [{ value: '', count: 3 }], truncated: false },
        vendor: {
          values: [
            { value: 'Synology', count: 2 },
            { value: '', count: 1 },
          ],
          truncated: false,
        },
      },
    },
  },
  deleteDevices: {
    method: 'DELETE',
    path: '/devices',
    scope: 'devices:write',
    perSite: true,
    summary: 'Delete devices by MAC address; `*` matches any run of characters; without `macs` all of the site',
    maxBody: 4 * 1024 * 1024, // 100,000 MACs, with room for white space.
    query: z.object({ dryRun: DryRun }),
    // Strict, because a misspelt `macs` must not mean "all".
    body: z.strictObject({
      macs: list(MacText, { max: MAX_MACS })
        .nullable()
        .optional()
        .meta({
          description:
            `MACs in any notation, and patterns in which \`*\` stands for any run of characters: at most ` +
            `${MAX_MAC_PATTERNS} different ones, with at most 17 characters beside the stars, compared in the ` +
            'notation in which they are written. Omitted or null: all devices of the site.',
        }),
    }),
    bodyOptional: true,
    response: z.object({ success: succeeded, deleted_count: Count, change: Changed }),
    errors: ['conflict'],
    example: { body: { macs: ['00:1E:06:*'] }, response: { success: true, deleted_count: 1, change: exampleChange } },
  },
  deleteEmptyMacs: {
    method: 'DELETE',
    path: '/devices/empty-macs',
    scope: 'devices:write',
    perSite: true,
    summary: 'Delete the devices that have no MAC address',
    query: z.object({ dryRun: DryRun }),
    response: z.object({ success: succeeded, deleted: Count, change: Changed }),
    errors: ['conflict'],
    example: { response: { success: true, deleted: 2, change: exampleChange } },
  },
  deleteUnknown: {
    method: 'DELETE',
    path: '/devices/unknown',
    scope: 'devices:write',
    perSite: true,
    summary: 'Delete the devices named `(unknown)` or `(name not found)`',
    query: z.object({ dryRun: DryRun }),
    response: z.object({ success: succeeded, deleted: Count, change: Changed }),
    errors: ['conflict'],
    example: { response: { success: true, deleted: 2, change: exampleChange } },
  },
  exportDevices: {
    method: 'GET',
    path: '/devices/export',
    scope: 'devices:read',
    perSite: true,
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
    method: 'GET',
    path: '/devices/export/{format}',
    scope: 'devices:read',
    perSite: true,
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
  importDevices: {
    method: 'POST',
    path: '/devices/import',
    scope: 'devices:write',
    perSite: true,
    summary: `Add and update devices from CSV, at most ${inWords(MAX_IMPORT_ROWS)} rows; nothing is changed when the file cannot be read as CSV`,
    maxBody: MAX_IMPORT_BYTES,
    query: z.object({
      mode: z
        .enum(['merge', 'replace'])
        .default('merge')
        .meta({ description: '`replace` also removes the devices that the file does not name.' }),
      dryRun: DryRun,
    }),
    body: z.object({
      content: z
        .string()
        .max(MAX_IMPORT_BYTES)
        .optional()
        .meta({ 'x-checked-further': true, description: 'The CSV file, UTF-8, in base64.' }),
    }),
    bodyOptional: true,
    upload: 'file',
    response: z.object({
      success: succeeded,
      inserted: Count.meta({ description: 'Rows taken over, new or known.' }),
      updated: Count.meta({ description: 'How many of them were known before.' }),
      deleted: Count.meta({ description: 'Devices that `mode=replace` removed.' }),
      change: Changed,
      skipped_lines: z
        .array(Line)
        .max(MAX_NAMED_LINES)
        .meta({ description: `The first ${inWords(MAX_NAMED_LINES)} lines that were not taken over.` }),
      skipped: Lines.meta({ description: 'The same lines, each with the reason.' }),
      skipped_count: Count.meta({ description: 'How many lines were not taken over, named or not.' }),
      adjusted: Lines.meta({
        description:
          `The first ${inWords(MAX_NAMED_LINES)} lines that were taken over with a change: a text that was cut at ` +
          `${inWords(MAX_LENGTHS.text)} characters; a parent that is no MAC address, a short text of more than ` +
          `${MAX_LENGTHS.label} or an encoded one of more than ${inWords(MAX_LENGTHS.encoded)} characters, which were ` +
          `left empty; a value of an extra column with more than ${inWords(MAX_EXTRA_VALUE)} characters, or beyond ` +
          `${inWords(MAX_EXTRA_LENGTH)} in all of one device, which was left out.`,
      }),
      adjusted_count: Count.meta({ description: 'How many lines were taken over with a change, named or not.' }),
      ignored_columns: z
        .array(z.string().max(100))
        .max(100)
        .meta({
          description:
            'Names in the header that cannot be kept, as they are written: the first 100 of them. Kept are the fields, ' +
            'and beside them as extra columns all names of letters, digits, `_` and `-` that begin with a letter and ' +
            `have at most 100 characters, up to ${MAX_EXTRA_COLUMNS} different ones in a site. Letter case counts ` +
            'in them.',
        }),
    }),
    errors: ['missing_file', 'malformed_csv', 'payload_too_large', 'conflict'],
    example: {
      body: { content: 'ZGV2TmFtZSxkZXZNQUMKbmFzLDAwOjFFOjA2OkFBOkJCOjAxCg==' },
      response: {
        success: true,
        inserted: 1,
        updated: 0,
        deleted: 0,
        change: exampleChange,
        skipped_lines: [],
        skipped: [],
        skipped_count: 0,
        adjusted: [],
        adjusted_count: 0,
        ignored_columns: [],
      },
    },
  },
  countDevices: {
    method: 'GET',
    path: '/devices/totals',
    scope: 'devices:read',
    perSite: true,
    summary: 'Numbers of devices: all that are not archived, online, favorites, new, down, archived',
    response: z.tuple([Count, Count, Count, Count, Count, Count]),
    headers: ['LanReach-Stale-Since'],
    example: { response: [40, 31, 4, 2, 1, 3] },
  },
  countDevicesByName: {
    method: 'GET',
    path: '/devices/totals/named',
    scope: 'devices:read',
    perSite: true,
    summary: 'The same numbers, each with a name; `devices` are all that are not archived',
    response: z.object({
      success: succeeded,
      totals: z.object({
        devices: Count,
        connected: Count,
        favorites: Count,
        new: Count,
        down: Count,
        archived: Count,
      }),
    }),
    headers: ['LanReach-Stale-Since'],
    example: {
      response: {
        success: true,
        totals: { devices: 40, connected: 31, favorites: 4, new: 2, down: 1, archived: 3 },
      },
    },
  },
  listByStatus: {
    method: 'GET',
    path: '/devices/by-status',
    scope: 'devices:read',
    perSite: true,
    summary: 'Devices of one category; without `status` every device',
    query: z.object({ status: StatusFilter.optional() }),
    response: StatusList,
    hasEtag: true,
    headers: ['LanReach-Stale-Since'],
    example: { query: { status: 'online' }, response: exampleStatusList },
  },
  queryByStatus: {
    method: 'POST',
    path: '/devices/by-status',
    scope: 'devices:read',
    perSite: true,
    summary: 'The same with `status` in the body, as some clients of NetAlertX ask for it',
    body: z.object({ status: StatusFilter.optional() }),
    bodyOptional: true,
    response: StatusList,
    headers: ['LanReach-Stale-Since'],
    example: { body: { status: 'online' }, response: exampleStatusList },
  },
  searchDevices: {
    method: 'POST',
    path: '/devices/search',
    scope: 'devices:read',
    perSite: true,
    summary: 'Devices whose name, MAC or IP address contains the query, in any letter case and MAC notation',
    body: z.object({
      query: z.string().min(1).max(256),
      limit: z.int().min(1).max(10_000).optional().meta({ description: 'Devices a page. Without it, all of them.' }),
      cursor: Cursor.optional(),
    }),
    response: z.object({
      success: succeeded,
      devices: z.array(z.object({ devName: z.string(), devMac: z.string(), devLastIP: z.string() })),
      nextCursor: NextCursor,
    }),
    mcp: {
      name: 'search_devices',
      title: 'Search devices',
      description:
        'Finds devices of a site whose name, MAC address or IP address contains a text. ' +
        'Use it to get the MAC address that other tools need. No match is an empty list.',
      annotations: READ_ONLY,
      arguments: { limit: { schema: McpLimit } },
    },
    example: {
      body: { query: 'nas' },
      response: {
        success: true,
        devices: [{ devName: 'nas', devMac: '00:1E:06:AA:BB:01', devLastIP: '192.168.1.20' }],
      },
    },
  },
  latestDevice: {
    method: 'GET',
    path: '/devices/latest',
    scope: 'devices:read',
    perSite: true,
    summary: 'The device that was connected for the first time most recently; an empty list when there is none',
    response: z
      .array(
        z.object({
          devName: z.string(),
          devMac: z.string(),
          devLastIP: z.string(),
          devFirstConnection: z.string(),
        }),
      )
      .max(1),
    mcp: {
      name: 'get_latest_device',
      title: 'Newest device',
      description:
        'The device that was seen on the site for the first time most recently; an empty list when there are no devices.',
      annotations: READ_ONLY,
      wrap: 'devices',
    },
    example: {
      response: [
        {
          devName: 'nas',
          devMac: '00:1E:06:AA:BB:01',
          devLastIP: '192.168.1.20',
          devFirstConnection: '2026-11-01 08:15:00',
        },
      ],
    },
  },
  networkTopology: {
    method: 'GET',
    path: '/devices/network/topology',
    scope: 'devices:read',
    perSite: true,
    summary:
      'Which device hangs on which: a node for each device and each parent, a link for each device with a parent; in pages, the parents of the devices of a page are among its nodes',
    query: z.object({ limit: PageSize, cursor: Cursor.optional() }),
    response: z.object({
      nodes: z.array(z.object({ id: NodeId, name: z.string(), vendor: z.string() })),
      links: z.array(z.object({ source: NodeId, target: NodeId, port: z.string() })),
      nextCursor: NextCursor,
    }),
    hasEtag: true,
    mcp: {
      name: 'get_network_topology',
      title: 'Network topology',
      description:
        'Which device hangs on which switch, access point or router: nodes (devices and their parents) and links from parent to device with the switch port, in pages of devices.',
      annotations: READ_ONLY,
      arguments: { limit: { schema: McpLimit } },
    },
    example: {
      response: {
        nodes: [
          { id: '00:1E:06:AA:BB:00', name: 'switch', vendor: 'Ubiquiti' },
          { id: '00:1E:06:AA:BB:01', name: 'nas', vendor: 'Synology' },
        ],
        links: [{ source: '00:1E:06:AA:BB:00', target: '00:1E:06:AA:BB:01', port: '4' }],
      },
    },
  },
  restoreDevices: {
    method: 'POST',
    path: '/devices/restore',
    scope: 'devices:write',
    perSite: true,
    summary: `Bring back what a change deleted in the last ${RESTORABLE_DAYS} days, by a delete or by an import with \`mode=replace\``,
    maxBody: 4 * 1024 * 1024, // As for deleting: 100,000 devices.
    query: z.object({ dryRun: DryRun }),
    // Strict: a misspelt `macs` must not read as "all".
    body: z.strictObject({
      change: z
        .union([ChangeId, z.int().min(0)])
        .optional()
        .meta({
          description:
            '`change` of the answer that deleted them, or of an event. Omitted: the latest that deleted any.',
        }),
      macs: list(MacText, { max: MAX_MACS })
        .optional()
        .meta({ description: 'Only these of them: MACs in any notation, or keys as topology has them.' }),
    }),
    bodyOptional: true,
    response: z.object({
      success: succeeded,
      restored: Count,
      skipped: Count.meta({
        description:
          'Devices that were asked for and not brought back: they exist again, or this change did not delete them.',
      }),
      change: ChangeId.meta({ description: 'The change that had deleted them.' }),
    }),
    errors: ['not_found', 'conflict'],
    example: {
      body: { change: exampleChange },
      response: { success: true, restored: 2, skipped: 0, change: exampleChange },
    },
  },
  getDevice: {
    method: 'GET',
    path: '/devices/{mac}',
    scope: 'devices:read',
    perSite: true,
    summary: 'One device: the full record, and what is known beside it; its ETag is for `If-Match`',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: OneDevice,
    hasEtag: true,
    errors: ['not_found'],
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: exampleOne },
  },
  showDevice: {
    method: 'GET',
    path: '/device/{mac}',
    scope: 'devices:read',
    perSite: true,
    summary: 'The same under the path that clients of NetAlertX use',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: OneDevice,
    errors: ['not_found'],
    hasEtag: true,
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: exampleOne },
  },
  editDevice: {
    method: 'PATCH',
    path: '/devices/{mac}',
    scope: 'devices:write',
    perSite: true,
    summary: 'Change fields of one device; with `If-Match` only if it is still as it was read',
    params: DeviceParams,
    onlyKnownPaths: true,
    maxBody: MAX_EDIT_BYTES,
    body: DeviceEdit,
    response: OneDevice,
    hasEtag: true,
    errors: ['not_found', 'precondition_failed', 'conflict'],
    example: { params: { mac: '00:1E:06:AA:BB:01' }, body: { devName: 'nas' }, response: exampleOne },
  },
  deleteDevice: {
    method: 'DELETE',
    path: '/devices/{mac}',
    scope: 'devices:write',
    perSite: true,
    summary: 'Delete one device; with `If-Match` only if it is still as it was read',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: z.object({ success: succeeded, deleted: z.literal(1), change: ChangeId }),
    errors: ['not_found', 'precondition_failed', 'conflict'],
    example: {
      params: { mac: '00:1E:06:AA:BB:01' },
      response: { success: true, deleted: 1, change: exampleChange },
    },
  },
  setAlias: {
    method: 'POST',
    path: '/device/{mac}/set-alias',
    scope: 'devices:write',
    perSite: true,
    summary: 'Name a device, as clients of NetAlertX do it; `PATCH /devices/{mac}` does more',
    params: DeviceParams,
    onlyKnownPaths: true,
    body: z.object({ alias: z.string().min(1).max(MAX_LENGTHS.text) }),
    response: z.object({ success: succeeded }),
    errors: ['not_found', 'conflict'],
    mcp: {
      name: 'set_device_alias',
      title: 'Rename a device',
      description:
        'Sets the name of one device, in place of the present one; discovery leaves it alone afterwards. ' +
        'search_devices finds the MAC address.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      arguments: { alias: { schema: z.string().min(1).max(128).meta({ description: 'The new name.' }) } },
    },
    example: { params: { mac: '00:1E:06:AA:BB:01' }, body: { alias: 'nas' }, response: { success: true } },
  },
  listDevicePorts: {
    method: 'GET',
    path: '/devices/{mac}/ports',
    scope: 'devices:read',
    perSite: true,
    summary:
      'The open ports of one device, by number, as port scans (`POST /nettools/nmap`) of any user found them; of each port the newest scan that tried it decides',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: DevicePorts,
    errors: ['not_found'],
    mcp: {
      name: 'get_open_ports',
      title: 'Open ports of a device',
      description:
        'The open TCP ports and services of one device, named by its MAC or IP address, as earlier port scans found them: nothing is scanned now. ' +
        'An empty list with scannedAt null means that nobody has scanned it yet; run_nmap or trigger_scan with type NMAP does.',
      annotations: READ_ONLY,
      arguments: {
        target: {
          field: 'mac',
          schema: z
            .string()
            .min(1)
            .max(100)
            .meta({ description: 'MAC address, or the IP address it was seen at last.' }),
        },
      },
      addressable: 'target',
    },
    hasEtag: true,
    example: {
      params: { mac: '00:1E:06:AA:BB:01' },
      response: {
        success: true,
        mac: '00:1E:06:AA:BB:01',
        scannedAt: '2026-11-01T08:15:00.000Z',
        ports: [
          {
            port: 22,
            protocol: 'tcp',
            state: 'open',
            service: 'ssh',
            product: 'OpenSSH',
            version: '9.2p1',
            identifiedAt: '2026-10-30T20:00:00.000Z',
            seenAt: '2026-11-01T08:15:00.000Z',
            firstSeenAt: '2026-10-30T20:00:00.000Z',
            scan: 'home.01934c1e-5f00-7a11-8a22-0123456789ab',
            mode: 'fast',
          },
        ],
      },
    },
  },
  listDeviceEvents: {
    method: 'GET',
    path: '/devices/{mac}/events',
    scope: 'devices:read',
    perSite: true,
    summary: `What has happened to one device, also to one that was deleted; ${ABOUT_EVENTS}`,
    params: DeviceParams,
    onlyKnownPaths: true,
    query: EventQuery,
    response: EventList,
    otherMedia: ['text/event-stream'],
    hasEtag: true,
    errors: ['not_found'],
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: exampleEvents },
  },
  listEvents: {
    method: 'GET',
    path: '/events',
    scope: 'devices:read',
    perSite: true,
    summary: `What has happened to the devices of the site; ${ABOUT_EVENTS}`,
    query: EventQuery.extend({
      device: DeviceName.optional().meta({ description: 'Only events of this device, named as in paths.' }),
    }),
    response: EventList,
    otherMedia: ['text/event-stream'],
    hasEtag: true,
    mcp: {
      name: 'what_changed',
      title: 'What has changed',
      description:
        'What has happened to the devices of a site, the newest first: new devices, online, offline, down, changed addresses, names and fields, deletions, imports. ' +
        'Pass since as a time such as 2026-11-01T08:15:00Z to see only what is newer.',
      annotations: READ_ONLY,
      arguments: { limit: { schema: McpLimit } },
    },
    example: { response: exampleEvents },
  },
} as const satisfies Operations;
