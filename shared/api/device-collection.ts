/** The list of devices, the values of its filters, and an edit of many devices. */
import * as z from 'zod';
import { DeviceSummary } from '../device.ts';
import { McpLimit } from '../mcp-tool.ts';
import { thousands } from '../text.ts';
import { DeviceEdit, MAX_EDIT_BYTES, MAX_EDITED_DEVICES } from './device-edits.ts';
import {
  deviceFilters,
  Facets,
  Groups,
  groupQuery,
  ListCursor,
  ListedDevice,
  NodeId,
  sortQuery,
} from './device-list.ts';
import {
  Changed,
  Count,
  DeviceName,
  DryRun,
  exampleChange,
  exampleDevice,
  NextCursor,
  PageSize,
  PastMoment,
} from './device-terms.ts';
import { list } from './list.ts';
import { answer, type Operations, onSite, succeeded } from './operation.ts';

export const collection = {
  listDevices: {
    ...onSite('GET', '/devices', 'devices:read'),
    summary:
      'The devices of the site, including archived ones, that match the filters; in the order of their MAC addresses unless `sort` sets another; with `at` as they were then, but with the present `watch`',
    query: z.object({
      ...deviceFilters,
      sort: sortQuery,
      groupBy: groupQuery,
      at: PastMoment,
      fields: z.enum(['all']).optional().describe('`all`: the full record instead of the six fields.'),
      limit: PageSize,
      cursor: ListCursor.optional(),
    }),
    response: answer({
      devices: z.array(z.union([DeviceSummary, ListedDevice])),
      total: Count.optional().describe('In pages only: how many devices match the filters, on all pages.'),
      groups: Groups,
      truncated: z
        .literal(true)
        .optional()
        .describe(
          'Only with `port`, when not all scans of the site were read: further devices may have the port open.',
        ),
      nextCursor: NextCursor,
    }),
    hasEtag: true,
    headers: ['LanReach-Stale-Since'],
    mcp: {
      name: 'list_devices',
      title: 'List devices',
      description:
        'The devices of a site with name, MAC address, IP address, type and status, in pages. ' +
        'With status only those of one category: online, offline, down (offline, with an alert wanted), archived, favorites, new, my (all that are not archived). ' +
        'The filters text, type, group and vendor narrow the list further; total is the number of matching devices, so to count devices a limit of 1 is enough. ' +
        'The status is the last known one: with fields all, `watch` shows whether an agent monitors the device now, and if not, since when; watch unknown lists only unmonitored devices. ' +
        'With at, such as 2026-11-01T08:15:00Z, the devices as they were then. ' +
        'To find one device by name or address, use search_devices.',
      arguments: { limit: { schema: McpLimit } },
    },
    errors: ['not_found'],
    example: { response: { success: true, devices: [exampleDevice] } },
  },
  editDevices: {
    ...onSite('PATCH', '/devices', 'devices:write'),
    audit: 'devices.edit',
    summary: `Set the same fields of up to ${thousands(MAX_EDITED_DEVICES)} named devices, or of all that match a filter, in one change`,
    maxBody: MAX_EDIT_BYTES,
    query: z.object({ dryRun: DryRun }),
    // Strict, as the edit of one device is.
    body: z
      .strictObject({
        devices: list(DeviceName, { min: 1, max: MAX_EDITED_DEVICES })
          .optional()
          .describe('The devices, each named as in the path of `/devices/{mac}`. Duplicates count once.'),
        match: z
          .strictObject({ ...deviceFilters, port: z.int().min(1).max(65_535).optional() })
          .refine((filter) => Object.keys(filter).length > 0, 'expected at least one filter')
          .optional()
          .describe('Instead of `devices`: all that `GET /devices?fields=all` lists with these filters.'),
        set: DeviceEdit.describe('The fields to set, as in the body of `PATCH /devices/{mac}`.'),
      })
      .refine(({ devices, match }) => (devices === undefined) !== (match === undefined), {
        path: ['devices'],
        message: 'expected either `devices` or `match`',
      }),
    response: answer({
      updated: Count.describe('How many devices have changed; with `dryRun`, would change.'),
      unchanged: Count.describe('How many devices already had these values, set by a person.'),
      missing: z
        .array(NodeId)
        .max(MAX_EDITED_DEVICES)
        .describe('The keys of devices that are not in the collection; the others are edited.'),
      change: Changed.describe('Id of the change, for the events; null when nothing changed.'),
    }),
    errors: ['conflict'],
    example: {
      body: { devices: ['00:1E:06:AA:BB:01', '001e06aabb02'], set: { devLocation: 'attic' } },
      response: { success: true, updated: 1, unchanged: 0, missing: ['00:1E:06:AA:BB:02'], change: exampleChange },
    },
  },
  deviceFacets: {
    ...onSite('GET', '/devices/facets', 'devices:read'),
    summary:
      'The types, groups and vendors of the devices that are not archived, with the number of devices of each: values for the filters of `GET /devices`, which with `status=my` lists as many',
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
        model: { values: [{ value: '', count: 3 }], truncated: false },
        online: 1,
        offline: 2,
        down: 0,
        unknown: 0,
        named: 2,
      },
    },
  },
} as const satisfies Operations;
