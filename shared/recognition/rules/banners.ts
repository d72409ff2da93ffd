/** Results of requested scans: pages, headers, certificates, SSH, products and systems. */
import type { ObservationSource } from '../../agent/observations.ts';
import { type Row, type Rule, rulesOf } from '../rule.ts';

/** Products use the same names in titles, headers and certificates. */
const PRODUCTS: readonly Row[] = [
  // Before the rules that would misclassify these.
  [/ESPHome Dashboard|Proxmox (?:Backup|Mail)|UniFi Network$/i, 'server', 0.5],
  [/FRITZ!Box(?: \d{4}(?: \w+)?)?/i, 'router', 0.9, { vendor: 'AVM', model: '$&' }],
  [/FRITZ!Repeater/i, 'access-point', 0.92, { vendor: 'AVM' }],
  [/Synology|DiskStation/i, 'nas', 0.9, { vendor: 'Synology' }],
  [/\bQNAP\b|\bQTS\b/i, 'nas', 0.88, { vendor: 'QNAP' }],
  [/TrueNAS|FreeNAS|OpenMediaVault|Unraid/i, 'nas', 0.9, { model: '$&' }],
  [/RouterOS|MikroTik/i, 'router', 0.55, { vendor: 'MikroTik' }],
  [/UniFi (?:Dream|Express|Gateway|Cloud Gateway)/i, 'router', 0.85, { vendor: 'Ubiquiti' }],
  [/UniFi/i, { vendor: 'Ubiquiti' }],
  [/pfSense|OPNsense|FortiGate|Sophos|SonicWall/i, 'firewall', 0.88, { model: '$&' }],
  // Access points run these as well.
  [/OpenWrt|\bLuCI\b|DD-WRT/i, 'router', 0.55],
  [/Speedport|EasyBox|Livebox|Vodafone Station|Connect Box|Freebox|Bbox|Super Hub|Home Hub/i, 'router', 0.82],
  [/\b(Archer \w+)/i, 'router', 0.82, { vendor: 'TP-Link', model: '$1' }],
  [/NETGEAR Router|ASUS Wireless Router|Linksys Smart Wi-Fi|Vigor Login|Keenetic|EdgeOS/i, 'router', 0.82],
  [/Ruckus Unleashed|Aruba Instant|\bEAP\d{3}\b/i, 'access-point', 0.85],
  [/Proxmox|pve-api-daemon|VMware ESXi|\bESXi\b|XCP-ng|Hyper-V Server/i, 'hypervisor', 0.92, { model: '$&' }],
  [/Home Assistant/i, 'smart-home', 0.75, { model: 'Home Assistant' }],
  [/Pi-hole/i, 'single-board', 0.4],
  [
    /Hikvision|DNVRS-Webs|DVRDVS-Webs|IPCamera-Webs|Dahua|Network Camera|IP Camera|IPCam|AXIS .*Camera|Reolink/i,
    { kind: 'camera', weight: 0.88 },
  ],
  [/LaserJet|OfficeJet|DeskJet|HP Color|HP ENVY/i, 'printer', 0.92, { vendor: 'HP' }],
  [/^Brother (?:HL|MFC|DCP)-?\S+/i, 'printer', 0.92, { vendor: 'Brother', model: '$&' }],
  [/EPSON (?:WF|ET|XP|AL)-?\S+|EPSON_Linux|^EPSON/i, 'printer', 0.88, { vendor: 'Epson' }],
  [/Canon (?:MG|TS|MF|LBP|G)\d\S*|Canon iR|KYOCERA|ECOSYS|Lexmark|Xerox|RICOH|bizhub/i, 'printer', 0.88],
  [/KM-MFP-http|CANON HTTP Server|\bjetdirect\b/i, 'printer', 0.8],
  [/\bCUPS\b/i, 'computer', 0.3],
  [/hue personal wireless lighting|Philips hue/i, 'smart-home', 0.92, { vendor: 'Signify' }],
  [/OpenDTU|AhoyDTU/i, 'solar', 0.62],
  [/\biphone-sync\b|^62078\/tcp/i, 'phone', 0.5, { vendor: 'Apple' }],
  [/\bms-wbt-server\b|^3389\/tcp|\bmsrpc\b/i, 'computer', 0.5],
  [/Smart-?UPS/i, 'ups', 0.9, { vendor: 'APC' }],
  [/APC \| Log On|Network Management Card/i, 'ups', 0.4, { vendor: 'APC' }],
  [/\bShelly/i, 'smart-home', 0.85, { vendor: 'Shelly' }],
  [/\b(?:Tasmota|ESPHome|WLED)\b/i, 'smart-home', 0.88],
  [/Yealink|snom|Polycom|Grandstream|SIP-T\d\d/i, 'voip-phone', 0.88],
  [/ProCurve|Aruba .*Switch|NETGEAR .*(?:GS|XS)\d|Managed Switch|Smart Switch|EdgeSwitch|\bDGS-\d/i, 'switch', 0.88],
  [/\biLO\b|Lights-Out|\biDRAC|\bIPMI\b|Supermicro BMC/i, 'server', 0.75],
  [/Enphase|\bEnvoy [SR]\b|Fronius|SolarEdge|\bSMA (?:Solar|Sunny)|KOSTAL Solar|Sunny WebBox/i, 'solar', 0.88],
  [/\bSonos\b/i, 'speaker', 0.85, { vendor: 'Sonos' }],
];

const SOURCES: readonly ObservationSource[] = ['http-title', 'http-server', 'tls', 'service'];

const SSH = rulesOf('ssh', [
  [/ROSSSH/i, 'router', 0.55, { vendor: 'MikroTik' }],
  [/Raspbian/i, 'single-board', 0.75],
  [/Cisco/i, { vendor: 'Cisco' }],
  [/OpenSSH_for_Windows/i, 'computer', 0.6],
  [/(?:Debian|Ubuntu|FreeBSD)/i, 'server', 0.35],
]);

/** nmap's guess of the system or the device. */
const SYSTEMS = rulesOf('os', [
  [/\bprinter\b/i, 'printer', 0.55],
  [/webcam|\bcamera\b/i, 'camera', 0.55],
  [/\bswitch\b/i, 'switch', 0.55],
  [/\bWAP\b|access point/i, 'access-point', 0.5],
  [/broadband router|\brouter\b/i, 'router', 0.5],
  [/firewall/i, 'firewall', 0.5],
  [/storage-misc|\bNAS\b/i, 'nas', 0.5],
  [/VoIP (?:phone|adapter)/i, 'voip-phone', 0.55],
  [/game console/i, 'game-console', 0.55],
  [/media device/i, 'media-player', 0.45],
  [/power-device/i, 'ups', 0.5],
  [/Windows Server/i, 'server', 0.55],
  [/Windows (?:XP|7|8|10|11)/i, 'computer', 0.5],
  [/VMware ESXi/i, 'hypervisor', 0.75],
  [/DiskStation Manager/i, 'nas', 0.75, { vendor: 'Synology' }],
  [/\b(?:macOS|Mac OS X)\b/i, 'computer', 0.45, { vendor: 'Apple' }],
]);

export const BANNER_RULES: readonly Rule[] = [
  ...SOURCES.flatMap((source) => rulesOf(source, PRODUCTS)),
  ...SSH,
  ...SYSTEMS,
];
