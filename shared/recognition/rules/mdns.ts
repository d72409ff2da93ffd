/**
 * DNS-SD announcements (RFC 6763). Service types as IANA lists them; keys of TXT records by the Bonjour Printing
 * Specification, the HomeKit Accessory Protocol, and the documentation of makers of receivers.
 */
import { ACCESSORY_PROGRAMS } from '../names.ts';
import { type Facts, type Rule, rulesOf } from '../rule.ts';

const SERVICES = rulesOf('mdns-service', [
  [/^_(?:ipps?|printer)\._tcp/i, 'printer', 0.62],
  [/^_pdl-datastream\._tcp/i, 'printer', 0.85],
  [/^_(?:uscans?|scanner)\._tcp/i, 'printer', 0.5],
  [/^_googlecast\._tcp/i, 'media-player', 0.55],
  [/^_(?:airplay|raop)\._tcp/i, 'media-player', 0.4],
  [/^_androidtvremote2?\._tcp/i, 'media-player', 0.62],
  [/^_(?:e2stream|dvbviewer)\._tcp/i, 'media-player', 0.85],
  [/^_nv_shield_remote\._tcp/i, 'media-player', 0.85, { vendor: 'NVIDIA' }],
  [/^_mediaremotetv\._tcp/i, 'media-player', 0.8, { vendor: 'Apple', platform: true }],
  [/^_viziocast\._tcp/i, 'tv', 0.85, { vendor: 'VIZIO' }],
  [/^_philipstv\w*\._tcp/i, 'tv', 0.92, { vendor: 'Philips' }],
  [/^_samsungmsf\._tcp/i, 'tv', 0.55, { vendor: 'Samsung' }],
  [/^_fbx-api\._tcp/i, 'router', 0.85, { vendor: 'Free' }],
  [/^_dvl-\w+\._tcp/i, { vendor: 'devolo' }],
  [/^_(?:linkplay|beoremote|bangolufsen|libratone)\._tcp/i, 'speaker', 0.75],
  [/^_heos-audio\._tcp/i, 'media-player', 0.7, { vendor: 'Denon' }],
  [/^_(?:volumio|moode)\._tcp/i, 'media-player', 0.55],
  [/^_(?:lutron|leap|bond|powerview|kizbox|kizboxdev|hwenergy|homewizard)\._tcp/i, 'smart-home', 0.88],
  [/^_(?:slzb-06|zigate-zigbee-gateway|zigstar_gw|uzg-01|nuki)\._tcp/i, 'smart-home', 0.88],
  [/^_ecobee\._tcp/i, 'thermostat', 0.9, { vendor: 'ecobee' }],
  [/^_(?:dosvc|system-bridge|udisks-ssh|teamviewer)\._tcp/i, 'computer', 0.62],
  [/^_(?:canon-bjnp1|privet|fax-ipp)\._tcp/i, 'printer', 0.62],
  [/^_spotify-connect\._tcp/i, 'speaker', 0.45],
  [/^_sonos\._tcp/i, 'speaker', 0.92, { vendor: 'Sonos' }],
  [/^_(?:soundtouch|bose\w*)\._tcp/i, 'speaker', 0.9, { vendor: 'Bose' }],
  [/^_(?:musc|bluesound\w*)\._tcp/i, 'speaker', 0.85, { vendor: 'Bluesound' }],
  [/^_amzn-wplay\._tcp/i, 'media-player', 0.62, { vendor: 'Amazon' }],
  [/^_amzn-alexa\._tcp/i, 'speaker', 0.55, { vendor: 'Amazon' }],
  [/^_roku-\w+\._tcp/i, 'media-player', 0.8, { vendor: 'Roku', platform: true }],
  [/^_hue\._tcp/i, 'smart-home', 0.95, { vendor: 'Signify' }],
  [/^_shelly\._tcp/i, 'smart-home', 0.8, { vendor: 'Shelly' }],
  [/^_esphomelib\._tcp/i, 'smart-home', 0.9],
  [/^_home-assistant\._tcp/i, 'smart-home', 0.75, { model: 'Home Assistant' }],
  [/^_(?:elg|elgato\w*)\._tcp/i, 'smart-home', 0.8, { vendor: 'Elgato' }],
  [/^_(?:nanoleafapi|nanoleafms)\._tcp/i, 'smart-home', 0.95, { vendor: 'Nanoleaf' }],
  [/^_(?:wled|tasmota|lifx|yeelight|ikea-smgw|dirigera|ewelink|tuya\w*|meross\w*)\._(?:tcp|udp)/i, 'smart-home', 0.9],
  [/^_(?:matterc|matterd|matter|meshcop|trel)\._(?:tcp|udp)/i, 'smart-home', 0.3],
  [/^_(?:hap|homekit)\._(?:tcp|udp)/i, 'smart-home', 0.35],
  [/^_axis-(?:video|nvr)\._tcp/i, 'camera', 0.95, { vendor: 'Axis Communications' }],
  [/^_(?:onvif|psia|dhnap|hikvision|cgi-camera)\._tcp/i, 'camera', 0.9],
  [/^_rtsp\._tcp/i, 'camera', 0.5],
  [/^_(?:workstation|rfb|rdp)\._tcp/i, 'computer', 0.45],
  [/^_(?:afpovertcp|adisk)\._tcp/i, 'nas', 0.35],
  [/^_smb\._tcp/i, 'computer', 0.25],
  [/^_nfs\._tcp/i, 'nas', 0.4],
  [/^_(?:ssh|sftp-ssh)\._tcp/i, 'computer', 0.2],
  [/^_(?:synology\w*|syno\w*)\._tcp/i, 'nas', 0.9, { vendor: 'Synology' }],
  [/^_(?:qnap\w*|qdiscover)\._tcp/i, 'nas', 0.92, { vendor: 'QNAP' }],
  [/^_(?:readynas|truenas|freenas|wd-?\w*nas|lacie\w*)\._tcp/i, 'nas', 0.92],
  [/^_(?:apple-mobdev2?|apple-pairable)\._tcp/i, 'phone', 0.35, { vendor: 'Apple', platform: true }],
  [/^_companion-link\._tcp/i, { vendor: 'Apple', platform: true, docks: true }],
  [/^_(?:device-info|sleep-proxy)\._(?:tcp|udp)/i, 'computer', 0.05],
  [/^_airport\._tcp/i, 'access-point', 0.9, { vendor: 'Apple' }],
  [/^_(?:fritz\w*|avm\w*)\._tcp/i, 'router', 0.8, { vendor: 'AVM' }],
  [/^_(?:ubnt|unifi)\w*\._tcp/i, { vendor: 'Ubiquiti' }],
  [/^_(?:nvstream|nvstream_dbd)\._tcp/i, 'computer', 0.4],
  // A protocol of Xiaomi that its affiliated makers use as well.
  [/^_(?:miio|roborock)\._udp/i, 'smart-home', 0.5],
  [/^_(?:sip|sips)\._(?:tcp|udp)/i, 'voip-phone', 0.6],
  [/^_(?:enphase-envoy|solaredge|fronius\w*|sma\w*|kostal\w*)\._tcp/i, 'solar', 0.95],
  [/^_(?:apc|nut|ups)\._tcp/i, 'ups', 0.6],
  [/^_(?:bshc|homeconnect)\._tcp/i, 'appliance', 0.85, { vendor: 'Bosch' }],
  [/^_(?:miele-mobile-interface|miele)\._tcp/i, 'appliance', 0.95, { vendor: 'Miele' }],
  [/^_(?:dyson_mqtt|360eye_mqtt)\._tcp/i, 'appliance', 0.9, { vendor: 'Dyson' }],
  [/^_(?:irobot|irobotmcs)\._tcp/i, 'vacuum', 0.95, { vendor: 'iRobot' }],
  [/^_nintendo\w*\._tcp/i, 'game-console', 0.9, { vendor: 'Nintendo' }],
  [/^_(?:psp|ps5|psremote)\w*\._tcp/i, 'game-console', 0.8, { vendor: 'Sony' }],
  [/^_(?:proxmox|pve|vmware\w*)\._tcp/i, 'hypervisor', 0.9],
  [/^_(?:tesla|powerwall)\w*\._tcp/i, { vendor: 'Tesla' }],
]);

/** Model identifiers of Apple, as its support pages list them. */
const APPLE: [string, Facts][] = [
  ['(iPhone\\d{1,2},\\d)', { kind: 'phone', weight: 0.97 }],
  ['(iPad\\d{1,2},\\d{1,2})', { kind: 'tablet', weight: 0.97 }],
  ['(Watch\\d,\\d{1,2})', { kind: 'watch', weight: 0.97 }],
  ['(AppleTV\\d{1,2},\\d)', { kind: 'media-player', weight: 0.97 }],
  ['(AudioAccessory\\d,\\d)', { kind: 'speaker', weight: 0.97 }],
  ['(MacBook(?:Pro|Air)?\\d{1,2},\\d{1,2})', { kind: 'laptop', weight: 0.97, docks: true }],
  ['((?:iMac|iMacPro|Macmini|MacPro)\\d{1,2},\\d{1,2})', { kind: 'computer', weight: 0.97, docks: true }],
  // MacBooks since 2022.
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
  // Apple's board names: Apple TV, HomePod, iPad and iPhone.
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
    // Samba's `fruit` appends a colour.
    new RegExp(`(?:model|am|rpmd)=${model}$`, 'i'),
    { vendor: 'Apple', model: '$1', platform: true, ...facts },
  ]),
);

/** Categories of accessories by the HomeKit Accessory Protocol Specification, section 13. */
const HOMEKIT: [number[], Facts][] = [
  [[2], { kind: 'smart-home', weight: 0.5 }],
  [[6, 29, 30], { kind: 'smart-home', weight: 0.8 }],
  [[4, 8, 10, 11, 12, 13, 14, 15, 28], { kind: 'smart-home', weight: 0.85 }],
  [[5], { kind: 'smart-home', weight: 0.9 }],
  [[3], { kind: 'appliance', weight: 0.62 }],
  [[20], { kind: 'appliance', weight: 0.75 }],
  [[19, 21, 22, 23], { kind: 'appliance', weight: 0.8 }],
  [[7], { kind: 'smart-plug', weight: 0.9 }],
  [[9], { kind: 'thermostat', weight: 0.92 }],
  [[16], { kind: 'access-point', weight: 0.8 }],
  [[17], { kind: 'camera', weight: 0.92 }],
  [[18], { kind: 'camera', weight: 0.85 }],
  [[24], { kind: 'media-player', vendor: 'Apple', weight: 0.9, platform: true }],
  [[26], { kind: 'speaker', weight: 0.9 }],
  [[31], { kind: 'tv', weight: 0.92 }],
  [[33], { kind: 'router', weight: 0.85 }],
  [[34], { kind: 'media-player', weight: 0.8 }],
  [[35, 36], { kind: 'media-player', weight: 0.85 }],
];
const HOMEKIT_CATEGORIES = rulesOf(
  'mdns-text',
  HOMEKIT.map(([ids, facts]) => [new RegExp(`^_hap\\._(?:tcp|udp) ci=(?:${ids.join('|')})$`, 'i'), facts]),
);

const TEXTS = rulesOf('mdns-text', [
  [
    /^_googlecast\S* md=(Chromecast(?: Ultra| HD| Audio)?|Google TV Streamer)/i,
    { kind: 'media-player', weight: 0.95, vendor: 'Google', model: '$1' },
  ],
  [
    /^_googlecast\S* md=((?:Google )?(?:Nest|Home) (?:Hub|Mini|Audio|Max).*|Google Home.*)/i,
    { kind: 'speaker', weight: 0.95, vendor: 'Google', model: '$1' },
  ],
  [/^_googlecast\S* md=(SHIELD.*)/i, 'media-player', 0.92, { vendor: 'NVIDIA', model: '$1' }],
  [/^_googlecast\S* md=(.{0,40}\b(?:box|stick|streamer|dongle)\b.*)/i, 'media-player', 0.85, { model: '$1' }],
  [/^_googlecast\S* md=Google Cast Group/i, 'speaker', 0.3],
  [/^_googlecast\S* md=(.*\b(?:TV|BRAVIA|AQUOS|VIZIO|Hisense)\b.*)/i, 'tv', 0.9, { model: '$1' }],
  [/^_googlecast\S* md=(.+)/i, { model: '$1' }],
  [/^_(?:ipps?|printer|pdl-datastream|uscans?)\S* rp=printers\//i, 'computer', 0.8],
  [/^_(?:ipps?|printer|pdl-datastream|uscans?)\S* ty=(.+)/i, 'printer', 0.7, { model: '$1' }],
  [/^_(?:ipps?|printer|pdl-datastream)\S* usb_MFG=(.+)/i, 'printer', 0.7, { vendor: '$1' }],
  [/^_(?:ipps?|printer|pdl-datastream)\S* usb_MDL=(.+)/i, 'printer', 0.7, { model: '$1' }],
  [ACCESSORY_PROGRAMS, 'server', 0.75],
  [/^_hap\S* md=((?:TR[AÅ]DFRI|DIRIGERA|BILRESA|VINDSTYRKA)\b.*)/i, 'smart-home', 0.9, { vendor: 'IKEA', model: '$1' }],
  [
    /^_hap\S* md=(.{0,40}\b(?:Bridge|Hub|Gateway|Bulb|Light ?strip|Dimmer|Sensor|Lock)\b.*)/i,
    { kind: 'smart-home', weight: 0.7, model: '$1' },
  ],
  [/^_hap\S* md=(.+)/i, { model: '$1' }],
  [/^_hue\S* modelid=(.+)/i, 'smart-home', 0.95, { vendor: 'Signify', model: '$1' }],
  [/^_shelly\S* app=(?:Plus|Pro|Mini)?(Plug\w*)/i, 'smart-plug', 0.9, { vendor: 'Shelly', model: '$1' }],
  [
    /^_(?:airplay|raop)\S* (?:model|am)=(.*BRAVIA.*|.*\bTV\b.*|(?:QE|QN|QA|UE|UN|UA|TQ|GQ|GU|OLED)\d{2}\w+)/i,
    { kind: 'tv', weight: 0.8, model: '$1' },
  ],
  [/^_(?:airplay|raop)\S* (?:model|am)=(FreeboxPlayer\S*)/i, 'media-player', 0.95, { vendor: 'Free', model: '$1' }],
  [/^_(?:airplay|raop)\S* (?:model|am)=(HW-[A-Z]{1,3}\d\w*)/i, 'speaker', 0.92, { vendor: 'Samsung', model: '$1' }],
  [/^_device-info\S* model=(Xserve|RackMac.*|TimeCapsule.*)/i, 'nas', 0.4],
  [/^_http\S* vendor=(Synology)/i, 'nas', 0.9, { vendor: '$1' }],
  [/^_http\S* model=(DS\d.*|RS\d.*)/i, 'nas', 0.85, { model: '$1' }],
  [/^_qdiscover\S* (?:displayModel|model)=(.+)/i, 'nas', 0.95, { vendor: 'QNAP', model: '$1' }],
  [/^_esphomelib\S* project_name=(.+)/i, { kind: 'smart-home', model: '$1' }],
  [/^_http\S* path=\/fritzbox/i, 'router', 0.8, { vendor: 'AVM' }],
  [/^_(?:airplay|raop|spotify-connect|sonos)\S* (?:manufacturer|mf|brandDisplayName)=(.+)/i, { vendor: '$1' }],
  [/^_spotify-connect\S* modelDisplayName=(.+)/i, 'speaker', 0.5, { model: '$1' }],
  [/^_axis-video\S* (?:model|product)=(.+)/i, 'camera', 0.95, { vendor: 'Axis Communications', model: '$1' }],
]);

const INSTANCES = rulesOf('mdns-instance', [
  // `roborock-vacuum-a15_miio123456789`
  [/^_(?:miio|roborock)\S* .*(?:vacuum|roborock|dreame|viomi-v|mop)/i, 'vacuum', 0.85],
  [/^_miio\S* .*(?:camera|isa-)/i, 'camera', 0.8],
  [/^_miio\S* .*plug/i, 'smart-plug', 0.85],
  [/^_miio\S* .*(?:airpurifier|humidifier|-fan|heater|airmonitor|fryer)/i, 'appliance', 0.8],
  [/^_miio\S* .*(?:light|gateway|bulb|lamp|bslamp|ceiling|curtain)/i, 'smart-home', 0.85],
  [/\bsound-?bar\b/i, 'speaker', 0.7],
  [/^_(?:ipps?|printer|pdl-datastream|uscans?)\S* (.+)/i, 'printer', 0.3],
  [/^_(?:http|smb)\S* (?:Synology|DiskStation)\b/i, 'nas', 0.85, { vendor: 'Synology' }],
  [/^_hue\S* (?:Philips )?Hue\b/i, 'smart-home', 0.9, { vendor: 'Signify' }],
  [/^_http\S* FRITZ!Repeater/i, 'access-point', 0.85, { vendor: 'AVM' }],
  [/^_http\S* FRITZ!Box/i, 'router', 0.75, { vendor: 'AVM' }],
  [/^_http\S* shellyplu/i, 'smart-plug', 0.85, { vendor: 'Shelly' }],
  [/^_http\S* shelly/i, 'smart-home', 0.85, { vendor: 'Shelly' }],
  [/^_http\S* (?:Enphase|envoy)/i, 'solar', 0.9, { vendor: 'Enphase' }],
  [
    /^_http\S* (?:Brother|EPSON|Canon|HP|Lexmark|Xerox|Kyocera|RICOH) .*(?:series|LaserJet|OfficeJet|DeskJet|ENVY|MFC|HL-|DCP|WF-|ET-)/i,
    { kind: 'printer', weight: 0.8 },
  ],
  [/^_hap\S* .*(?:plug|outlet)\b/i, 'smart-plug', 0.5],
]);

export const MDNS_RULES: readonly Rule[] = [
  ...SERVICES,
  ...APPLE_MODELS,
  ...HOMEKIT_CATEGORIES,
  ...TEXTS,
  ...INSTANCES,
];
