/** What the fields of a device are called. */
import type { DeviceField } from '../../shared/device.ts';
import { inLanguage, spoken } from './language.ts';

const english = {
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
  devRandomMAC: 'Random (private) MAC',
  devAddresses: 'All addresses',
  devConflict: 'Conflict',
  devModel: 'Model',
  devOtherMACs: 'Other MAC addresses',
} satisfies Record<DeviceField, string>;

const german: typeof english = {
  devName: 'Name',
  devType: 'Art',
  devVendor: 'Hersteller',
  devGroup: 'Gruppe',
  devOwner: 'Besitzer',
  devLocation: 'Ort',
  devParentMAC: 'Verbunden mit',
  devParentPort: 'Port dort',
  devComments: 'Notizen',
  devLastIP: 'IP-Adresse',
  devPrimaryIPv4: 'IPv4-Adresse',
  devPrimaryIPv6: 'IPv6-Adresse',
  devMac: 'MAC-Adresse',
  devFQDN: 'DNS-Name',
  devFirstConnection: 'Zuerst gesehen',
  devLastConnection: 'Zuletzt gesehen',
  devFavorite: 'Favorit',
  devIsNew: 'Neu',
  devIsArchived: 'Archiviert',
  devAlertDown: 'Ausfall melden',
  devPresentLastScan: 'Online',
  devSite: 'Standort im Import',
  devStaticIP: 'Feste Adresse',
  devVlan: 'VLAN',
  devSSID: 'WLAN',
  devParentRelType: 'Art der Verbindung',
  devIcon: 'Symbol',
  devCustomProps: 'Eigene Angaben',
  devSourcePlugin: 'Quelle',
  devGUID: 'GUID',
  devRandomMAC: 'Zufällige (private) MAC',
  devAddresses: 'Alle Adressen',
  devConflict: 'Konflikt',
  devModel: 'Modell',
  devOtherMACs: 'Weitere MAC-Adressen',
};

export const fieldLabels = inLanguage(english, german);

/**
 * Within a sentence: `name`, but `IP address`; German nouns keep their capital. A field that this version does not know is
 * called as the API calls it.
 */
export function fieldName(field: string): string {
  const label = Object.hasOwn(fieldLabels, field) ? fieldLabels[field as DeviceField] : field;
  if (spoken === 'de') return label;
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
