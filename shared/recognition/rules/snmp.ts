/**
 * What devices answer by SNMP and LLDP. Numbers of enterprises as IANA assigns them; texts of sysDescr as makers give them;
 * capabilities as IEEE 802.1AB names them.
 */
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

type Facts = Omit<Rule, 'source' | 'pattern'>;

/** By the number behind 1.3.6.1.4.1. */
const ENTERPRISES: [number, Facts][] = [
  [2, { vendor: 'IBM' }],
  [9, { vendor: 'Cisco' }],
  [11, { vendor: 'HP' }],
  [43, { vendor: '3Com' }],
  [171, { vendor: 'D-Link' }],
  [207, { vendor: 'Allied Telesis' }],
  [253, { vendor: 'Xerox', kind: 'printer', weight: 0.8 }],
  [318, { vendor: 'APC', kind: 'ups', weight: 0.75 }],
  [367, { vendor: 'Ricoh', kind: 'printer', weight: 0.9 }],
  [368, { vendor: 'Axis Communications', kind: 'camera', weight: 0.8 }],
  [476, { vendor: 'Vertiv', kind: 'ups', weight: 0.7 }],
  [534, { vendor: 'Eaton', kind: 'ups', weight: 0.75 }],
  [641, { vendor: 'Lexmark', kind: 'printer', weight: 0.9 }],
  [674, { vendor: 'Dell' }],
  [890, { vendor: 'Zyxel' }],
  [1248, { vendor: 'Epson', kind: 'printer', weight: 0.85 }],
  [1347, { vendor: 'Kyocera', kind: 'printer', weight: 0.9 }],
  [1602, { vendor: 'Canon', kind: 'printer', weight: 0.85 }],
  [1916, { vendor: 'Extreme Networks', kind: 'switch', weight: 0.7 }],
  [2001, { vendor: 'OKI', kind: 'printer', weight: 0.9 }],
  [2435, { vendor: 'Brother', kind: 'printer', weight: 0.9 }],
  [2636, { vendor: 'Juniper' }],
  [3097, { vendor: 'WatchGuard', kind: 'firewall', weight: 0.85 }],
  [3808, { vendor: 'CyberPower', kind: 'ups', weight: 0.9 }],
  [4413, { vendor: 'Ubiquiti', kind: 'switch', weight: 0.6 }],
  [4526, { vendor: 'Netgear' }],
  [6486, { vendor: 'Alcatel-Lucent Enterprise', kind: 'switch', weight: 0.6 }],
  [6574, { vendor: 'Synology', kind: 'nas', weight: 0.92 }],
  [6876, { vendor: 'VMware', kind: 'hypervisor', weight: 0.9 }],
  [11863, { vendor: 'TP-Link' }],
  [12356, { vendor: 'Fortinet', kind: 'firewall', weight: 0.85 }],
  [14179, { vendor: 'Cisco', kind: 'access-point', weight: 0.6 }],
  [14823, { vendor: 'Aruba' }],
  [14988, { vendor: 'MikroTik', kind: 'router', weight: 0.62 }],
  [18334, { vendor: 'Konica Minolta', kind: 'printer', weight: 0.9 }],
  [24681, { vendor: 'QNAP', kind: 'nas', weight: 0.92 }],
  [25053, { vendor: 'Ruckus', kind: 'access-point', weight: 0.75 }],
  [25461, { vendor: 'Palo Alto Networks', kind: 'firewall', weight: 0.92 }],
  [25506, { vendor: 'H3C', kind: 'switch', weight: 0.5 }],
  [41112, { vendor: 'Ubiquiti' }],
  [47196, { vendor: 'Aruba', kind: 'switch', weight: 0.7 }],
  [50536, { vendor: 'iXsystems', kind: 'nas', weight: 0.92 }],
  [55062, { vendor: 'QNAP', kind: 'nas', weight: 0.85 }],
];
const OBJECTS = rulesOf(
  'snmp-object',
  ENTERPRISES.map(([number, facts]) => [new RegExp(`^1\\.3\\.6\\.1\\.4\\.1\\.${number}(?:\\.|$)`), facts]),
);
const PRECISE_OBJECTS = rulesOf('snmp-object', [
  [/^1\.3\.6\.1\.4\.1\.11\.2\.3\.9(?:\.|$)/, { vendor: 'HP', kind: 'printer', weight: 0.92 }],
  [/^1\.3\.6\.1\.4\.1\.11\.2\.3\.7\.11(?:\.|$)/, { vendor: 'HP', kind: 'switch', weight: 0.92 }],
  [/^1\.3\.6\.1\.4\.1\.674\.10892\.5(?:\.|$)/, { vendor: 'Dell', kind: 'server', weight: 0.85 }],
  [/^1\.3\.6\.1\.4\.1\.674\.10895(?:\.|$)/, { vendor: 'Dell', kind: 'switch', weight: 0.9 }],
  [/^1\.3\.6\.1\.4\.1\.311\.1\.1\.3\.1\.2(?:\.|$)/, { kind: 'server', weight: 0.75 }],
  [/^1\.3\.6\.1\.4\.1\.311\.1\.1\.3\.1\.1(?:\.|$)/, { kind: 'computer', weight: 0.75 }],
]);

/** The same texts stand in sysDescr and in the system description of LLDP. */
const DESCRIPTIONS: readonly [RegExp, Facts][] = [
  [
    /Cisco IOS Software.*(?:C(?:2960|3560|3750|3850|9200|9300|1000)\w*|Catalyst|CBS\d+|SG\d{3})/i,
    { vendor: 'Cisco', kind: 'switch', weight: 0.9 },
  ],
  [/Cisco.*\b(SG\d{3}\S*|CBS\d{3}\S*)/i, { vendor: 'Cisco', kind: 'switch', model: '$1', weight: 0.9 }],
  [/Cisco IOS Software.*(?:ISR|C[1289]\d00 |[12789]\d00 Software)/i, { vendor: 'Cisco', kind: 'router', weight: 0.8 }],
  [/Cisco NX-OS/i, { vendor: 'Cisco', kind: 'switch', weight: 0.92 }],
  [/Cisco Adaptive Security Appliance/i, { vendor: 'Cisco', kind: 'firewall', weight: 0.95 }],
  [/Cisco.*(?:AP|Aironet|AIR-)/, { vendor: 'Cisco', kind: 'access-point', weight: 0.75 }],
  [/(?:ProCurve|Aruba \w+) .*Switch|HPE? .*(?:Switch|OfficeConnect)|ArubaOS-CX/i, { kind: 'switch', weight: 0.92 }],
  [/ArubaOS|Aruba.*AP-\d+|Instant On AP/i, { vendor: 'Aruba', kind: 'access-point', weight: 0.7 }],
  [/Juniper Networks.*\b(ex\d\S*|qfx\d\S*)/i, { vendor: 'Juniper', kind: 'switch', model: '$1', weight: 0.92 }],
  [/Juniper Networks.*\b(srx\d\S*)/i, { vendor: 'Juniper', kind: 'firewall', model: '$1', weight: 0.92 }],
  [/Juniper Networks.*\b(mx\d\S*)/i, { vendor: 'Juniper', kind: 'router', model: '$1', weight: 0.92 }],
  [/^RouterOS (CRS\S+|CSS\S+)/i, { vendor: 'MikroTik', kind: 'switch', model: '$1', weight: 0.85 }],
  [/^RouterOS ((?:c|w)AP\S*)/i, { vendor: 'MikroTik', kind: 'access-point', model: '$1', weight: 0.85 }],
  [/^RouterOS (\S+)/i, { vendor: 'MikroTik', kind: 'router', model: '$1', weight: 0.75 }],
  [
    /\b(EdgeRouter|EdgeOS|UniFi Dream Machine|UDM\S*|USG\S*|UCG\S*)/i,
    { vendor: 'Ubiquiti', kind: 'router', model: '$1', weight: 0.9 },
  ],
  [/\b(U[67]-[\w-]+|UAP-[\w-]+|UAP\b)/i, { vendor: 'Ubiquiti', kind: 'access-point', model: '$1', weight: 0.92 }],
  [
    /\b(USW-[\w-]+|US-\d[\w-]*|USW\b|EdgeSwitch\S*)/i,
    { vendor: 'Ubiquiti', kind: 'switch', model: '$1', weight: 0.92 },
  ],
  [
    /\b(GS\d{3}\S*|XS\d{3}\S*|JGS\d{3}\S*)\b.*(?:switch|smart|managed|prosafe)/i,
    { vendor: 'Netgear', kind: 'switch', model: '$1', weight: 0.9 },
  ],
  [/\b(TL-S[GX]\S+|T\d{4}G-\S+|SG\d{4}\S*)/i, { vendor: 'TP-Link', kind: 'switch', model: '$1', weight: 0.85 }],
  [/\b(DGS-\d\S*|DES-\d\S*|DXS-\d\S*)/i, { vendor: 'D-Link', kind: 'switch', model: '$1', weight: 0.9 }],
  [/\bswitch\b/i, { kind: 'switch', weight: 0.62 }],
  [/FRITZ!Box/i, { vendor: 'AVM', kind: 'router', weight: 0.9 }],
  [/pfSense|OPNsense/i, { kind: 'firewall', model: '$&', weight: 0.92 }],
  [/FortiGate|FortiOS/i, { vendor: 'Fortinet', kind: 'firewall', weight: 0.92 }],
  [/VyOS|OpenWrt/i, { kind: 'router', weight: 0.7 }],
  [
    /HP ETHERNET MULTI-ENVIRONMENT|JETDIRECT|LaserJet|OfficeJet|DeskJet/i,
    { vendor: 'HP', kind: 'printer', weight: 0.93 },
  ],
  [/^Brother (\S+)/i, { vendor: 'Brother', kind: 'printer', weight: 0.9 }],
  [/^(?:EPSON|Canon|KYOCERA|RICOH|Lexmark|Xerox|KONICA MINOLTA|OKI|SHARP)\b/i, { kind: 'printer', weight: 0.85 }],
  [/\bPrint(?:er|ing System)\b/i, { kind: 'printer', weight: 0.7 }],
  [/APC Web\/SNMP Management Card|Smart-UPS|\bUPS\b/i, { kind: 'ups', weight: 0.88 }],
  [/VMware ESXi/i, { vendor: 'VMware', kind: 'hypervisor', weight: 0.95 }],
  [/-pve\b|Proxmox/i, { kind: 'hypervisor', weight: 0.92 }],
  [/Hyper-V/i, { kind: 'hypervisor', weight: 0.8 }],
  [/TrueNAS|FreeNAS|OpenMediaVault|unRAID/i, { kind: 'nas', model: '$&', weight: 0.92 }],
  [/(?:Synology|DiskStation)/i, { vendor: 'Synology', kind: 'nas', weight: 0.92 }],
  [/\bQNAP\b|\b(TS-\d\S*)/i, { vendor: 'QNAP', kind: 'nas', weight: 0.85 }],
  [/Hardware:.*Software: Windows/i, { kind: 'computer', weight: 0.7 }],
  [/Raspberry Pi|-rpi\b|\braspi\b|-v[78]l?\+/i, { kind: 'single-board', weight: 0.85 }],
  [/Darwin Kernel/i, { vendor: 'Apple', kind: 'computer', weight: 0.6 }],
  [/^Linux\b/i, { kind: 'server', weight: 0.3 }],
  [/\b(?:Yealink|Snom|Polycom|Grandstream|CP-\d{4}|IP Phone)\b/i, { kind: 'voip-phone', weight: 0.9 }],
  [/AXIS .*(?:Camera|Encoder)|Network Camera|IP Camera/i, { kind: 'camera', weight: 0.93 }],
];

const CAPABILITIES = rulesOf('lldp-capabilities', [
  [/wlan/i, { kind: 'access-point', weight: 0.75 }],
  [/tel(?:ephone)?|phone/i, { kind: 'voip-phone', weight: 0.8 }],
  [/docsis/i, { kind: 'router', weight: 0.6 }],
  [/^bridge$/i, { kind: 'switch', weight: 0.72 }],
  [/^bridge,router$/i, { kind: 'switch', weight: 0.4 }],
  [/^router$/i, { kind: 'router', weight: 0.7 }],
]);

export const SNMP_RULES: readonly Rule[] = [
  ...PRECISE_OBJECTS,
  ...OBJECTS,
  ...rulesOf('snmp-description', DESCRIPTIONS),
  ...rulesOf('lldp-description', DESCRIPTIONS),
  ...CAPABILITIES,
];
