/**
 * What devices say when they ask for an address (RFC 2132): the vendor class, and which options they want, whose order is
 * that of the system's own client.
 */
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';
import { DEVICE_ID } from './device-id.ts';

const SWITCH_OF_HP = { kind: 'switch', vendor: 'HP', model: '$1', weight: 0.9 } as const;

const CLASSES = rulesOf('dhcp-class', [
  // Part numbers of HP's switches have digits: J9019A, JL253A, R8Q67A. JetDirect has none.
  [/^(?:Aruba|HPE?|Hewlett[- ]Packard) (?:J[A-Z]?\d{3}|[RS]\d)\w* (\S+) Switch/i, SWITCH_OF_HP],
  [/^(?:Aruba|HPE?|Hewlett[- ]Packard)(?: Enterprise)? (?:J\d{4}|J[A-Z]\d{3}|[RS]\d[A-Z]\d{2})/i, SWITCH_OF_HP],
  [/\bKVM switch\b|\bPDU\b/i, {}],
  [/\b(?:Switch|OfficeConnect|ProCurve)\b/i, { kind: 'switch', weight: 0.8 }],
  [/^(?:Arista|ArubaSwitch|FortiSwitch)/i, { kind: 'switch', weight: 0.92 }],
  [/^Juniper-(ex|qfx)/i, { kind: 'switch', vendor: 'Juniper', weight: 0.92 }],
  [/^Juniper-srx/i, { kind: 'firewall', vendor: 'Juniper', weight: 0.9 }],
  [/^Fort(?:iGate|inet)/i, { kind: 'firewall', vendor: 'Fortinet', weight: 0.75 }],
  [/^(?:FortiAP|Aerohive|MERU|Mist)/i, { kind: 'access-point', weight: 0.9 }],
  [/^docsis/i, { kind: 'router', weight: 0.65 }],
  [/^dslforum\.org/i, { kind: 'router', weight: 0.55 }],
  [/^(?:alcatel\.noe|optiIpPhone|Nortel-|ShoreTel IP Phone|Fanvil|pktc)/i, { kind: 'voip-phone', weight: 0.92 }],
  [/^ciscopnp/i, { vendor: 'Cisco' }],
  [/^android-dhcp/i, { kind: 'phone', weight: 0.52 }],
  [/\bXBOX/i, { kind: 'game-console', vendor: 'Microsoft', weight: 0.92 }],
  [/^MSFT 5\.0/i, { kind: 'computer', weight: 0.66 }],
  [/^MSFT (?:98|6)/i, { kind: 'computer', weight: 0.6 }],
  [/^MSFT_IPTV/i, { kind: 'media-player', weight: 0.8 }],
  [/^(?:PS[345]|PS Vita|PSP)/i, { kind: 'game-console', vendor: 'Sony', weight: 0.92 }],
  [/^AAPLBSDPC/i, { kind: 'computer', vendor: 'Apple', weight: 0.7 }],
  [/^Hikvision|^HIKVISION/i, { kind: 'camera', vendor: 'Hikvision', weight: 0.9 }],
  [/^dahua/i, { kind: 'camera', vendor: 'Dahua', weight: 0.9 }],
  [/^AXIS,(?:.*Camera),?([\w-]*)/i, { kind: 'camera', vendor: 'Axis Communications', model: '$1', weight: 0.95 }],
  [/^AXIS/i, { kind: 'camera', vendor: 'Axis Communications', weight: 0.8 }],
  [/^Hewlett-Packard|^HP (?:Printer|\w{3,8}Jet\b|JetDirect)/i, { vendor: 'HP', kind: 'printer', weight: 0.8 }],
  [
    /^(?:EPSON|Brother|Canon|KYOCERA|Lexmark|XEROX|RICOH|SHARP|OKI)\b/i,
    { vendor: '$&', kind: 'printer', weight: 0.75 },
  ],
  [/^SAMSUNG Network Printer/i, { vendor: 'Samsung', kind: 'printer', weight: 0.93 }],
  // Zebra's computers that people carry say that they are Android.
  [/^Zebra Technologies (?:ZTC )?(\w+)/i, { vendor: 'Zebra', kind: 'printer', model: '$1', weight: 0.85 }],
  [/^BrightSign\W*(\w*)/i, { vendor: 'BrightSign', kind: 'media-player', model: '$1', weight: 0.92 }],
  [/^Cisco (?:AP|AIR-(?:C?AP|LAP))/i, { kind: 'access-point', vendor: 'Cisco', weight: 0.93 }],
  [/^ubnt$/i, { vendor: 'Ubiquiti' }],
  [/^(?:ArubaAP|ArubaInstantAP)/i, { kind: 'access-point', vendor: 'Aruba', weight: 0.93 }],
  [/^Ruckus/i, { kind: 'access-point', vendor: 'Ruckus', weight: 0.85 }],
  [
    /^(?:Cisco Systems,? Inc\. (?:IP|Wireless) Phone|Cisco IP Phone|Cisco SPA|SIPPhone)/i,
    { kind: 'voip-phone', vendor: 'Cisco', weight: 0.93 },
  ],
  [/^yealink/i, { kind: 'voip-phone', vendor: 'Yealink', weight: 0.93 }],
  [/^(?:Polycom|PolycomVVX|Poly)[\w-]*/i, { kind: 'voip-phone', vendor: 'Poly', weight: 0.9 }],
  [/^snom/i, { kind: 'voip-phone', vendor: 'Snom', weight: 0.93 }],
  [/^Grandstream (?:GXP|GRP|DP)/i, { kind: 'voip-phone', vendor: 'Grandstream', weight: 0.93 }],
  [/^(?:Mitel|Aastra|Gigaset|AudioCodes|Avaya|ccp\.avaya\.com)/i, { kind: 'voip-phone', vendor: '$&', weight: 0.85 }],
  [/^SonosPlayer|^Sonos/i, { kind: 'speaker', vendor: 'Sonos', weight: 0.93 }],
  [/^Roku/i, { kind: 'media-player', vendor: 'Roku', weight: 0.9 }],
  [/^(?:SamsungTV|Samsung TV)/i, { kind: 'tv', vendor: 'Samsung', weight: 0.9 }],
  [/^(?:LG.*TV|webOS)/i, { kind: 'tv', vendor: 'LG', weight: 0.85 }],
  [/^(?:NintendoSwitch|Nintendo)/i, { kind: 'game-console', vendor: 'Nintendo', weight: 0.92 }],
  [/^APC$|^APC /i, { kind: 'ups', vendor: 'APC', weight: 0.85 }],
  [/^(?:synology|QNAP)/i, { vendor: '$&', kind: 'nas', weight: 0.75 }],
  [/^MikroTik/i, { vendor: 'MikroTik' }],
  [/^HUAWEI:android|^HUAWEI/i, { kind: 'phone', vendor: 'Huawei', weight: 0.5 }],
  [/^udhcp /i, {}],
  [/^dhcpcd-[\d.]{1,12}:Linux-.*:(?:BCM2\w|Raspberry)/i, { kind: 'single-board', weight: 0.85 }],
  [/^dhcpcd-[\d.]+:Linux/i, { kind: 'computer', weight: 0.3 }],
  [/^PXEClient/i, { kind: 'computer', weight: 0.4 }],
]);

const OPTIONS = rulesOf('dhcp-options', [
  // iOS and iPadOS.
  [
    /^1,121,3,6,15,(?:108,)?(?:114,)?119,252(?:,95,44,46)?$/,
    { vendor: 'Apple', kind: 'phone', weight: 0.3, platform: true, docks: true },
  ],
  // macOS asks for the services of NetBIOS as well.
  [
    /^1,121,3,6,15,(?:108,)?(?:114,)?119,252,95,44,46/,
    { vendor: 'Apple', kind: 'computer', weight: 0.45, platform: true, docks: true },
  ],
  // Windows 7 and later.
  [/^1,3,6,15,31,33,43,44,46,47,(?:119,)?121,249,252/, { kind: 'computer', weight: 0.6 }],
  [/^1,15,3,6,44,46,47,31,33,(?:121,)?249,(?:43|252)/, { kind: 'computer', weight: 0.6 }],
  // Android 6 and later.
  [/^1,3,6,15,26,28,51,58,59,43(?:,114)?(?:,108)?$/, { kind: 'phone', weight: 0.2 }],
]);

export const DHCP_RULES: readonly Rule[] = [...rulesOf('dhcp-class', DEVICE_ID), ...CLASSES, ...OPTIONS];
