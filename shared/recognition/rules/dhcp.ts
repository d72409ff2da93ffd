/** DHCP requests (RFC 2132): the vendor class, and the requested options, in an order that depends on the client. */
import { type Rule, rulesOf } from '../rule.ts';
import { DEVICE_ID } from './device-id.ts';

const SWITCH_OF_HP = { kind: 'switch', vendor: 'HP', model: '$1', weight: 0.9 } as const;

const CLASSES = rulesOf('dhcp-class', [
  // Part numbers of HP's switches have digits: J9019A, JL253A, R8Q67A. JetDirect has none.
  [/^(?:Aruba|HPE?|Hewlett[- ]Packard) (?:J[A-Z]?\d{3}|[RS]\d)\w* (\S+) Switch/i, SWITCH_OF_HP],
  [/^(?:Aruba|HPE?|Hewlett[- ]Packard)(?: Enterprise)? (?:J\d{4}|J[A-Z]\d{3}|[RS]\d[A-Z]\d{2})/i, SWITCH_OF_HP],
  [/\bKVM switch\b|\bPDU\b/i, {}],
  [/\b(?:Switch|OfficeConnect|ProCurve)\b/i, 'switch', 0.8],
  [/^(?:Arista|ArubaSwitch|FortiSwitch)/i, 'switch', 0.92],
  [/^Juniper-(ex|qfx)/i, 'switch', 0.92, { vendor: 'Juniper' }],
  [/^Juniper-srx/i, 'firewall', 0.9, { vendor: 'Juniper' }],
  [/^Fort(?:iGate|inet)/i, 'firewall', 0.75, { vendor: 'Fortinet' }],
  [/^(?:FortiAP|Aerohive|MERU|Mist)/i, 'access-point', 0.9],
  [/^docsis/i, 'router', 0.65],
  [/^dslforum\.org/i, 'router', 0.55],
  [/^(?:alcatel\.noe|optiIpPhone|Nortel-|ShoreTel IP Phone|Fanvil|pktc)/i, 'voip-phone', 0.92],
  [/^ciscopnp/i, { vendor: 'Cisco' }],
  [/^android-dhcp/i, 'phone', 0.52],
  [/\bXBOX/i, 'game-console', 0.92, { vendor: 'Microsoft' }],
  [/^MSFT 5\.0/i, 'computer', 0.66],
  [/^MSFT (?:98|6)/i, 'computer', 0.6],
  [/^MSFT_IPTV/i, 'media-player', 0.8],
  [/^(?:PS[345]|PS Vita|PSP)/i, 'game-console', 0.92, { vendor: 'Sony' }],
  [/^AAPLBSDPC/i, 'computer', 0.7, { vendor: 'Apple' }],
  [/^Hikvision|^HIKVISION/i, 'camera', 0.9, { vendor: 'Hikvision' }],
  [/^dahua/i, 'camera', 0.9, { vendor: 'Dahua' }],
  [/^AXIS,(?:.*Camera),?([\w-]*)/i, 'camera', 0.95, { vendor: 'Axis Communications', model: '$1' }],
  [/^AXIS/i, 'camera', 0.8, { vendor: 'Axis Communications' }],
  [/^Hewlett-Packard|^HP (?:Printer|\w{3,8}Jet\b|JetDirect)/i, 'printer', 0.8, { vendor: 'HP' }],
  [/^(?:EPSON|Brother|Canon|KYOCERA|Lexmark|XEROX|RICOH|SHARP|OKI)\b/i, 'printer', 0.75, { vendor: '$&' }],
  [/^SAMSUNG Network Printer/i, 'printer', 0.93, { vendor: 'Samsung' }],
  // Zebra's handheld computers identify as Android.
  [/^Zebra Technologies (?:ZTC )?(\w+)/i, 'printer', 0.85, { vendor: 'Zebra', model: '$1' }],
  [/^BrightSign\W*(\w*)/i, 'media-player', 0.92, { vendor: 'BrightSign', model: '$1' }],
  [/^Cisco (?:AP|AIR-(?:C?AP|LAP))/i, 'access-point', 0.93, { vendor: 'Cisco' }],
  [/^ubnt$/i, { vendor: 'Ubiquiti' }],
  [/^(?:ArubaAP|ArubaInstantAP)/i, 'access-point', 0.93, { vendor: 'Aruba' }],
  [/^Ruckus/i, 'access-point', 0.85, { vendor: 'Ruckus' }],
  [
    /^(?:Cisco Systems,? Inc\. (?:IP|Wireless) Phone|Cisco IP Phone|Cisco SPA|SIPPhone)/i,
    { kind: 'voip-phone', weight: 0.93, vendor: 'Cisco' },
  ],
  [/^yealink/i, 'voip-phone', 0.93, { vendor: 'Yealink' }],
  [/^(?:Polycom|PolycomVVX|Poly)[\w-]*/i, 'voip-phone', 0.9, { vendor: 'Poly' }],
  [/^snom/i, 'voip-phone', 0.93, { vendor: 'Snom' }],
  [/^Grandstream (?:GXP|GRP|DP)/i, 'voip-phone', 0.93, { vendor: 'Grandstream' }],
  [/^(?:Mitel|Aastra|Gigaset|AudioCodes|Avaya|ccp\.avaya\.com)/i, 'voip-phone', 0.85, { vendor: '$&' }],
  [/^SonosPlayer|^Sonos/i, 'speaker', 0.93, { vendor: 'Sonos' }],
  [/^Roku/i, 'media-player', 0.9, { vendor: 'Roku' }],
  [/^(?:SamsungTV|Samsung TV)/i, 'tv', 0.9, { vendor: 'Samsung' }],
  [/^(?:LG.*TV|webOS)/i, 'tv', 0.85, { vendor: 'LG' }],
  [/^(?:NintendoSwitch|Nintendo)/i, 'game-console', 0.92, { vendor: 'Nintendo' }],
  [/^APC$|^APC /i, 'ups', 0.85, { vendor: 'APC' }],
  [/^(?:synology|QNAP)/i, 'nas', 0.75, { vendor: '$&' }],
  [/^MikroTik/i, { vendor: 'MikroTik' }],
  [/^HUAWEI:android|^HUAWEI/i, 'phone', 0.5, { vendor: 'Huawei' }],
  [/^udhcp /i, {}],
  [/^dhcpcd-[\d.]{1,12}:Linux-.*:(?:BCM2\w|Raspberry)/i, 'single-board', 0.85],
  [/^dhcpcd-[\d.]+:Linux/i, 'computer', 0.3],
  [/^PXEClient/i, 'computer', 0.4],
]);

const OPTIONS = rulesOf('dhcp-options', [
  // iOS and iPadOS.
  [
    /^1,121,3,6,15,(?:108,)?(?:114,)?119,252(?:,95,44,46)?$/,
    { kind: 'phone', weight: 0.3, vendor: 'Apple', platform: true, docks: true },
  ],
  // macOS requests the services of NetBIOS as well.
  [
    /^1,121,3,6,15,(?:108,)?(?:114,)?119,252,95,44,46/,
    { kind: 'computer', weight: 0.45, vendor: 'Apple', platform: true, docks: true },
  ],
  // Windows 7 and later.
  [/^1,3,6,15,31,33,43,44,46,47,(?:119,)?121,249,252/, 'computer', 0.6],
  [/^1,15,3,6,44,46,47,31,33,(?:121,)?249,(?:43|252)/, 'computer', 0.6],
  // Android 6 and later.
  [/^1,3,6,15,26,28,51,58,59,43(?:,114)?(?:,108)?$/, 'phone', 0.2],
]);

export const DHCP_RULES: readonly Rule[] = [...rulesOf('dhcp-class', DEVICE_ID), ...CLASSES, ...OPTIONS];
