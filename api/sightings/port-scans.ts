/** What port scans find, on its way to the devices on which it was found. */
import { fitToTell } from '../../shared/agent/discovery.ts';
import type { EndedJob } from '../../shared/agent/messages.ts';
import { ServiceError } from '../../shared/errors.ts';
import { siteOfJob } from '../../shared/identity.ts';
import { formatIp, parseIp, parseMac, rangeOf, rangeWithin, TargetRange } from '../../shared/network.ts';
import type { CommandJson, ToolResult } from '../../shared/tools/list.ts';
import type { Assignment } from '../../store/commands/job-store.ts';
import type { DeviceKey, StoredDevice } from '../../store/devices/device-codec.ts';
import type { DeviceStore } from '../../store/devices/device-store.ts';
import {
  type DeviceScan,
  type FoundPort,
  isPortList,
  PORT_PROTOCOLS,
  type ScanName,
} from '../../store/devices/merge-ports.ts';
import type { PortStore } from '../../store/devices/port-store.ts';
import type { Snapshot } from '../../store/devices/snapshot.ts';

/** Rows that are written at once. A scan of a /22 may meet a thousand devices. */
const AT_ONCE = 16;

const MAX_SERVICE_CHARACTERS = 64;
const MAX_PRODUCT_CHARACTERS = 200;

/**
 * Stores the ports that a job found with the devices of its site. Does nothing for other results; storing one again
 * changes nothing. Rejects when the database fails.
 */
export async function storePorts(
  { devices, ports }: { devices: DeviceStore; ports: PortStore },
  { id, command }: Pick<Assignment, 'id' | 'command'>,
  { state, result, endedAt }: EndedJob,
): Promise<void> {
  if (command.tool !== 'nmap' || state !== 'succeeded' || result === null) return;
  const site = siteOfJob(id);
  const collection = await devices.read(site).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'site_forbidden') return null; // It is being removed.
    throw error;
  });
  if (collection === null) return;
  const { snapshot, born } = collection;
  // The schema of the tool has parsed it, which the compiler cannot know.
  const scans = [...scansByDevice(snapshot, { scan: id, at: endedAt }, command, result as ToolResult<'nmap'>)];
  for (let at = 0; at < scans.length; at += AT_ONCE) {
    await Promise.all(
      scans
        .slice(at, at + AT_ONCE)
        .map(([device, scan]) => ports.merge({ site, device }, { version: snapshot.version, born }, scan)),
    );
  }
}

type Host = ToolResult<'nmap'>['hosts'][number];

/**
 * What a scan found, by device. A host is a device by its MAC if the scan has seen it, else by its address. Hosts that are
 * no devices, that were not met, or that the job was not to scan are left out.
 */
export function scansByDevice(
  snapshot: Snapshot,
  name: ScanName,
  { target, mode }: Extract<CommandJson, { tool: 'nmap' }>,
  { hosts, triedTcpPorts }: ToolResult<'nmap'>,
): Map<DeviceKey, DeviceScan> {
  const scanned = TargetRange.parse(target).range;
  const tried = triedTcpPorts !== null && isPortList(triedTcpPorts) ? triedTcpPorts : '';
  const scans = new Map<DeviceKey, DeviceScan>();
  for (const host of hosts) {
    const address = parseIp(host.address);
    if (host.state !== 'up' || address === null || !rangeWithin(rangeOf({ ...address, zone: null }), scanned)) continue;
    const device = deviceOf(snapshot, host, formatIp(address));
    if (device === undefined) continue;
    const open = openPorts(host);
    // Without host discovery, every address counts as a host that is up.
    const wasThere = mode !== 'skipdiscovery' || host.mac !== null || open.length > 0;
    const whole: DeviceScan = { ...name, mode, tried: wasThere && !host.timedOut ? tried : '', open };
    const other = scans.get(device.key);
    scans.set(device.key, other === undefined ? whole : together(other, whole));
  }
  return scans;
}

function deviceOf(snapshot: Snapshot, { mac }: Host, address: string): StoredDevice | undefined {
  if (mac !== null) return snapshot.get(parseMac(mac) ?? '');
  return snapshot.derive('by address', devicesByAddress).get(address) ?? undefined;
}

/** The device that has an address: one that is present, else one that had it last. Null where two have an equal claim. */
function devicesByAddress(devices: readonly StoredDevice[]): Map<string, StoredDevice | null> {
  const known = devices.filter(({ record }) => record.devLastIP !== '');
  const [absent, present] = [0, 1].map((state) =>
    byAddress(known.filter(({ record }) => record.devPresentLastScan === state)),
  );
  return new Map([...(absent ?? []), ...(present ?? [])]);
}

function byAddress(devices: readonly StoredDevice[]): Map<string, StoredDevice | null> {
  const found = new Map<string, StoredDevice | null>();
  for (const device of devices) {
    const { devLastIP } = device.record;
    found.set(devLastIP, found.has(devLastIP) ? null : device);
  }
  return found;
}

/** The ports of a host, with texts that are fit to be shown; those that no scan can find are left out. */
function openPorts({ ports }: Host): FoundPort[] {
  const found = new Map<string, FoundPort>();
  for (const { port, protocol, state, service, product, version } of ports) {
    const known = PORT_PROTOCOLS.find((one) => one === protocol);
    if (known === undefined || port < 0 || port > 65_535 || !(state === 'open' || state === 'open|filtered')) continue;
    const readable = (text: string | null, longest: number) => (text === null ? null : fitToTell(text, longest));
    found.set(`${known}/${port}`, {
      port,
      protocol: known,
      state,
      service: readable(service, MAX_SERVICE_CHARACTERS),
      product: readable(product, MAX_PRODUCT_CHARACTERS),
      version: readable(version, MAX_PRODUCT_CHARACTERS),
    });
  }
  return [...found.values()];
}

/** A device that was met at several addresses of the range has the open ports of all of them. */
function together(one: DeviceScan, other: DeviceScan): DeviceScan {
  const isKnown = new Set(one.open.map(({ protocol, port }) => `${protocol}/${port}`));
  const further = other.open.filter(({ protocol, port }) => !isKnown.has(`${protocol}/${port}`));
  return { ...one, tried: one.tried === other.tried ? one.tried : '', open: [...one.open, ...further] };
}
