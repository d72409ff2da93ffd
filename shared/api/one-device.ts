/** `/devices/{mac}`: one device, its open ports, and the paths that clients of NetAlertX use for it. */
import * as z from 'zod';
import { BLANK_DEVICE, DEVICE_FIELDS, DeviceRecord, DeviceStatus, MAX_JOINED, MAX_LENGTHS } from '../device.ts';
import { AgentName, JobId } from '../identity.ts';
import { NmapMode } from '../tools/nmap.ts';
import { DeviceEdit, MAX_EDIT_BYTES } from './device-edits.ts';
import { DeviceWatch, NodeId } from './device-list.ts';
import { ChangeId, DeviceParams, exampleChange, READ_ONLY, succeeded } from './device-terms.ts';
import { type Operations, queryTime } from './operation.ts';
import { Time } from './records.ts';

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
  joined: z
    .array(
      z.object({
        mac: z.string().max(17),
        ip: z.string().max(64).meta({ description: 'Its last address; empty when none is known.' }),
        online: z.boolean().meta({ description: 'Whether an agent said last that it is there.' }),
        seenAt: Time.nullable().meta({ description: 'When it was last seen.' }),
        joinedAt: Time,
      }),
    )
    .max(MAX_JOINED)
    .meta({
      description:
        'The other MACs of the device, the one seen last first. Each names the device in every path that takes a MAC.',
    }),
  watch: DeviceWatch,
  lastSeenAt: Time.nullable().meta({
    description:
      'When the device was there last: for one that is online and watched, the time of the answer; else devLastConnection. An answer 304 leaves it as it is, so for such a device it means now. null: never.',
  }),
}).meta({ id: 'Device' });
export type OneDevice = z.infer<typeof OneDevice>;

/** A port that was open when a scan last tried it. */
export const DevicePort = z
  .object({
    port: z.int().min(0).max(65_535),
    protocol: z.enum(['tcp', 'udp', 'sctp']),
    address: z.string().max(64).optional().meta({
      description: 'The address of the device at which it is open; absent for its main address, `devLastIP`.',
    }),
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
    new: z
      .literal(true)
      .optional()
      .meta({ description: 'That scan found it opened: one before had tried it, and it was not open.' }),
  })
  .meta({ id: 'DevicePort' });
export type DevicePort = z.infer<typeof DevicePort>;

/** A port that a scan found opened or closed. */
const ChangedPort = z
  .object({
    ...DevicePort.pick({ port: true, protocol: true, address: true, service: true }).shape,
    at: Time.meta({ description: 'When the scan ended that found it so.' }),
    scan: JobId,
  })
  .meta({ id: 'ChangedPort' });
export type ChangedPort = z.infer<typeof ChangedPort>;

/** What the changes of ports are counted from. */
const DiffSince = z
  .union([z.literal('last'), JobId, queryTime], {
    error: 'expected `last`, the id of a job, or a time such as 2026-11-01T08:15:00Z',
  })
  .meta({
    description:
      'Also what has changed: since a time (ISO 8601), after a scan, by the id of its job, or by the `last` scan that met the device.',
    'x-checked-further': true,
  });

/** The open ports of one device. */
const DevicePorts = z.object({
  success: succeeded,
  mac: NodeId.meta({ description: 'The key of the device: its MAC, `Internet`, or `~<uuid>`.' }),
  scannedAt: z.iso.datetime().nullable().meta({
    description: 'When a scan last met the device; null when none has in the last 90 days.',
  }),
  ports: z.array(DevicePort),
  diff: z
    .object({ since: Time.nullable(), opened: z.array(ChangedPort), closed: z.array(ChangedPort) })
    .optional()
    .meta({
      description:
        'With `?diff=`: each port that a scan found opened or closed, the newest first, where an earlier scan had tried the same port. The last 200 changes are remembered, for 90 days.',
    }),
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
    audit: 'device.edit',
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
    audit: 'device.delete',
    perSite: true,
    summary:
      'Delete one device with all its MACs; with `If-Match` only if it is still as it was read. One of its other MACs does not name it here: 409',
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
    audit: 'device.edit',
    perSite: true,
    summary: 'Name a device, as clients of NetAlertX do it; `PATCH /devices/{mac}` does more',
    params: DeviceParams,
    onlyKnownPaths: true,
    body: z.strictObject({ alias: z.string().min(1).max(MAX_LENGTHS.text) }),
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
    query: z.object({ diff: DiffSince.optional() }),
    response: DevicePorts,
    errors: ['not_found'],
    mcp: {
      name: 'get_open_ports',
      title: 'Open ports of a device',
      description:
        'The open ports and services of one device, named by its MAC or IP address, as earlier port scans found them: nothing is scanned now. ' +
        'With diff also which ports were opened and closed since a time, or by the last scan (diff: last). ' +
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
} as const satisfies Operations;
