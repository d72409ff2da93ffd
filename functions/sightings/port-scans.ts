/** Stores the findings of port scans with the devices. */
import { fitToReport } from '../../shared/agent/fit-text.ts';
import type { EndedJob } from '../../shared/agent/messages.ts';
import { siteOfJob } from '../../shared/identity.ts';
import { formatIp, type IpRange, parseIp, parseMac, rangeOf, rangeWithin, TargetRange } from '../../shared/network.ts';
import type { CommandJson, ToolResult } from '../../shared/tools/list.ts';
import type { NmapProtocol } from '../../shared/tools/nmap.ts';
import type { Assignment } from '../commands/job-store.ts';
import type { Occurrence } from '../devices/collection/change-row.ts';
import { unlessDeleted } from '../devices/collection/collection-row.ts';
import type { DeviceKey, StoredDevice } from '../devices/collection/device-codec.ts';
import type { DeviceStore } from '../devices/collection/device-store.ts';
import {
  type DeviceScan,
  type FoundPort,
  isPortList,
  PORT_PROTOCOLS,
  type PortChange,
  type ScanName,
} from '../devices/collection/merge-ports.ts';
import type { PlannedPorts, PortStore } from '../devices/collection/port-store.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import { othersOf } from '../devices/members.ts';
import { isReportedOnline } from '../devices/presence.ts';
import { inGroups } from '../table/table.ts';

/** Rows that are read or written at once. A scan of a /22 may reach a thousand devices. */
const AT_ONCE = 16;
/** Device rows and events of one journal entry: a transaction has at most a hundred writes. */
const MAX_ENTRY_DEVICES = 90;
const MAX_ENTRY_EVENTS = 100;
/** Changes of a device by one scan with events of their own; the others are counted in one event of each kind. */
const MAX_PORT_EVENTS = 20;

const MAX_SERVICE_CHARACTERS = 64;
const MAX_PRODUCT_CHARACTERS = 200;

/** Stores the ports that a job found, with events of opened and closed ones. Idempotent. Rejects as `change`. */
export async function storePorts(
  { devices, ports }: { devices: DeviceStore; ports: PortStore },
  { id, agent, command }: Pick<Assignment, 'id' | 'agent' | 'command'>,
  { state, result, endedAt }: EndedJob,
): Promise<void> {
  if (command.tool !== 'nmap' || state !== 'succeeded' || result === null) return;
  const site = siteOfJob(id);
  const collection = await unlessDeleted(devices.read(site));
  if (collection === null) return;
  const { snapshot, born } = collection;
  // Parsed by the schema of the tool, which the compiler cannot know.
  const scans = [...scansByDevice(snapshot, { scan: id, at: endedAt }, command, result as ToolResult<'nmap'>)];
  const changes: PortChanges[] = [];
  for (const group of inGroups(scans, AT_ONCE)) {
    const merged = await Promise.all(
      group.map(async ([device, scans]) => {
        const changed = await ports.merge({ site, device }, { version: snapshot.version, born }, scans);
        return { device, scans, events: Math.min(changed.length, MAX_PORT_EVENTS + 2) };
      }),
    );
    changes.push(...merged.filter(({ events }) => events > 0));
  }
  for (const some of entriesOf(changes)) {
    await devices.change(site, { actor: agent, cause: 'observation' }, async ({ version }) => {
      const plans: { device: DeviceKey; planned: PlannedPorts }[] = [];
      for (const group of inGroups(some, AT_ONCE)) {
        const planOf = async ({ device, scans }: PortChanges) => ({
          device,
          planned: await ports.plan({ site, device }, { version, born }, scans),
        });
        plans.push(...(await Promise.all(group.map(planOf))));
      }
      return {
        put: [],
        remove: [],
        occurrences: plans.flatMap(({ device, planned }) => eventsOf(device, planned.changed)),
        also: plans.flatMap(({ planned }) => planned.write ?? []),
      };
    });
  }
}

/** Scans that found ports of a device opened or closed, and the number of events for that. */
interface PortChanges {
  device: DeviceKey;
  scans: readonly DeviceScan[];
  events: number;
}

/** Groups the changes by what fits into one journal entry. */
function entriesOf(changes: readonly PortChanges[]): PortChanges[][] {
  const entries: PortChanges[][] = [];
  let room = 0;
  for (const one of changes) {
    const last = entries.at(-1);
    room -= one.events;
    if (last !== undefined && last.length < MAX_ENTRY_DEVICES && room >= 0) last.push(one);
    else {
      entries.push([one]);
      room = MAX_ENTRY_EVENTS - one.events;
    }
  }
  return entries;
}

/** Some events of single ports, and one each with the number of others that were opened and closed. */
function eventsOf(device: DeviceKey, changed: readonly PortChange[]): Occurrence[] {
  const type = ({ change }: Pick<PortChange, 'change'>) => (change === 'opened' ? 'port-opened' : 'port-closed');
  const event = (one: PortChange, detail: Occurrence['detail']): Occurrence => ({
    type: type(one),
    at: Math.floor(one.at / 1000),
    device,
    detail: { ...detail, scan: one.scan },
  });
  const [shown, others] = [changed.slice(0, MAX_PORT_EVENTS), changed.slice(MAX_PORT_EVENTS)];
  const single = shown.map((one) => {
    const { address, port, protocol, service } = one;
    return event(one, { port, protocol, service, ...(address === '' ? {} : { address }) });
  });
  const more = (['opened', 'closed'] as const).flatMap((change) => {
    const [first, ...rest] = others.filter((one) => one.change === change);
    return first === undefined ? [] : [event(first, { more: 1 + rest.length })];
  });
  return [...single, ...more];
}

export type Host = ToolResult<'nmap'>['hosts'][number];

/**
 * The findings of a scan, by device, at each of its addresses. A host is matched by its MAC if the scan has seen it, otherwise
 * by its address. Hosts that are no devices, were not reached, or outside the job's target are omitted.
 */
export function scansByDevice(
  snapshot: Snapshot,
  name: ScanName,
  { target, mode, protocol = 'tcp' }: Extract<CommandJson, { tool: 'nmap' }>,
  { hosts, triedTcpPorts, triedUdpPorts }: ToolResult<'nmap'>,
): Map<DeviceKey, DeviceScan[]> {
  const scanned = TargetRange.parse(target).range;
  const tried = (protocol === 'udp' ? triedUdpPorts : triedTcpPorts) ?? '';
  const scans = new Map<DeviceKey, DeviceScan[]>();
  for (const host of hosts) {
    const device = deviceOfHost(snapshot, host, scanned);
    if (device === undefined) continue;
    const { open, unclear } = portsOf(host, protocol);
    // Without host discovery, every address counts as a host that is up.
    const wasThere = mode !== 'skipdiscovery' || host.mac !== null || open.length > 0;
    const isKnown = wasThere && !host.timedOut && isPortList(tried) && (unclear === '' || isPortList(unclear));
    const { devLastIP } = device.record;
    const ip = parseIp(host.address);
    const reachedAt = ip === null ? '' : formatIp(ip);
    const address = devLastIP === '' || reachedAt === devLastIP ? '' : reachedAt;
    const whole: DeviceScan = { ...name, address, mode, tried: isKnown ? tried : '', protocol, unclear, open };
    scans.set(device.key, [...(scans.get(device.key) ?? []), whole]);
  }
  return scans;
}

/** The device of a scanned host; undefined for a host that is no device, was not reached, or is outside the target. */
export function deviceOfHost(snapshot: Snapshot, host: Host, scanned: IpRange): StoredDevice | undefined {
  const address = parseIp(host.address);
  if (host.state !== 'up' || address === null || !rangeWithin(rangeOf({ ...address, zone: null }), scanned)) return;
  return deviceOf(snapshot, host, formatIp(address));
}

function deviceOf(snapshot: Snapshot, { mac }: Host, address: string): StoredDevice | undefined {
  if (mac !== null) return snapshot.deviceOf(parseMac(mac) ?? '');
  return snapshot.derive('by address', devicesByAddress).get(address) ?? undefined;
}

/** The device with an address: one that is online, otherwise the last one. Null when two have an equal claim. */
function devicesByAddress(devices: readonly StoredDevice[]): Map<string, StoredDevice | null> {
  const known = devices.flatMap(claimsOf).filter(({ ip }) => ip !== '');
  const [absent, present] = [false, true].map((state) => byAddress(known.filter(({ isThere }) => isThere === state)));
  return new Map([...(absent ?? []), ...(present ?? [])]);
}

interface Claim {
  ip: string;
  device: StoredDevice;
  isThere: boolean;
}

function claimsOf(device: StoredDevice): Claim[] {
  const { devLastIP, devPresentLastScan } = device.record;
  const others = othersOf(device).filter(([, { ip }]) => ip !== devLastIP);
  return [
    { ip: devLastIP, device, isThere: devPresentLastScan === 1 },
    ...others.map(([, { ip, sightings }]) => ({ ip, device, isThere: isReportedOnline(sightings) })),
  ];
}

function byAddress(claims: readonly Claim[]): Map<string, StoredDevice | null> {
  const found = new Map<string, StoredDevice | null>();
  for (const { ip, device } of claims) {
    const other = found.get(ip);
    found.set(ip, other === undefined || other === device ? device : null);
  }
  return found;
}

/**
 * The ports of a host, with sanitized texts, without those that no scan can find. A UDP port without a response,
 * `open|filtered`, is unclear: most hosts rate-limit rejections, so it is hardly ever open.
 */
function portsOf({ ports, unclearPorts }: Host, scanned: NmapProtocol): { open: FoundPort[]; unclear: string } {
  const found = new Map<string, FoundPort>();
  const unclear = unclearPorts === undefined ? [] : [unclearPorts];
  for (const { port, protocol, state, service, product, version } of ports) {
    const known = PORT_PROTOCOLS.find((one) => one === protocol);
    if (known === undefined || port < 0 || port > 65_535 || !(state === 'open' || state === 'open|filtered')) continue;
    if (scanned === 'udp' && state !== 'open') {
      unclear.push(String(port));
      continue;
    }
    const readable = (text: string | null, longest: number) => (text === null ? null : fitToReport(text, longest));
    found.set(`${known}/${port}`, {
      port,
      protocol: known,
      state,
      service: readable(service, MAX_SERVICE_CHARACTERS),
      product: readable(product, MAX_PRODUCT_CHARACTERS),
      version: readable(version, MAX_PRODUCT_CHARACTERS),
    });
  }
  return { open: [...found.values()], unclear: unclear.join(',') };
}
