/**
 * What devices announce by DNS-SD (RFC 6763). Types of services as IANA lists them; keys of TXT records by the Bonjour
 * Printing Specification, the HomeKit Accessory Protocol, and what makers of receivers document.
 */
import { ACCESSORY_PROGRAMS } from '../names.ts';
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

const SERVICES = rulesOf('mdns-service', [
  [/^_(?:ipps?|printer)\._tcp/i, { kind: 'printer', weight: 0.62 }],
  [/^_pdl-datastream\._tcp/i, { kind: 'printer', weight: 0.85 }],
  [/^_(?:uscans?|scanner)\._tcp/i, { kind: 'printer', weight: 0.5 }],
  [/^_googlecast\._tcp/i, { kind: 'media-player', weight: 0.55 }],
  [/^_(?:airplay|raop)\._tcp/i, { kind: 'media-player', weight: 0.4 }],
  [/^_androidtvremote2?\._tcp/i, { kind: 'media-player', weight: 0.62 }],
  [/^_(?:e2stream|dvbviewer)\._tcp/i, { kind: 'media-player', weight: 0.85 }],
  [/^_nv_shield_remote\._tcp/i, { kind: 'media-player', vendor: 'NVIDIA', weight: 0.85 }],
  [/^_mediaremotetv\._tcp/i, { kind: 'media-player', vendor: 'Apple', weight: 0.8, platform: true }],
  [/^_viziocast\._tcp/i, { kind: 'tv', vendor: 'VIZIO', weight: 0.85 }],
  [/^_philipstv\w*\._tcp/i, { kind: 'tv', vendor: 'Philips', weight: 0.92 }],
  [/^_samsungmsf\._tcp/i, { kind: 'tv', vendor: 'Samsung', weight: 0.55 }],
  [/^_fbx-api\._tcp/i, { kind: 'router', vendor: 'Free', weight: 0.85 }],
  [/^_dvl-\w+\._tcp/i, { vendor: 'devolo' }],
  [/^_(?:linkplay|beoremote|bangolufsen|libratone)\._tcp/i, { kind: 'speaker', weight: 0.75 }],
  [/^_heos-audio\._tcp/i, { kind: 'media-player', vendor: 'Denon', weight: 0.7 }],
  [/^_(?:volumio|moode)\._tcp/i, { kind: 'media-player', weight: 0.55 }],
  [
    /^_(?:lutron|leap|bond|powerview|kizbox|kizboxdev|hwenergy|homewizard)\._tcp/i,
    { kind: 'smart-home', weight: 0.88 },
  ],
  [/^_(?:slzb-06|zigate-zigbee-gateway|zigstar_gw|uzg-01|nuki)\._tcp/i, { kind: 'smart-home', weight: 0.88 }],
  [/^_ecobee\._tcp/i, { kind: 'thermostat', vendor: 'ecobee', weight: 0.9 }],
  [/^_(?:dosvc|system-bridge|udisks-ssh|teamviewer)\._tcp/i, { kind: 'computer', weight: 0.62 }],
  [/^_(?:canon-bjnp1|privet|fax-ipp)\._tcp/i, { kind: 'printer', weight: 0.62 }],
  [/^_spotify-connect\._tcp/i, { kind: 'speaker', weight: 0.45 }],
  [/^_sonos\._tcp/i, { kind: 'speaker', vendor: 'Sonos', weight: 0.92 }],
  [/^_(?:soundtouch|bose\w*)\._tcp/i, { kind: 'speaker', vendor: 'Bose', weight: 0.9 }],
  [/^_(?:musc|bluesound\w*)\._tcp/i, { kind: 'speaker', vendor: 'Bluesound', weight: 0.85 }],
  [/^_amzn-wplay\._tcp/i, { kind: 'media-player', vendor: 'Amazon', weight: 0.62 }],
  [/^_amzn-alexa\._tcp/i, { kind: 'speaker', vendor: 'Amazon', weight: 0.55 }],
  [/^_roku-\w+\._tcp/i, { kind: 'media-player', vendor: 'Roku', weight: 0.8, platform: true }],
  [/^_hue\._tcp/i, { kind: 'smart-home', vendor: 'Signify', weight: 0.95 }],
  [/^_shelly\._tcp/i, { vendor: 'Shelly', kind: 'smart-home', weight: 0.8 }],
  [/^_esphomelib\._tcp/i, { kind: 'smart-home', weight: 0.9 }],
  [/^_home-assistant\._tcp/i, { kind: 'smart-home', model: 'Home Assistant', weight: 0.75 }],
  [/^_(?:elg|elgato\w*)\._tcp/i, { kind: 'smart-home', vendor: 'Elgato', weight: 0.8 }],
  [/^_(?:nanoleafapi|nanoleafms)\._tcp/i, { kind: 'smart-home', vendor: 'Nanoleaf', weight: 0.95 }],
  [
    /^_(?:wled|tasmota|lifx|yeelight|ikea-smgw|dirigera|ewelink|tuya\w*|meross\w*)\._(?:tcp|udp)/i,
    { kind: 'smart-home', weight: 0.9 },
  ],
  [/^_(?:matterc|matterd|matter|meshcop|trel)\._(?:tcp|udp)/i, { kind: 'smart-home', weight: 0.3 }],
  [/^_(?:hap|homekit)\._(?:tcp|udp)/i, { kind: 'smart-home', weight: 0.35 }],
  [/^_axis-(?:video|nvr)\._tcp/i, { kind: 'camera', vendor: 'Axis Communications', weight: 0.95 }],
  [/^_(?:onvif|psia|dhnap|hikvision|cgi-camera)\._tcp/i, { kind: 'camera', weight: 0.9 }],
  [/^_rtsp\._tcp/i, { kind: 'camera', weight: 0.5 }],
  [/^_(?:workstation|rfb|rdp)\._tcp/i, { kind: 'computer', weight: 0.45 }],
  [/^_(?:afpovertcp|adisk)\._tcp/i, { kind: 'nas', weight: 0.35 }],
  [/^_smb\._tcp/i, { kind: 'computer', weight: 0.25 }],
  [/^_nfs\._tcp/i, { kind: 'nas', weight: 0.4 }],
  [/^_(?:ssh|sftp-ssh)\._tcp/i, { kind: 'computer', weight: 0.2 }],
  [/^_(?:synology\w*|syno\w*)\._tcp/i, { kind: 'nas', vendor: 'Synology', weight: 0.9 }],
  [/^_(?:qnap\w*|qdiscover)\._tcp/i, { kind: 'nas', vendor: 'QNAP', weight: 0.92 }],
  [/^_(?:readynas|truenas|freenas|wd-?\w*nas|lacie\w*)\._tcp/i, { kind: 'nas', weight: 0.92 }],
  [/^_(?:apple-mobdev2?|apple-pairable)\._tcp/i, { kind: 'phone', vendor: 'Apple', weight: 0.35, platform: true }],
  [/^_companion-link\._tcp/i, { vendor: 'Apple', platform: true, docks: true }],
  [/^_(?:device-info|sleep-proxy)\._(?:tcp|udp)/i, { kind: 'computer', weight: 0.05 }],
  [/^_airport\._tcp/i, { kind: 'access-point', vendor: 'Apple', weight: 0.9 }],
  [/^_(?:fritz\w*|avm\w*)\._tcp/i, { kind: 'router', vendor: 'AVM', weight: 0.8 }],
  [/^_(?:ubnt|unifi)\w*\._tcp/i, { vendor: 'Ubiquiti' }],
  [/^_(?:nvstream|nvstream_dbd)\._tcp/i, { kind: 'computer', weight: 0.4 }],
  // A protocol of Xiaomi that the makers of its family speak as well.
  [/^_(?:miio|roborock)\._udp/i, { kind: 'smart-home', weight: 0.5 }],
  [/^_(?:sip|sips)\._(?:tcp|udp)/i, { kind: 'voip-phone', weight: 0.6 }],
  [/^_(?:enphase-envoy|solaredge|fronius\w*|sma\w*|kostal\w*)\._tcp/i, { kind: 'solar', weight: 0.95 }],
  [/^_(?:apc|nut|ups)\._tcp/i, { kind: 'ups', weight: 0.6 }],
  [/^_(?:bshc|homeconnect)\._tcp/i, { kind: 'appliance', vendor: 'Bosch', weight: 0.85 }],
  [/^_(?:miele-mobile-interface|miele)\._tcp/i, { kind: 'appliance', vendor: 'Miele', weight: 0.95 }],
  [/^_(?:dyson_mqtt|360eye_mqtt)\._tcp/i, { kind: 'appliance', vendor: 'Dyson', weight: 0.9 }],
  [/^_(?:irobot|irobotmcs)\._tcp/i, { kind: 'vacuum', vendor: 'iRobot', weight: 0.95 }],
  [/^_nintendo\w*\._tcp/i, { kind: 'game-console', vendor: 'Nintendo', weight: 0.9 }],
  [/^_(?:psp|ps5|psremote)\w*\._tcp/i, { kind: 'game-console', vendor: 'Sony', weight: 0.8 }],
  [/^_(?:proxmox|pve|vmware\w*)\._tcp/i, { kind: 'hypervisor', weight: 0.9 }],
  [/^_(?:tesla|powerwall)\w*\._tcp/i, { vendor: 'Tesla' }],
]);

/** Model identifiers of Apple, as its support pages list them. */
const APPLE: [string, Omit<Rule, 'source' | 'pattern'>][] = [
  ['(iPhone\\d{1,2},\\d)', { kind: 'phone', weight: 0.97 }],
  ['(iPad\\d{1,2},\\d{1,2})', { kind: 'tablet', weight: 0.97 }],
  ['(Watch\\d,\\d{1,2})', { kind: 'watch', weight: 0.97 }],
  ['(AppleTV\\d{1,2},\\d)', { kind: 'media-player', weight: 0.97 }],
  ['(AudioAccessory\\d,\\d)', { kind: 'speaker', weight: 0.97 }],
  ['(MacBook(?:Pro|Air)?\\d{1,2},\\d{1,2})', { kind: 'laptop', weight: 0.97, docks: true }],
  ['((?:iMac|iMacPro|Macmini|MacPro)\\d{1,2},\\d{1,2})', { kind: 'computer', weight: 0.97, docks: true }],
  // MacBooks since 2022 are called like the others.
  [
    '(Mac(?:14,(?:2|5|6|7|9|10|15)|15,(?:3|6|7|8|9|10|11|12|13)|16,(?:1|5|6|7|8|12|13)|17,2))',
    { kind: 'laptop', weight: 0.95, docks: true },
  ],
  // Mac mini, Mac Studio, iMac and Mac Pro.
  [
    '(Mac(?:13,(?:1|2)|14,(?:3|8|12|13|14)|15,(?:4|5|14)|16,(?:2|3|9|10|11|15)))',
    { kind: 'computer', weight: 0.97, docks: true },
  ],
  ['(Mac\\d{1,2},\\d{1,2})', { kind: 'computer', weight: 0.75, docks: true }],
  ['(AirPort\\d{1,2},\\d{1,3})', { kind: 'access-point', weight: 0.95 }],
  // What Apple calls its boards: Apple TV, HomePod, iPad and iPhone.
  ['(J33I?AP|J42dAP|J105aAP|J305AP|J255AP)', { kind: 'media-player', weight: 0.95 }],
  ['(B238a?AP|B520AP|B620AP)', { kind: 'speaker', weight: 0.95 }],
  [
    '((?:J(?:[12]|2a|7[123]\\w?|8[1-7]\\w?|9[6-9]\\w?|12[0178]|17[12]\\w?|18[12]|20[78]|21[0178]|27[12]|3(?:07|08|10|11|17|18|20|21)\\w?|4(?:07|08|10|17|18|20|21)|481|482|5(?:07|08|17|18|22|23|37|38)\\w?|6(?:07|08|17|18|20|21|37|38)|7(?:17|18|20|21))|P1(?:0[1-7]|02)|K9[345]A?)AP)',
    { kind: 'tablet', weight: 0.95 },
  ],
  ['(D\\d{2,3}[a-z]?AP|N(?:41|42|48|49|51|53|56|61|66m?|69u?|71m?|84|841|104)AP)', { kind: 'phone', weight: 0.95 }],
];
const APPLE_MODELS = rulesOf(
  'mdns-text',
  APPLE.map(([model, facts]) => [
    // Samba's `fruit` writes a colour behind it.
    new RegExp(`(?:model|am|rpmd)=${model}$`, 'i'),
    { vendor: 'Apple', model: '$1', platform: true, ...facts },
  ]),
);

/** Categories of accessories by the HomeKit Accessory Protocol Specification, section 13. */
const HOMEKIT: [number, Omit<Rule, 'source' | 'pattern'>][] = [
  [2, { kind: 'smart-home', weight: 0.5 }],
  [3, { kind: 'appliance', weight: 0.62 }],
  [4, { kind: 'smart-home', weight: 0.85 }],
  [5, { kind: 'smart-home', weight: 0.9 }],
  [6, { kind: 'smart-home', weight: 0.8 }],
  [7, { kind: 'smart-plug', weight: 0.9 }],
  [8, { kind: 'smart-home', weight: 0.85 }],
  [9, { kind: 'thermostat', weight: 0.92 }],
  [10, { kind: 'smart-home', weight: 0.85 }],
  [11, { kind: 'smart-home', weight: 0.85 }],
  [12, { kind: 'smart-home', weight: 0.85 }],
  [17, { kind: 'camera', weight: 0.92 }],
  [18, { kind: 'camera', weight: 0.85 }],
  [19, { kind: 'appliance', weight: 0.8 }],
  [13, { kind: 'smart-home', weight: 0.85 }],
  [14, { kind: 'smart-home', weight: 0.85 }],
  [15, { kind: 'smart-home', weight: 0.85 }],
  [16, { kind: 'access-point', weight: 0.8 }],
  [20, { kind: 'appliance', weight: 0.75 }],
  [21, { kind: 'appliance', weight: 0.8 }],
  [22, { kind: 'appliance', weight: 0.8 }],
  [23, { kind: 'appliance', weight: 0.8 }],
  [24, { kind: 'media-player', vendor: 'Apple', weight: 0.9, platform: true }],
  [26, { kind: 'speaker', weight: 0.9 }],
  [31, { kind: 'tv', weight: 0.92 }],
  [28, { kind: 'smart-home', weight: 0.85 }],
  [29, { kind: 'smart-home', weight: 0.8 }],
  [30, { kind: 'smart-home', weight: 0.8 }],
  [33, { kind: 'router', weight: 0.85 }],
  [34, { kind: 'media-player', weight: 0.8 }],
  [35, { kind: 'media-player', weight: 0.85 }],
  [36, { kind: 'media-player', weight: 0.85 }],
];
const HOMEKIT_CATEGORIES = rulesOf(
  'mdns-text',
  HOMEKIT.map(([category, facts]) => [new RegExp(`^_hap\\._(?:tcp|udp) ci=${category}$`, 'i'), facts]),
);

const TEXTS = rulesOf('mdns-text', [
  [
    /^_googlecast\S* md=(Chromecast(?: Ultra| HD| Audio)?|Google TV Streamer)/i,
    { kind: 'media-player', vendor: 'Google', model: '$1', weight: 0.95 },
  ],
  [
    /^_googlecast\S* md=((?:Google )?(?:Nest|Home) (?:Hub|Mini|Audio|Max).*|Google Home.*)/i,
    { kind: 'speaker', vendor: 'Google', model: '$1', weight: 0.95 },
  ],
  [/^_googlecast\S* md=(SHIELD.*)/i, { kind: 'media-player', vendor: 'NVIDIA', model: '$1', weight: 0.92 }],
  [
    /^_googlecast\S* md=(.{0,40}\b(?:box|stick|streamer|dongle)\b.*)/i,
    { kind: 'media-player', model: '$1', weight: 0.85 },
  ],
  [/^_googlecast\S* md=Google Cast Group/i, { kind: 'speaker', weight: 0.3 }],
  [/^_googlecast\S* md=(.*\b(?:TV|BRAVIA|AQUOS|VIZIO|Hisense)\b.*)/i, { kind: 'tv', model: '$1', weight: 0.9 }],
  [/^_googlecast\S* md=(.+)/i, { model: '$1' }],
  [/^_(?:ipps?|printer|pdl-datastream|uscans?)\S* rp=printers\//i, { kind: 'computer', weight: 0.8 }],
  [/^_(?:ipps?|printer|pdl-datastream|uscans?)\S* ty=(.+)/i, { kind: 'printer', model: '$1', weight: 0.7 }],
  [/^_(?:ipps?|printer|pdl-datastream)\S* usb_MFG=(.+)/i, { kind: 'printer', vendor: '$1', weight: 0.7 }],
  [/^_(?:ipps?|printer|pdl-datastream)\S* usb_MDL=(.+)/i, { kind: 'printer', model: '$1', weight: 0.7 }],
  [ACCESSORY_PROGRAMS, { kind: 'server', weight: 0.75 }],
  [
    /^_hap\S* md=((?:TR[AÅ]DFRI|DIRIGERA|BILRESA|VINDSTYRKA)\b.*)/i,
    { kind: 'smart-home', vendor: 'IKEA', model: '$1', weight: 0.9 },
  ],
  [
    /^_hap\S* md=(.{0,40}\b(?:Bridge|Hub|Gateway|Bulb|Light ?strip|Dimmer|Sensor|Lock)\b.*)/i,
    { kind: 'smart-home', model: '$1', weight: 0.7 },
  ],
  [/^_hap\S* md=(.+)/i, { model: '$1' }],
  [/^_hue\S* modelid=(.+)/i, { kind: 'smart-home', vendor: 'Signify', model: '$1', weight: 0.95 }],
  [/^_shelly\S* app=(?:Plus|Pro|Mini)?(Plug\w*)/i, { kind: 'smart-plug', vendor: 'Shelly', model: '$1', weight: 0.9 }],
  [
    /^_(?:airplay|raop)\S* (?:model|am)=(.*BRAVIA.*|.*\bTV\b.*|(?:QE|QN|QA|UE|UN|UA|TQ|GQ|GU|OLED)\d{2}\w+)/i,
    { kind: 'tv', model: '$1', weight: 0.8 },
  ],
  [
    /^_(?:airplay|raop)\S* (?:model|am)=(FreeboxPlayer\S*)/i,
    { kind: 'media-player', vendor: 'Free', model: '$1', weight: 0.95 },
  ],
  [
    /^_(?:airplay|raop)\S* (?:model|am)=(HW-[A-Z]{1,3}\d\w*)/i,
    { kind: 'speaker', vendor: 'Samsung', model: '$1', weight: 0.92 },
  ],
  [/^_device-info\S* model=(Xserve|RackMac.*|TimeCapsule.*)/i, { kind: 'nas', weight: 0.4 }],
  [/^_http\S* vendor=(Synology)/i, { kind: 'nas', vendor: '$1', weight: 0.9 }],
  [/^_http\S* model=(DS\d.*|RS\d.*)/i, { kind: 'nas', model: '$1', weight: 0.85 }],
  [/^_qdiscover\S* (?:displayModel|model)=(.+)/i, { kind: 'nas', vendor: 'QNAP', model: '$1', weight: 0.95 }],
  [/^_esphomelib\S* project_name=(.+)/i, { kind: 'smart-home', model: '$1' }],
  [/^_http\S* path=\/fritzbox/i, { kind: 'router', vendor: 'AVM', weight: 0.8 }],
  [/^_(?:airplay|raop|spotify-connect|sonos)\S* (?:manufacturer|mf|brandDisplayName)=(.+)/i, { vendor: '$1' }],
  [/^_spotify-connect\S* modelDisplayName=(.+)/i, { kind: 'speaker', model: '$1', weight: 0.5 }],
  [
    /^_axis-video\S* (?:model|product)=(.+)/i,
    { kind: 'camera', vendor: 'Axis Communications', model: '$1', weight: 0.95 },
  ],
]);

const INSTANCES = rulesOf('mdns-instance', [
  // `roborock-vacuum-a15_miio123456789`
  [/^_(?:miio|roborock)\S* .*(?:vacuum|roborock|dreame|viomi-v|mop)/i, { kind: 'vacuum', weight: 0.85 }],
  [/^_miio\S* .*(?:camera|isa-)/i, { kind: 'camera', weight: 0.8 }],
  [/^_miio\S* .*plug/i, { kind: 'smart-plug', weight: 0.85 }],
  [/^_miio\S* .*(?:airpurifier|humidifier|-fan|heater|airmonitor|fryer)/i, { kind: 'appliance', weight: 0.8 }],
  [/^_miio\S* .*(?:light|gateway|bulb|lamp|bslamp|ceiling|curtain)/i, { kind: 'smart-home', weight: 0.85 }],
  [/\bsound-?bar\b/i, { kind: 'speaker', weight: 0.7 }],
  [/^_(?:ipps?|printer|pdl-datastream|uscans?)\S* (.+)/i, { kind: 'printer', weight: 0.3 }],
  [/^_(?:http|smb)\S* (?:Synology|DiskStation)\b/i, { kind: 'nas', vendor: 'Synology', weight: 0.85 }],
  [/^_hue\S* (?:Philips )?Hue\b/i, { kind: 'smart-home', vendor: 'Signify', weight: 0.9 }],
  [/^_http\S* FRITZ!Repeater/i, { kind: 'access-point', vendor: 'AVM', weight: 0.85 }],
  [/^_http\S* FRITZ!Box/i, { kind: 'router', vendor: 'AVM', weight: 0.75 }],
  [/^_http\S* shellyplu/i, { kind: 'smart-plug', vendor: 'Shelly', weight: 0.85 }],
  [/^_http\S* shelly/i, { kind: 'smart-home', vendor: 'Shelly', weight: 0.85 }],
  [/^_http\S* (?:Enphase|envoy)/i, { kind: 'solar', vendor: 'Enphase', weight: 0.9 }],
  [
    /^_http\S* (?:Brother|EPSON|Canon|HP|Lexmark|Xerox|Kyocera|RICOH) .*(?:series|LaserJet|OfficeJet|DeskJet|ENVY|MFC|HL-|DCP|WF-|ET-)/i,
    { kind: 'printer', weight: 0.8 },
  ],
  [/^_hap\S* .*(?:plug|outlet)\b/i, { kind: 'smart-plug', weight: 0.5 }],
]);

export const MDNS_RULES: readonly Rule[] = [
  ...SERVICES,
  ...APPLE_MODELS,
  ...HOMEKIT_CATEGORIES,
  ...TEXTS,
  ...INSTANCES,
];
