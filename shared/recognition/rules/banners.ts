/** What a scan that a person asked for has found: pages, headers, certificates, SSH, products and systems. */
import type { ObservationSource } from '../../agent/observations.ts';
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

type Facts = Omit<Rule, 'source' | 'pattern'>;

/** Products give themselves the same names in titles, headers and certificates. */
const PRODUCTS: readonly [RegExp, Facts][] = [
  // What stands in front of what it could be taken for.
  [/ESPHome Dashboard|Proxmox (?:Backup|Mail)|UniFi Network$/i, { kind: 'server', weight: 0.5 }],
  [/FRITZ!Box(?: \d{4}(?: \w+)?)?/i, { kind: 'router', vendor: 'AVM', model: '$&', weight: 0.9 }],
  [/FRITZ!Repeater/i, { kind: 'access-point', vendor: 'AVM', weight: 0.92 }],
  [/Synology|DiskStation/i, { kind: 'nas', vendor: 'Synology', weight: 0.9 }],
  [/\bQNAP\b|\bQTS\b/i, { kind: 'nas', vendor: 'QNAP', weight: 0.88 }],
  [/TrueNAS|FreeNAS|OpenMediaVault|Unraid/i, { kind: 'nas', model: '$&', weight: 0.9 }],
  [/RouterOS|MikroTik/i, { kind: 'router', vendor: 'MikroTik', weight: 0.55 }],
  [/UniFi (?:Dream|Express|Gateway|Cloud Gateway)/i, { kind: 'router', vendor: 'Ubiquiti', weight: 0.85 }],
  [/UniFi/i, { vendor: 'Ubiquiti' }],
  [/pfSense|OPNsense|FortiGate|Sophos|SonicWall/i, { kind: 'firewall', model: '$&', weight: 0.88 }],
  // Access points run these as well.
  [/OpenWrt|\bLuCI\b|DD-WRT/i, { kind: 'router', weight: 0.55 }],
  [
    /Speedport|EasyBox|Livebox|Vodafone Station|Connect Box|Freebox|Bbox|Super Hub|Home Hub/i,
    { kind: 'router', weight: 0.82 },
  ],
  [/\b(Archer \w+)/i, { kind: 'router', vendor: 'TP-Link', model: '$1', weight: 0.82 }],
  [
    /NETGEAR Router|ASUS Wireless Router|Linksys Smart Wi-Fi|Vigor Login|Keenetic|EdgeOS/i,
    { kind: 'router', weight: 0.82 },
  ],
  [/Ruckus Unleashed|Aruba Instant|\bEAP\d{3}\b/i, { kind: 'access-point', weight: 0.85 }],
  [
    /Proxmox|pve-api-daemon|VMware ESXi|\bESXi\b|XCP-ng|Hyper-V Server/i,
    { kind: 'hypervisor', model: '$&', weight: 0.92 },
  ],
  [/Home Assistant/i, { kind: 'smart-home', model: 'Home Assistant', weight: 0.75 }],
  [/Pi-hole/i, { kind: 'single-board', weight: 0.4 }],
  [
    /Hikvision|DNVRS-Webs|DVRDVS-Webs|IPCamera-Webs|Dahua|Network Camera|IP Camera|IPCam|AXIS .*Camera|Reolink/i,
    { kind: 'camera', weight: 0.88 },
  ],
  [/LaserJet|OfficeJet|DeskJet|HP Color|HP ENVY/i, { kind: 'printer', vendor: 'HP', weight: 0.92 }],
  [/^Brother (?:HL|MFC|DCP)-?\S+/i, { kind: 'printer', vendor: 'Brother', model: '$&', weight: 0.92 }],
  [/EPSON (?:WF|ET|XP|AL)-?\S+|EPSON_Linux|^EPSON/i, { kind: 'printer', vendor: 'Epson', weight: 0.88 }],
  [
    /Canon (?:MG|TS|MF|LBP|G)\d\S*|Canon iR|KYOCERA|ECOSYS|Lexmark|Xerox|RICOH|bizhub/i,
    { kind: 'printer', weight: 0.88 },
  ],
  [/KM-MFP-http|CANON HTTP Server|\bjetdirect\b/i, { kind: 'printer', weight: 0.8 }],
  [/\bCUPS\b/i, { kind: 'computer', weight: 0.3 }],
  [/hue personal wireless lighting|Philips hue/i, { kind: 'smart-home', vendor: 'Signify', weight: 0.92 }],
  [/OpenDTU|AhoyDTU/i, { kind: 'solar', weight: 0.62 }],
  [/\biphone-sync\b|^62078\/tcp/i, { kind: 'phone', vendor: 'Apple', weight: 0.5 }],
  [/\bms-wbt-server\b|^3389\/tcp|\bmsrpc\b/i, { kind: 'computer', weight: 0.5 }],
  [/Smart-?UPS/i, { kind: 'ups', vendor: 'APC', weight: 0.9 }],
  [/APC \| Log On|Network Management Card/i, { kind: 'ups', vendor: 'APC', weight: 0.4 }],
  [/\bShelly/i, { kind: 'smart-home', vendor: 'Shelly', weight: 0.85 }],
  [/\b(?:Tasmota|ESPHome|WLED)\b/i, { kind: 'smart-home', weight: 0.88 }],
  [/Yealink|snom|Polycom|Grandstream|SIP-T\d\d/i, { kind: 'voip-phone', weight: 0.88 }],
  [
    /ProCurve|Aruba .*Switch|NETGEAR .*(?:GS|XS)\d|Managed Switch|Smart Switch|EdgeSwitch|\bDGS-\d/i,
    { kind: 'switch', weight: 0.88 },
  ],
  [/\biLO\b|Lights-Out|\biDRAC|\bIPMI\b|Supermicro BMC/i, { kind: 'server', weight: 0.75 }],
  [
    /Enphase|\bEnvoy [SR]\b|Fronius|SolarEdge|\bSMA (?:Solar|Sunny)|KOSTAL Solar|Sunny WebBox/i,
    { kind: 'solar', weight: 0.88 },
  ],
  [/\bSonos\b/i, { kind: 'speaker', vendor: 'Sonos', weight: 0.85 }],
];

const SOURCES: readonly ObservationSource[] = ['http-title', 'http-server', 'tls', 'service'];

const SSH = rulesOf('ssh', [
  [/ROSSSH/i, { kind: 'router', vendor: 'MikroTik', weight: 0.55 }],
  [/Raspbian/i, { kind: 'single-board', weight: 0.75 }],
  [/Cisco/i, { vendor: 'Cisco' }],
  [/OpenSSH_for_Windows/i, { kind: 'computer', weight: 0.6 }],
  [/(?:Debian|Ubuntu|FreeBSD)/i, { kind: 'server', weight: 0.35 }],
]);

/** What nmap takes the system or the device for. */
const SYSTEMS = rulesOf('os', [
  [/\bprinter\b/i, { kind: 'printer', weight: 0.55 }],
  [/webcam|\bcamera\b/i, { kind: 'camera', weight: 0.55 }],
  [/\bswitch\b/i, { kind: 'switch', weight: 0.55 }],
  [/\bWAP\b|access point/i, { kind: 'access-point', weight: 0.5 }],
  [/broadband router|\brouter\b/i, { kind: 'router', weight: 0.5 }],
  [/firewall/i, { kind: 'firewall', weight: 0.5 }],
  [/storage-misc|\bNAS\b/i, { kind: 'nas', weight: 0.5 }],
  [/VoIP (?:phone|adapter)/i, { kind: 'voip-phone', weight: 0.55 }],
  [/game console/i, { kind: 'game-console', weight: 0.55 }],
  [/media device/i, { kind: 'media-player', weight: 0.45 }],
  [/power-device/i, { kind: 'ups', weight: 0.5 }],
  [/Windows Server/i, { kind: 'server', weight: 0.55 }],
  [/Windows (?:XP|7|8|10|11)/i, { kind: 'computer', weight: 0.5 }],
  [/VMware ESXi/i, { kind: 'hypervisor', weight: 0.75 }],
  [/DiskStation Manager/i, { kind: 'nas', vendor: 'Synology', weight: 0.75 }],
  [/\b(?:macOS|Mac OS X)\b/i, { kind: 'computer', vendor: 'Apple', weight: 0.45 }],
]);

export const BANNER_RULES: readonly Rule[] = [
  ...SOURCES.flatMap((source) => rulesOf(source, PRODUCTS)),
  ...SSH,
  ...SYSTEMS,
];
