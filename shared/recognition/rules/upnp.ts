/** What devices answer to SSDP and say in their UPnP descriptions. Types as the UPnP Forum has standardized them. */
import type { ObservationSource } from '../../agent/observations.ts';
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

type Facts = Omit<Rule, 'source' | 'pattern'>;

/** Types are search targets and types of descriptions: the same words at two places. */
const TYPES: readonly [RegExp, Facts][] = [
  [/:device:InternetGatewayDevice:/i, { kind: 'router', weight: 0.85 }],
  [/:device:WLANAccessPointDevice:/i, { kind: 'access-point', weight: 0.7 }],
  [/:device:Printer(?:Basic|Enhanced)?:/i, { kind: 'printer', weight: 0.9 }],
  [/:device:Scanner:/i, { kind: 'scanner', weight: 0.6 }],
  [/:device:MediaRenderer:/i, { kind: 'media-player', weight: 0.4 }],
  [/:device:MediaServer:/i, { kind: 'nas', weight: 0.2 }],
  [/:device:ZonePlayer:/i, { kind: 'speaker', vendor: 'Sonos', weight: 0.95 }],
  [/:device:DigitalSecurityCamera:/i, { kind: 'camera', weight: 0.9 }],
  [/:device:(?:HVAC_System|HVAC_ZoneThermostat):/i, { kind: 'thermostat', weight: 0.85 }],
  [/:device:(?:BinaryLight|DimmableLight):/i, { kind: 'smart-home', weight: 0.85 }],
  [/:device:TvServer/i, { kind: 'tv', weight: 0.7 }],
  // Sticks and boxes that implement DIAL say so as well.
  [/:device:tvdevice/i, { kind: 'media-player', weight: 0.35 }],
  [/urn:samsung\.com:device:(?:RemoteControlReceiver|MainTVServer2)/i, { kind: 'tv', vendor: 'Samsung', weight: 0.9 }],
  [/urn:lge-com:service:webos-second-screen/i, { kind: 'tv', vendor: 'LG', weight: 0.93 }],
  [/urn:schemas-sony-com:service:(?:IRCC|ScalarWebAPI)/i, { vendor: 'Sony', kind: 'tv', weight: 0.5 }],
  [/urn:dial-multiscreen-org:(?:service|device):dial/i, { kind: 'media-player', weight: 0.35 }],
  [/roku:ecp/i, { kind: 'media-player', vendor: 'Roku', weight: 0.85, platform: true }],
  [/urn:Belkin:device:(?:controllee|insight|outdoorplug)/i, { kind: 'smart-plug', vendor: 'Belkin', weight: 0.93 }],
  [/urn:Belkin:device:/i, { kind: 'smart-home', vendor: 'Belkin', weight: 0.85 }],
  [/urn:axis-com:service:BasicService/i, { kind: 'camera', vendor: 'Axis Communications', weight: 0.7 }],
];

const SERVERS = rulesOf('ssdp-server', [
  [/FRITZ!(?:Repeater|Powerline|WLAN Repeater)/i, { vendor: 'AVM', kind: 'access-point', weight: 0.85 }],
  [/FRITZ!Box/i, { vendor: 'AVM', kind: 'router', weight: 0.75 }],
  [/Samsung.*(?:\bTV\b|Tizen)|SEC_HHP_\[TV\]/i, { vendor: 'Samsung', kind: 'tv', weight: 0.6 }],
  [/WebOS.*LGE|LGE_DLNA|LGE WebOS/i, { vendor: 'LG', kind: 'tv', weight: 0.8 }],
  [/Sonos\/\S+ \((?:ZP|B)?(\w+)\)|Sonos\//i, { vendor: 'Sonos', kind: 'speaker', weight: 0.9 }],
  [/Roku/i, { vendor: 'Roku', kind: 'media-player', weight: 0.7, platform: true }],
  [/IpBridge\/|hue-bridgeid/i, { vendor: 'Signify', kind: 'smart-home', weight: 0.7 }],
  [/Synology\/|DSM\//i, { vendor: 'Synology', kind: 'nas', weight: 0.85 }],
  [/\b(?:QNAP|QTS)\b/i, { vendor: 'QNAP', kind: 'nas', weight: 0.8 }],
  [/\bXbox/i, { vendor: 'Microsoft', kind: 'game-console', weight: 0.8 }],
  [/PlayStation|PS[345]\b/i, { vendor: 'Sony', kind: 'game-console', weight: 0.85 }],
  [/MikroTik/i, { vendor: 'MikroTik', kind: 'router', weight: 0.7 }],
  [/(?:MiniUPnPd|miniupnpd)/i, { kind: 'router', weight: 0.5 }],
  [/Microsoft-Windows/i, { kind: 'computer', weight: 0.6 }],
  [/Kodi|XBMC/i, { kind: 'media-player', weight: 0.2 }],
  [/AsusWRT|DIR-\d{3}|\bArcher\b|TP-LINK.*Router/i, { kind: 'router', weight: 0.7 }],
  [/Panasonic.*MIL DLNA|\bVIERA\b/i, { vendor: 'Panasonic', kind: 'tv', weight: 0.5 }],
  [/Debian.*OpenMediaVault/i, { kind: 'nas', weight: 0.85 }],
]);

const MAKERS = rulesOf('upnp-maker', [
  [/^AVM\b/i, { vendor: 'AVM' }],
  [/^Samsung Electronics/i, { vendor: 'Samsung' }],
  [/^LG Electronics/i, { vendor: 'LG' }],
  [/^Signify|^Royal Philips/i, { vendor: 'Signify' }],
  [/^Sonos/i, { vendor: 'Sonos', kind: 'speaker', weight: 0.8 }],
  [/^Roku/i, { vendor: 'Roku', kind: 'media-player', weight: 0.7 }],
  [/^Axis/i, { vendor: 'Axis Communications', kind: 'camera', weight: 0.8 }],
  [/^(?:HIKVISION|Dahua|Reolink|Foscam|Vivotek|Amcrest|Mobotix)/i, { vendor: '$&', kind: 'camera', weight: 0.8 }],
  [/^Synology/i, { vendor: 'Synology', kind: 'nas', weight: 0.8 }],
  [/^QNAP/i, { vendor: 'QNAP', kind: 'nas', weight: 0.8 }],
  [/^(?:Bose|Teufel|Raumfeld|Bang & Olufsen|Bluesound|Libratone)/i, { vendor: '$&', kind: 'speaker', weight: 0.65 }],
  [
    /^(?:Denon|Marantz|YAMAHA|Onkyo|Pioneer|NAD|Cambridge Audio|Linn|Naim)\b/i,
    { vendor: '$&', kind: 'media-player', weight: 0.65 },
  ],
  [
    /^(?:Ubiquiti|Netgear|TP-?LINK|ASUSTeK|D-Link|Linksys|Zyxel|Huawei|Sagemcom|Technicolor|ARRIS|Compal)/i,
    { vendor: '$&' },
  ],
  [/^(?:Brother|Canon|EPSON|Seiko Epson|HP|Hewlett-Packard|Lexmark|Xerox|Kyocera|RICOH)/i, { vendor: '$&' }],
  [/^(?:Sony Interactive Entertainment)/i, { vendor: 'Sony', kind: 'game-console', weight: 0.8 }],
  [/^Microsoft/i, { vendor: 'Microsoft' }],
  // Programs, which run on anything, and what libraries say when nobody filled it in.
  [/^(?:XBMC|Kodi|Plex|Justin Maggard|minidlna|Gerbera|Linux|MiniUPnP|Unknown|Manufacturer)\b/i, {}],
  [
    /^(?:TPV|Hisense|TCL|VIZIO|LOEWE|Grundig|Metz|Westinghouse|Insignia|onn\b|Element|Skyworth|Vestel|Changhong|Polaroid|Magnavox)/i,
    { vendor: '$&', kind: 'tv', weight: 0.66 },
  ],
  [/^(?:Panasonic|Sharp|Philips|TechniSat|Sony|Toshiba|JVC|RCA|Sanyo)/i, { vendor: '$&' }],
  [/^(.+)$/, { vendor: '$1' }],
]);

const MODELS = rulesOf('upnp-model', [
  [/(FRITZ!Box .+)/i, { kind: 'router', vendor: 'AVM', model: '$1', weight: 0.9 }],
  [
    /(FRITZ!(?:WLAN )?Repeater .+|FRITZ!Powerline .+)/i,
    { kind: 'access-point', vendor: 'AVM', model: '$1', weight: 0.92 },
  ],
  [/^(?:Philips hue bridge\b.*)/i, { kind: 'smart-home', vendor: 'Signify', model: '$&', weight: 0.95 }],
  [/^((?:QE|UE|UN|QN|QA|UA)\d{2}[A-Z0-9]+)/, { kind: 'tv', vendor: 'Samsung', model: '$1', weight: 0.9 }],
  [/^((?:OLED|NANO|UHD)?\d{2}[A-Z]{2}\d{3,4}\w*|OLED\d{2}\w+)/, { kind: 'tv', model: '$1', weight: 0.75 }],
  [/^(\d{2}[A-Z]{1,3}\d{1,4}[A-Z]?)\b/, { kind: 'tv', model: '$1', weight: 0.62 }],
  [/(.*\b(?:Roku|Android|Google|Smart) TV\b.*)|\bTV DMR\b/i, { kind: 'tv', model: '$&', weight: 0.7 }],
  // Televisions with Fire TV inside, by Amazon's list of device specifications; the others are sticks and boxes.
  [/^(AFT(?:EA|EU|DC|BA|TI|HA|LE\b|RS|SO|WI|PR|WY|MD|BL|LF)\w*)/, { kind: 'tv', model: '$1', weight: 0.75 }],
  [/\b(?:KD|XR|KDL)-\d{2}[A-Z0-9]+|BRAVIA/i, { kind: 'tv', vendor: 'Sony', model: '$&', weight: 0.85 }],
  [/\bVIERA\b/i, { kind: 'tv', vendor: 'Panasonic', model: '$&', weight: 0.85 }],
  [/LG (?:TV|Smart TV)|LG Digital Media Renderer TV/i, { kind: 'tv', vendor: 'LG', model: '$&', weight: 0.8 }],
  [/^(Sonos .+)/i, { kind: 'speaker', vendor: 'Sonos', model: '$1', weight: 0.95 }],
  [/^(Xbox.*)/i, { kind: 'game-console', vendor: 'Microsoft', model: '$1', weight: 0.92 }],
  [/^(PlayStation.*|PS[345].*)/i, { kind: 'game-console', vendor: 'Sony', model: '$1', weight: 0.92 }],
  [/^(DS\d\S*|RS\d\S*|DiskStation.*)/i, { kind: 'nas', model: '$1', weight: 0.8 }],
  [/^(T[SV]S?-\d\S*)/i, { kind: 'nas', model: '$1', weight: 0.75 }],
  [/^(DS-2\w+.*|IPC-\w+.*|RLC-\w+.*)/i, { kind: 'camera', model: '$1', weight: 0.9 }],
  [/^(Roku .*|Fire TV.*|AFT[A-Z]{1,4}\w*|Chromecast.*)/, { kind: 'media-player', model: '$1', weight: 0.85 }],
  [/^(Windows Media Player.*|Windows Digital Media.*)/i, { kind: 'computer', weight: 0.6 }],
  [/^(?:Kodi|XBMC|Plex Media Server|minidlna|Gerbera|Linux Internet Gateway Device|MiniUPnPd)/i, {}],
  [/^(.+)$/, { model: '$1' }],
]);

const NAMES = rulesOf('upnp-name', [
  [/\b(?:VIERA|BRAVIA|AQUOS|REGZA)\b|^\[TV\]|webOS TV/i, { kind: 'tv', weight: 0.75 }],
  [/\bTV\b|\btelevision\b|\bfernseher\b/i, { kind: 'tv', weight: 0.5 }],
  [/printer|drucker|LaserJet|OfficeJet/i, { kind: 'printer', weight: 0.5 }],
  [/\bcamera\b|kamera|\bIPCAM/i, { kind: 'camera', weight: 0.5 }],
]);

const typesOf = (source: ObservationSource) => rulesOf(source, TYPES);

export const UPNP_RULES: readonly Rule[] = [
  ...typesOf('ssdp-type'),
  ...typesOf('upnp-type'),
  ...SERVERS,
  ...MAKERS,
  ...MODELS,
  ...NAMES,
];
