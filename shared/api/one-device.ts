/** `/devices/{mac}`: one device, its open ports, and the paths that clients of NetAlertX use for it. */
import * as z from 'zod';
import { BLANK_DEVICE, DEVICE_FIELDS, DeviceRecord, DeviceStatus, MAX_JOINED, MAX_LENGTHS } from '../device.ts';
import { AgentName, JobId } from '../identity.ts';
import { NmapMode } from '../tools/nmap.ts';
import { DeviceEdit, MAX_EDIT_BYTES } from './device-edits.ts';
import { DeviceWatch, NodeId } from './device-list.ts';
import { BY_ADDRESS, ChangeId, DeviceParams, exampleChange } from './device-terms.ts';
import { answer, named, type Operations, onSite, queryTime, succeeded } from './operation.ts';
import { Time } from './records.ts';

/** One device in full. */
const OneDevice = DeviceRecord.extend({
  success: succeeded,
  key: NodeId.describe('Its MAC, `Internet`, or `~<uuid>` for a device without MAC: as in topology.'),
  devStatus: DeviceStatus,
  setByPerson: z
    .array(z.enum(DEVICE_FIELDS))
    .describe('The fields that people have set, directly or by an import: discovery leaves them alone.'),
  seenBy: z
    .array(z.object({ agent: AgentName, online: z.boolean(), since: Time }))
    .describe('The report of each agent that has seen the device, and since when.'),
  joined: z
    .array(
      z.object({
        mac: z.string().max(17),
        ip: z.string().max(64).describe('Its last address; empty if unknown.'),
        online: z.boolean().describe('Whether an agent last reported it online.'),
        seenAt: Time.nullable().describe('When it was last seen.'),
        joinedAt: Time,
      }),
    )
    .max(MAX_JOINED)
    .describe('The other MACs of the device, the latest first. Each names the device in every path that takes a MAC.'),
  watch: DeviceWatch,
  lastSeenAt: Time.nullable().describe(
    'When the device was last online: for a monitored online device, the time of the answer; else devLastConnection. A 304 does not update it, so for such a device it means now. null: never.',
  ),
}).meta({ id: 'Device' });
export type OneDevice = z.infer<typeof OneDevice>;

/** A port that the last scan of it found open. */
export const DevicePort = named('DevicePort', {
  port: z.int().min(0).max(65_535),
  protocol: z.enum(['tcp', 'udp', 'sctp']),
  address: z
    .string()
    .max(64)
    .optional()
    .describe('The address with the open port; absent for the main address, `devLastIP`.'),
  state: z.string().describe('`open`, or `open|filtered` where nmap cannot distinguish them.'),
  service: z.string().nullable().describe('Its name in nmap, by its number if no product is known.'),
  product: z.string().nullable().optional(),
  version: z.string().nullable().optional(),
  identifiedAt: z.iso
    .datetime()
    .optional()
    .describe('When a scan of mode `detail` last found product and version; other modes do not change them.'),
  seenAt: z.iso.datetime().describe('When a scan last found it open.'),
  firstSeenAt: z.iso.datetime(),
  scan: JobId.describe('The job of the scan that last found it open.'),
  mode: NmapMode.describe('The mode of that scan.'),
  new: z
    .literal(true)
    .optional()
    .describe('That scan found it opened: an earlier one had probed it, and it was not open.'),
});
export type DevicePort = z.infer<typeof DevicePort>;

/** A port that a scan found opened or closed. */
const ChangedPort = named('ChangedPort', {
  ...DevicePort.pick({ port: true, protocol: true, address: true, service: true }).shape,
  at: Time.describe('When the scan that found it ended.'),
  scan: JobId,
});
export type ChangedPort = z.infer<typeof ChangedPort>;

/** The start of the comparison of ports. */
const DiffSince = z
  .union([z.literal('last'), JobId, queryTime], {
    error: 'expected `last`, the id of a job, or a time such as 2026-11-01T08:15:00Z',
  })
  .meta({
    description:
      'Also the changes: since a time (ISO 8601), since a scan, by the id of its job, or by the `last` scan that reached the device.',
    'x-checked-further': true,
  });

/** The open ports of one device. */
const DevicePorts = answer({
  mac: NodeId.describe('The key of the device: its MAC, `Internet`, or `~<uuid>`.'),
  scannedAt: z.iso
    .datetime()
    .nullable()
    .describe('When a scan last reached the device; null if none has in the last 90 days.'),
  ports: z.array(DevicePort),
  diff: z
    .object({ since: Time.nullable(), opened: z.array(ChangedPort), closed: z.array(ChangedPort) })
    .optional()
    .describe(
      'With `?diff=`: each port that a scan found opened or closed, the newest first, if an earlier scan had probed the same port. The last 200 changes are kept, for 90 days.',
    ),
});
export type DevicePorts = z.infer<typeof DevicePorts>;

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
  joined: [],
  watch: { state: 'watched', since: null },
  lastSeenAt: '2026-11-01T09:41:12.000Z',
};

export const oneDevice = {
  getDevice: {
    ...onSite('GET', '/devices/{mac}', 'devices:read'),
    summary: 'One device: the full record with its present state; its ETag is for `If-Match`',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: OneDevice,
    hasEtag: true,
    errors: ['not_found'],
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: exampleOne },
  },
  showDevice: {
    ...onSite('GET', '/device/{mac}', 'devices:read'),
    summary: 'One device, under the path that clients of NetAlertX use',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: OneDevice,
    errors: ['not_found'],
    hasEtag: true,
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: exampleOne },
  },
  editDevice: {
    ...onSite('PATCH', '/devices/{mac}', 'devices:write'),
    audit: 'device.edit',
    summary: 'Change fields of one device; with `If-Match` only if it is unchanged since it was read',
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
    ...onSite('DELETE', '/devices/{mac}', 'devices:write'),
    audit: 'device.delete',
    summary:
      'Delete one device with all its MACs; with `If-Match` only if it is unchanged since it was read. Its other MACs are not accepted here: 409',
    params: DeviceParams,
    onlyKnownPaths: true,
    response: answer({ deleted: z.literal(1), change: ChangeId }),
    errors: ['not_found', 'precondition_failed', 'conflict'],
    example: { params: { mac: '00:1E:06:AA:BB:01' }, response: { success: true, deleted: 1, change: exampleChange } },
  },
  setAlias: {
    ...onSite('POST', '/device/{mac}/set-alias', 'devices:write'),
    audit: 'device.edit',
    summary: 'Name a device, for clients of NetAlertX; `PATCH /devices/{mac}` does more',
    params: DeviceParams,
    onlyKnownPaths: true,
    body: z.strictObject({ alias: z.string().min(1).max(MAX_LENGTHS.text) }),
    response: answer({}),
    errors: ['not_found', 'conflict'],
    mcp: {
      name: 'set_device_alias',
      title: 'Rename a device',
      description:
        'Sets the name of one device, replacing the present one; discovery leaves it alone afterwards. ' +
        'search_devices finds the MAC address.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      arguments: { alias: { schema: z.string().min(1).max(128).describe('The new name.') } },
    },
    example: { params: { mac: '00:1E:06:AA:BB:01' }, body: { alias: 'nas' }, response: { success: true } },
  },
  listDevicePorts: {
    ...onSite('GET', '/devices/{mac}/ports', 'devices:read'),
    summary:
      'The open ports of one device, by number, from port scans (`POST /nettools/nmap`) of any user; for each port the newest scan that probed it counts',
    params: DeviceParams,
    onlyKnownPaths: true,
    query: z.object({ diff: DiffSince.optional() }),
    response: DevicePorts,
    errors: ['not_found'],
    mcp: {
      name: 'get_open_ports',
      title: 'Open ports of a device',
      description:
        'The open ports and services of one device, named by its MAC or IP address, from earlier port scans: it starts no scan. ' +
        'With diff also which ports opened and closed since a time, or by the last scan (diff: last). ' +
        'An empty list with scannedAt null means that it has not been scanned yet; run_nmap or trigger_scan with type NMAP does.',
      ...BY_ADDRESS,
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
} as const satisfies Operations;
