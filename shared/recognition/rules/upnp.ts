/** SSDP answers and UPnP descriptions. Types as the UPnP Forum has standardized them. */
import { type Row, type Rule, rulesOf } from '../rule.ts';

/** Search targets and description types share these. */
const TYPES: readonly Row[] = [
  [/:device:InternetGatewayDevice:/i, 'router', 0.85],
  [/:device:WLANAccessPointDevice:/i, 'access-point', 0.7],
  [/:device:Printer(?:Basic|Enhanced)?:/i, 'printer', 0.9],
  [/:device:Scanner:/i, 'scanner', 0.6],
  [/:device:MediaRenderer:/i, 'media-player', 0.4],
  [/:device:MediaServer:/i, 'nas', 0.2],
  [/:device:ZonePlayer:/i, 'speaker', 0.95, { vendor: 'Sonos' }],
  [/:device:DigitalSecurityCamera:/i, 'camera', 0.9],
  [/:device:(?:HVAC_System|HVAC_ZoneThermostat):/i, 'thermostat', 0.85],
  [/:device:(?:BinaryLight|DimmableLight):/i, 'smart-home', 0.85],
  [/:device:TvServer/i, 'tv', 0.7],
  // Sticks and boxes that implement DIAL announce it as well.
  [/:device:tvdevice/i, 'media-player', 0.35],
  [/urn:samsung\.com:device:(?:RemoteControlReceiver|MainTVServer2)/i, 'tv', 0.9, { vendor: 'Samsung' }],
  [/urn:lge-com:service:webos-second-screen/i, 'tv', 0.93, { vendor: 'LG' }],
  [/urn:schemas-sony-com:service:(?:IRCC|ScalarWebAPI)/i, 'tv', 0.5, { vendor: 'Sony' }],
  [/urn:dial-multiscreen-org:(?:service|device):dial/i, 'media-player', 0.35],
  [/roku:ecp/i, 'media-player', 0.85, { vendor: 'Roku', platform: true }],
  [/urn:Belkin:device:(?:controllee|insight|outdoorplug)/i, 'smart-plug', 0.93, { vendor: 'Belkin' }],
  [/urn:Belkin:device:/i, 'smart-home', 0.85, { vendor: 'Belkin' }],
  [/urn:axis-com:service:BasicService/i, 'camera', 0.7, { vendor: 'Axis Communications' }],
];

const SERVERS = rulesOf('ssdp-server', [
  [/FRITZ!(?:Repeater|Powerline|WLAN Repeater)/i, 'access-point', 0.85, { vendor: 'AVM' }],
  [/FRITZ!Box/i, 'router', 0.75, { vendor: 'AVM' }],
  [/Samsung.*(?:\bTV\b|Tizen)|SEC_HHP_\[TV\]/i, 'tv', 0.6, { vendor: 'Samsung' }],
  [/WebOS.*LGE|LGE_DLNA|LGE WebOS/i, 'tv', 0.8, { vendor: 'LG' }],
  [/Sonos\/\S+ \((?:ZP|B)?(\w+)\)|Sonos\//i, 'speaker', 0.9, { vendor: 'Sonos' }],
  [/Roku/i, 'media-player', 0.7, { vendor: 'Roku', platform: true }],
  [/IpBridge\/|hue-bridgeid/i, 'smart-home', 0.7, { vendor: 'Signify' }],
  [/Synology\/|DSM\//i, 'nas', 0.85, { vendor: 'Synology' }],
  [/\b(?:QNAP|QTS)\b/i, 'nas', 0.8, { vendor: 'QNAP' }],
  [/\bXbox/i, 'game-console', 0.8, { vendor: 'Microsoft' }],
  [/PlayStation|PS[345]\b/i, 'game-console', 0.85, { vendor: 'Sony' }],
  [/MikroTik/i, 'router', 0.7, { vendor: 'MikroTik' }],
  [/(?:MiniUPnPd|miniupnpd)/i, 'router', 0.5],
  [/Microsoft-Windows/i, 'computer', 0.6],
  [/Kodi|XBMC/i, 'media-player', 0.2],
  [/AsusWRT|DIR-\d{3}|\bArcher\b|TP-LINK.*Router/i, 'router', 0.7],
  [/Panasonic.*MIL DLNA|\bVIERA\b/i, 'tv', 0.5, { vendor: 'Panasonic' }],
  [/Debian.*OpenMediaVault/i, 'nas', 0.85],
]);

const MAKERS = rulesOf('upnp-maker', [
  [/^AVM\b/i, { vendor: 'AVM' }],
  [/^Samsung Electronics/i, { vendor: 'Samsung' }],
  [/^LG Electronics/i, { vendor: 'LG' }],
  [/^Signify|^Royal Philips/i, { vendor: 'Signify' }],
  [/^Sonos/i, 'speaker', 0.8, { vendor: 'Sonos' }],
  [/^Roku/i, 'media-player', 0.7, { vendor: 'Roku' }],
  [/^Axis/i, 'camera', 0.8, { vendor: 'Axis Communications' }],
  [/^(?:HIKVISION|Dahua|Reolink|Foscam|Vivotek|Amcrest|Mobotix)/i, 'camera', 0.8, { vendor: '$&' }],
  [/^Synology/i, 'nas', 0.8, { vendor: 'Synology' }],
  [/^QNAP/i, 'nas', 0.8, { vendor: 'QNAP' }],
  [/^(?:Bose|Teufel|Raumfeld|Bang & Olufsen|Bluesound|Libratone)/i, 'speaker', 0.65, { vendor: '$&' }],
  [/^(?:Denon|Marantz|YAMAHA|Onkyo|Pioneer|NAD|Cambridge Audio|Linn|Naim)\b/i, 'media-player', 0.65, { vendor: '$&' }],
  [
    /^(?:Ubiquiti|Netgear|TP-?LINK|ASUSTeK|D-Link|Linksys|Zyxel|Huawei|Sagemcom|Technicolor|ARRIS|Compal)/i,
    { vendor: '$&' },
  ],
  [/^(?:Brother|Canon|EPSON|Seiko Epson|HP|Hewlett-Packard|Lexmark|Xerox|Kyocera|RICOH)/i, { vendor: '$&' }],
  [/^(?:Sony Interactive Entertainment)/i, 'game-console', 0.8, { vendor: 'Sony' }],
  [/^Microsoft/i, { vendor: 'Microsoft' }],
  // Programs, which run on any host, and default values of libraries.
  [/^(?:XBMC|Kodi|Plex|Justin Maggard|minidlna|Gerbera|Linux|MiniUPnP|Unknown|Manufacturer)\b/i, {}],
  [
    /^(?:TPV|Hisense|TCL|VIZIO|LOEWE|Grundig|Metz|Westinghouse|Insignia|onn\b|Element|Skyworth|Vestel|Changhong|Polaroid|Magnavox)/i,
    { kind: 'tv', weight: 0.66, vendor: '$&' },
  ],
  [/^(?:Panasonic|Sharp|Philips|TechniSat|Sony|Toshiba|JVC|RCA|Sanyo)/i, { vendor: '$&' }],
  [/^(.+)$/, { vendor: '$1' }],
]);

const MODELS = rulesOf('upnp-model', [
  [/(FRITZ!Box .+)/i, 'router', 0.9, { vendor: 'AVM', model: '$1' }],
  [/(FRITZ!(?:WLAN )?Repeater .+|FRITZ!Powerline .+)/i, 'access-point', 0.92, { vendor: 'AVM', model: '$1' }],
  [/^(?:Philips hue bridge\b.*)/i, 'smart-home', 0.95, { vendor: 'Signify', model: '$&' }],
  [/^((?:QE|UE|UN|QN|QA|UA)\d{2}[A-Z0-9]+)/, 'tv', 0.9, { vendor: 'Samsung', model: '$1' }],
  [/^((?:OLED|NANO|UHD)?\d{2}[A-Z]{2}\d{3,4}\w*|OLED\d{2}\w+)/, 'tv', 0.75, { model: '$1' }],
  [/^(\d{2}[A-Z]{1,3}\d{1,4}[A-Z]?)\b/, 'tv', 0.62, { model: '$1' }],
  [/(.*\b(?:Roku|Android|Google|Smart) TV\b.*)|\bTV DMR\b/i, 'tv', 0.7, { model: '$&' }],
  // Televisions with Fire TV inside, by Amazon's list of device specifications; the others are sticks and boxes.
  [/^(AFT(?:EA|EU|DC|BA|TI|HA|LE\b|RS|SO|WI|PR|WY|MD|BL|LF)\w*)/, 'tv', 0.75, { model: '$1' }],
  [/\b(?:KD|XR|KDL)-\d{2}[A-Z0-9]+|BRAVIA/i, 'tv', 0.85, { vendor: 'Sony', model: '$&' }],
  [/\bVIERA\b/i, 'tv', 0.85, { vendor: 'Panasonic', model: '$&' }],
  [/LG (?:TV|Smart TV)|LG Digital Media Renderer TV/i, 'tv', 0.8, { vendor: 'LG', model: '$&' }],
  [/^(Sonos .+)/i, 'speaker', 0.95, { vendor: 'Sonos', model: '$1' }],
  [/^(Xbox.*)/i, 'game-console', 0.92, { vendor: 'Microsoft', model: '$1' }],
  [/^(PlayStation.*|PS[345].*)/i, 'game-console', 0.92, { vendor: 'Sony', model: '$1' }],
  [/^(DS\d\S*|RS\d\S*|DiskStation.*)/i, 'nas', 0.8, { model: '$1' }],
  [/^(T[SV]S?-\d\S*)/i, 'nas', 0.75, { model: '$1' }],
  [/^(DS-2\w+.*|IPC-\w+.*|RLC-\w+.*)/i, 'camera', 0.9, { model: '$1' }],
  [/^(Roku .*|Fire TV.*|AFT[A-Z]{1,4}\w*|Chromecast.*)/, 'media-player', 0.85, { model: '$1' }],
  [/^(Windows Media Player.*|Windows Digital Media.*)/i, 'computer', 0.6],
  [/^(?:Kodi|XBMC|Plex Media Server|minidlna|Gerbera|Linux Internet Gateway Device|MiniUPnPd)/i, {}],
  [/^(.+)$/, { model: '$1' }],
]);

const NAMES = rulesOf('upnp-name', [
  [/\b(?:VIERA|BRAVIA|AQUOS|REGZA)\b|^\[TV\]|webOS TV/i, 'tv', 0.75],
  [/\bTV\b|\btelevision\b|\bfernseher\b/i, 'tv', 0.5],
  [/printer|drucker|LaserJet|OfficeJet/i, 'printer', 0.5],
  [/\bcamera\b|kamera|\bIPCAM/i, 'camera', 0.5],
]);

export const UPNP_RULES: readonly Rule[] = [
  ...rulesOf('ssdp-type', TYPES),
  ...rulesOf('upnp-type', TYPES),
  ...SERVERS,
  ...MAKERS,
  ...MODELS,
  ...NAMES,
];
