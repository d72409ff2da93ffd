/** A full export of NetAlertX v26.8, with made-up devices: all of its 49 columns, every cell quoted, lines ended by CRLF. */

/** The columns that are fields of a device here as well. */
const FIELDS = [
  ...['devMac', 'devName', 'devOwner', 'devType', 'devVendor', 'devFavorite', 'devGroup', 'devComments'],
  ...['devFirstConnection', 'devLastConnection', 'devLastIP', 'devPrimaryIPv4', 'devPrimaryIPv6', 'devVlan'],
  ...['devStaticIP', 'devAlertDown', 'devPresentLastScan', 'devIsNew', 'devLocation', 'devIsArchived', 'devParentMAC'],
  ...['devParentPort', 'devIcon', 'devGUID', 'devSite', 'devSSID', 'devSourcePlugin', 'devCustomProps', 'devFQDN'],
  'devParentRelType',
];
/** Those that are not, and are kept as extra columns. */
export const EXTRA = [
  ...['devForceStatus', 'devScan', 'devLogEvents', 'devAlertEvents', 'devSkipRepeated', 'devLastNotification'],
  ...['devSyncHubNode', 'devReqNicsOnline', 'devMacSource', 'devNameSource', 'devFQDNSource', 'devLastIPSource'],
  ...['devVendorSource', 'devSSIDSource', 'devParentMACSource', 'devParentPortSource', 'devParentRelTypeSource'],
  ...['devVlanSource', 'devCanSleep'],
];

const sources = (source: string) =>
  Object.fromEntries(EXTRA.filter((name) => name.endsWith('Source')).map((name) => [name, source]));

const device = (cells: string): Record<string, string> =>
  Object.fromEntries(cells.split(/\s*\|\s*/).map((cell) => /^(\w+)=(.*)$/.exec(cell)?.slice(1) ?? []));

/** The cells that are not empty, as they stand in the file. */
export const DEVICES: Readonly<Record<string, string>>[] = [
  {
    ...sources('ARPSCAN'),
    ...device(`devMac=02:a0:00:00:00:01 | devName='=x | devOwner=Ada | devType=Router | devVendor=Example Inc. | devFavorite=1
      | devGroup=always on | devComments=in the cellar, left | devFirstConnection=2026-01-02 03:04:05
      | devLastConnection=2026-08-22 09:00:00 | devLastIP=192.168.1.1 | devPrimaryIPv4=192.168.1.1 | devPrimaryIPv6=fe80::1%eth0
      | devVlan=20 | devForceStatus=online | devStaticIP=1 | devScan=1 | devLogEvents=1 | devAlertEvents=1 | devAlertDown=1
      | devSkipRepeated=24 | devLastNotification=2026-08-20 10:00:00 | devPresentLastScan=1 | devIsNew=0 | devLocation=cellar
      | devIsArchived=0 | devParentMAC=internet | devParentPort=1 | devIcon=PGkgY2xhc3M9ImZhcyBmYS13aWZpIj48L2k+
      | devGUID=4b2f3c1e-0000-4000-8000-000000000001 | devSite=home | devSSID=wohnzimmer | devSyncHubNode=node-1
      | devSourcePlugin=ARPSCAN | devCustomProps=W3siSWNvbiI6ICJQR2srIn1d | devFQDN=router.home.arpa
      | devParentRelType=default | devReqNicsOnline=1 | devCanSleep=0`),
  },
  {
    ...sources('NEWDEV'),
    ...device(`devMac=02:a0:00:00:00:02 | devName=(unknown) | devOwner=(unknown) | devFirstConnection=2026-02-02 03:04:05
      | devLastConnection=2026-02-03 03:04:05 | devLastIP=192.168.1.20 | devFavorite=0 | devStaticIP=0 | devScan=0
      | devSkipRepeated=0 | devPresentLastScan=0 | devIsNew=1 | devIsArchived=0 | devParentMAC=02:a0:00:00:00:01
      | devParentRelType=nic | devCanSleep=1`),
  },
  { devMac: 'Internet', devName: 'WAN', devParentMAC: 'null', devFirstConnection: '2025-01-01 00:00:00' },
];

/** The columns in an order that is none of ours. */
export const COLUMNS = ['devMac', ...EXTRA, ...FIELDS.slice(1)];

export const NETALERTX_EXPORT = [COLUMNS, ...DEVICES.map((device) => COLUMNS.map((column) => device[column] ?? ''))]
  .map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()}\r\n`)
  .join('');
