/** Queries of the collection: numbers, categories, search, the newest device, the topology. */
import * as z from 'zod';
import { DeviceStatus, StatusFilter } from '../device.ts';
import { McpLimit, READ_ONLY } from '../mcp-tool.ts';
import { NodeId } from './device-list.ts';
import { Count, NextCursor, PageSize, PastMoment } from './device-terms.ts';
import { answer, Cursor, type Operations, onSite } from './operation.ts';

/** The devices of one category. */
const StatusList = z.array(
  z.object({
    id: z.string().describe('The MAC address; empty for a device without one.'),
    title: z.string().describe('The name, of a favorite with a leading `★ `.'),
    favorite: z.union([z.literal(0), z.literal(1)]),
  }),
);
const exampleStatusList = [{ id: '00:1E:06:AA:BB:01', title: '★ nas', favorite: 1 }];

export const views = {
  countDevices: {
    ...onSite('GET', '/devices/totals', 'devices:read'),
    summary: 'Numbers of devices: not archived, online, favorites, new, down, archived',
    query: z.object({ at: PastMoment }),
    response: z.tuple([Count, Count, Count, Count, Count, Count]),
    headers: ['LanReach-Stale-Since'],
    errors: ['not_found'],
    example: { response: [40, 31, 4, 2, 1, 3] },
  },
  countDevicesByName: {
    ...onSite('GET', '/devices/totals/named', 'devices:read'),
    summary: 'The numbers of devices by name; `devices` are all that are not archived',
    query: z.object({ at: PastMoment }),
    response: answer({
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
    errors: ['not_found'],
    example: {
      response: {
        success: true,
        totals: { devices: 40, connected: 31, favorites: 4, new: 2, down: 1, archived: 3 },
      },
    },
  },
  listByStatus: {
    ...onSite('GET', '/devices/by-status', 'devices:read'),
    summary: 'Devices of one category; without `status` every device',
    query: z.object({ status: StatusFilter.optional() }),
    response: StatusList,
    hasEtag: true,
    headers: ['LanReach-Stale-Since'],
    example: { query: { status: 'online' }, response: exampleStatusList },
  },
  queryByStatus: {
    ...onSite('POST', '/devices/by-status', 'devices:read'),
    audit: null,
    summary: 'Devices of one category, with `status` in the body, for some clients of NetAlertX',
    body: z.strictObject({ status: StatusFilter.optional() }),
    bodyOptional: true,
    response: StatusList,
    headers: ['LanReach-Stale-Since'],
    example: { body: { status: 'online' }, response: exampleStatusList },
  },
  searchDevices: {
    ...onSite('POST', '/devices/search', 'devices:read'),
    audit: null,
    summary: 'Devices whose name, MAC or IP address contains the query, in any letter case and MAC notation',
    body: z.strictObject({
      query: z.string().min(1).max(256),
      limit: z.int().min(1).max(10_000).optional().describe('Devices a page. Default: all.'),
      cursor: Cursor.optional(),
    }),
    response: answer({
      devices: z.array(
        z.object({ devName: z.string(), devMac: z.string(), devLastIP: z.string(), devType: z.string() }),
      ),
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
        devices: [{ devName: 'nas', devMac: '00:1E:06:AA:BB:01', devLastIP: '192.168.1.20', devType: 'NAS' }],
      },
    },
  },
  latestDevice: {
    ...onSite('GET', '/devices/latest', 'devices:read'),
    summary: 'The most recently discovered device; an empty list when there is none',
    response: z
      .array(
        z.object({ devName: z.string(), devMac: z.string(), devLastIP: z.string(), devFirstConnection: z.string() }),
      )
      .max(1),
    mcp: {
      name: 'get_latest_device',
      title: 'Newest device',
      description: 'The most recently discovered device of the site; an empty list when there are no devices.',
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
    ...onSite('GET', '/devices/network/topology', 'devices:read'),
    summary:
      'The topology: a node for each device and each parent, a link for each device with a parent; in pages, each page also has the parents of its devices as nodes',
    query: z.object({
      at: PastMoment,
      fields: z.enum(['all']).optional().describe('`all`: nodes also have address, type and status.'),
      limit: PageSize,
      cursor: Cursor.optional(),
    }),
    response: z.object({
      nodes: z.array(
        z.object({
          id: NodeId,
          name: z.string(),
          vendor: z.string(),
          ip: z.string().optional(),
          type: z.string().optional(),
          status: DeviceStatus.optional().describe(
            'With `fields=all`; absent for a parent that is no device of the site.',
          ),
        }),
      ),
      links: z.array(z.object({ source: NodeId, target: NodeId, port: z.string() })),
      nextCursor: NextCursor,
    }),
    hasEtag: true,
    mcp: {
      name: 'get_network_topology',
      title: 'Network topology',
      description:
        'Which device is connected to which switch, access point or router: nodes (devices and their parents) and links from parent to device with the switch port, in pages of devices.',
      arguments: { limit: { schema: McpLimit } },
    },
    errors: ['not_found'],
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
} as const satisfies Operations;
