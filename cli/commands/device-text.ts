/** A device in words. */
import type { DevicePorts, OneDevice } from '../../shared/api/one-device.ts';
import type { DeviceField } from '../../shared/device.ts';
import { type Cell, fields, joined, state, type Text, time } from '../client/text.ts';
import { isSeenNow, stateCell } from './watch-text.ts';

type Kind = 'text' | 'yes-no' | 'time';

/** What people want to know of a device, in groups; a field that is in none is shown at the end. */
const GROUPS: Readonly<Record<string, Partial<Record<DeviceField, readonly [string, Kind]>>>> = {
  Device: {
    devType: ['Type', 'text'],
    devVendor: ['Vendor', 'text'],
    devModel: ['Model', 'text'],
    devOwner: ['Owner', 'text'],
    devGroup: ['Group', 'text'],
    devLocation: ['Location', 'text'],
    devComments: ['Comments', 'text'],
    devFavorite: ['Favourite', 'yes-no'],
    devIsNew: ['New', 'yes-no'],
    devIsArchived: ['Archived', 'yes-no'],
    devAlertDown: ['Alert when down', 'yes-no'],
  },
  Network: {
    devLastIP: ['IP address', 'text'],
    devAddresses: ['All addresses', 'text'],
    devPrimaryIPv4: ['IPv4 address', 'text'],
    devPrimaryIPv6: ['IPv6 address', 'text'],
    devStaticIP: ['Static address', 'yes-no'],
    devMac: ['MAC address', 'text'],
    devOtherMACs: ['Other MACs', 'text'],
    devRandomMAC: ['Made-up MAC', 'yes-no'],
    devFQDN: ['DNS name', 'text'],
    devParentMAC: ['Parent', 'text'],
    devParentPort: ['Port of the parent', 'text'],
    devParentRelType: ['Kind of connection', 'text'],
    devVlan: ['VLAN', 'text'],
    devSSID: ['Wireless network', 'text'],
    devConflict: ['Conflict', 'text'],
  },
  Other: {
    devFirstConnection: ['First seen', 'time'],
    devSite: ['Site in the import', 'text'],
    devSourcePlugin: ['Source', 'text'],
    devGUID: ['GUID', 'text'],
    devIcon: ['Icon', 'text'],
    devCustomProps: ['Custom properties', 'text'],
  },
};

/** Flags that are worth a line also where they are not set. */
const ALWAYS: readonly DeviceField[] = ['devFavorite', 'devAlertDown'];

/** Everything that there is something to say of. */
export function deviceText(device: OneDevice, ports: DevicePorts | null = null): Text {
  const { key, devName, devStatus, watch, lastSeenAt, setByPerson, seenBy, extra } = device;
  const isNow = isSeenNow({ status: devStatus, watch });
  const seen = seenBy.map(({ agent, online, since }): Cell => {
    return [`${agent}: `, state(online ? 'online' : 'offline'), ' since ', time(since)];
  });
  const groups = Object.entries(GROUPS).map(([name, labels]) => {
    const shown = groupOf(device, labels);
    if (name === 'Network' && ports !== null && ports.scannedAt !== null) shown['Open ports'] = portsCell(ports);
    if (name === 'Other') {
      Object.assign(shown, withoutLabel(device));
      for (const [column, value] of Object.entries(extra)) shown[column] = value;
      if (setByPerson.length > 0) shown['Set by people'] = setByPerson.map(labelOf).join(', ');
      if (seen.length > 0) shown['Seen by'] = joined(seen, '; ');
    }
    return [name, shown] as const;
  });
  const parts = groups.flatMap(([name, shown]): Text[] => {
    const indented = Object.entries(shown).map(([label, value]) => [`  ${label}`, value]);
    return indented.length === 0 ? [] : [`\n${name}\n`, fields(Object.fromEntries(indented))];
  });
  const head = fields({
    Name: devName || '-',
    Status: stateCell({ status: devStatus, watch }),
    'Last seen': isNow ? 'now' : time(lastSeenAt, 'never'),
    Key: key,
  });
  return [head, ...parts];
}

function groupOf(
  device: OneDevice,
  labels: Partial<Record<DeviceField, readonly [string, Kind]>>,
): Record<string, Cell> {
  const shown: Record<string, Cell> = {};
  for (const [field, [label, kind]] of Object.entries(labels) as [DeviceField, readonly [string, Kind]][]) {
    const value = device[field];
    if (value === '' || value === undefined || (value === 0 && !ALWAYS.includes(field))) continue;
    shown[label] =
      kind === 'time' ? time(String(value)) : kind === 'yes-no' ? (value === 1 ? 'yes' : 'no') : String(value);
  }
  return shown;
}

/** Shown in other words, or redundant beside the status. */
const SHOWN = ['devName', 'devStatus', 'devPresentLastScan', 'devLastConnection'];

/** Fields that this version has no word for. */
function withoutLabel(device: OneDevice): Record<string, Cell> {
  const fields = Object.entries(device).filter(([field]) => /^dev[A-Z]/.test(field) && !SHOWN.includes(field));
  const unknown = fields.filter(([field, value]) => labelOf(field) === field && value !== '' && value !== 0);
  return Object.fromEntries(unknown.map(([field, value]) => [field, String(value)]));
}

/** What people call a field; the name of the field, where there is no other. */
export function labelOf(field: string): string {
  const all = Object.assign({ devName: ['Name', 'text'] }, ...Object.values(GROUPS)) as Record<string, [string, Kind]>;
  return (Object.hasOwn(all, field) ? all[field]?.[0] : undefined) ?? field;
}

const MAX_SHOWN_PORTS = 20;

function portsCell({ ports, scannedAt }: DevicePorts): Cell {
  const all = [...new Set(ports.map(({ port }) => port))];
  const shown = all.length > MAX_SHOWN_PORTS ? [...all.slice(0, MAX_SHOWN_PORTS), '…'] : all;
  return [`${all.length}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}, scanned `, time(scannedAt)];
}
