/** What the fields of a device are called. */
import type { DeviceField } from '../../shared/device.ts';

export const fieldLabels = {
  devName: 'Name',
  devType: 'Type',
  devVendor: 'Vendor',
  devGroup: 'Group',
  devOwner: 'Owner',
  devLocation: 'Location',
  devParentMAC: 'Parent',
  devParentPort: 'Port of the parent',
  devComments: 'Comments',
  devLastIP: 'IP address',
  devPrimaryIPv4: 'IPv4 address',
  devPrimaryIPv6: 'IPv6 address',
  devMac: 'MAC address',
  devFQDN: 'DNS name',
  devFirstConnection: 'First seen',
  devLastConnection: 'Last seen',
  devFavorite: 'Favourite',
  devIsNew: 'New',
  devIsArchived: 'Archived',
  devAlertDown: 'Alert when down',
  devPresentLastScan: 'Online',
  devSite: 'Site in the import',
  devStaticIP: 'Static address',
  devVlan: 'VLAN',
  devSSID: 'Wireless network',
  devParentRelType: 'Kind of connection',
  devIcon: 'Icon',
  devCustomProps: 'Custom properties',
  devSourcePlugin: 'Source',
  devGUID: 'GUID',
  devRandomMAC: 'Made-up MAC',
  devAddresses: 'All addresses',
  devConflict: 'Conflict',
  devModel: 'Model',
  devOtherMACs: 'Other MAC addresses',
} satisfies Record<DeviceField, string>;

/** Within a sentence: `name`, but `IP address`. A field that this version does not know is called as the API calls it. */
export function fieldName(field: string): string {
  const label = Object.hasOwn(fieldLabels, field) ? fieldLabels[field as DeviceField] : field;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
