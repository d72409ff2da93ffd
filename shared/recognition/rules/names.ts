/** What the names of hosts say that makers, systems and people give them at first. */
import type { ObservationSource } from '../../agent/observations.ts';
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

type Facts = Omit<Rule, 'source' | 'pattern'>;

const HOSTS: readonly [RegExp, Facts][] = [
  [
    /^iphone(?:[-_. ]|s?$|\d)|[-_ ]iphone(?:[-_.]|$)|^.{1,40}s-?iphone/i,
    { kind: 'phone', vendor: 'Apple', weight: 0.85 },
  ],
  [
    /^ipad(?:[-_. ]|$|\d)|[-_ ]ipad(?:[-_.]|$)|ipad-?(?:pro|air|mini)\d{0,2}(?:[-_.]|$)|^.{1,40}s-?ipad(?:[-_.]|$)/i,
    { kind: 'tablet', vendor: 'Apple', weight: 0.85 },
  ],
  [/ap{1,2}le-?watch/i, { kind: 'watch', vendor: 'Apple', weight: 0.9 }],
  [/apple-?tv/i, { kind: 'media-player', vendor: 'Apple', weight: 0.8 }],
  [/homepod/i, { kind: 'speaker', vendor: 'Apple', weight: 0.85 }],
  [/macbook/i, { kind: 'laptop', vendor: 'Apple', weight: 0.85 }],
  [
    /^i?mac(?:-?mini|-?pro|-?studio)?(?:[-_.]|$)|[-_]imac(?:[-_.]|$)|mac-?mini/i,
    { kind: 'computer', vendor: 'Apple', weight: 0.7 },
  ],
  [
    /^(?:samsung-)?galaxy[-_]?tab|(?:^|[-_])tab[-_]?[sa]\d{1,2}(?:[-_.]|$)/i,
    { kind: 'tablet', vendor: 'Samsung', weight: 0.85 },
  ],
  [/^galaxy[-_]?watch/i, { kind: 'watch', vendor: 'Samsung', weight: 0.88 }],
  [
    /(?:^|[-_])galaxy[-_ ]?(?:[asmjz][-_ ]?\d|z?[-_ ]?(?:fold|flip)|note|xcover)/i,
    { kind: 'phone', vendor: 'Samsung', weight: 0.85 },
  ],
  [/^sm-[agsnfm]\d{3}/i, { kind: 'phone', vendor: 'Samsung', weight: 0.85 }],
  [/^sm-[tpx]\d{3}/i, { kind: 'tablet', vendor: 'Samsung', weight: 0.85 }],
  [/^(?:google-)?pixel[-_ ]?tablet/i, { kind: 'tablet', vendor: 'Google', weight: 0.85 }],
  [/^(?:google-)?pixel[-_ ]?watch/i, { kind: 'watch', vendor: 'Google', weight: 0.88 }],
  [/^(?:google-)?pixel[-_ ]?(?:\d|fold|xl)/i, { kind: 'phone', vendor: 'Google', weight: 0.85 }],
  [
    /^(?:redmi-?(?:note|\d)|poco-?[cfmx]\d|mi-?\d{1,2}[a-z]?(?:[-_.]|$)|xiaomi-?\d|oneplus-?(?:\d|nord)|oppo-(?:find|reno|a\d)|vivo-?(?:\d{4}|[xyv]\d)|realme-?(?:\d|gt|c\d)|honor-?\d|fairphone|nokia-\d|moto-?[gez]\d?(?:[-_.]|$)|huawei[-_]?(?:p\d|mate)|nothing-?phone|xperia)/i,
    { kind: 'phone', weight: 0.75 },
  ],
  [/^android-[0-9a-f]{8,16}(?:\.|$)/i, { kind: 'phone', weight: 0.5 }],
  [/^desktop-[0-9a-z]{7}(?:\.|$)/i, { kind: 'computer', weight: 0.7 }],
  [/^laptop-[0-9a-z]{8}(?:\.|$)/i, { kind: 'laptop', weight: 0.8 }],
  // Windows Server calls itself so, as Windows 8 did.
  [/^win-[0-9a-z]{11}(?:\.|$)/i, { kind: 'computer', weight: 0.7 }],
  // The last word says what it is: NAS-BACKUP-PC.
  [/^.{1,60}[-_]pc\d{0,2}(?:\.|$)/i, { kind: 'computer', weight: 0.62, word: true }],
  [
    /(?:^|[-_])(?:thinkpad|elitebook|latitude|xps-?1\d|notebook|laptop)(?:[-_.\d]|$)/i,
    { kind: 'laptop', weight: 0.65 },
  ],
  [/^surface-?(?:pro|go|book|laptop|\d)/i, { kind: 'laptop', vendor: 'Microsoft', weight: 0.65 }],
  [/^raspberrypi|^raspi|^rpi\d?(?:[-_.]|$)|^octopi|^retropie|^dietpi/i, { kind: 'single-board', weight: 0.8 }],
  [
    /^(?:nanopi|zimaboard|khadas|pine(?:book|phone|h?64)|odroid|orangepi|rock(?:pi|64)|beaglebone|jetson)/i,
    { kind: 'single-board', weight: 0.8 },
  ],
  [/^homeassistant|^home-assistant|^hassio/i, { kind: 'smart-home', weight: 0.7 }],
  [/^(?:brw|brn)[0-9a-f]{12}/i, { kind: 'printer', vendor: 'Brother', weight: 0.95 }],
  [/^npi[0-9a-f]{6}/i, { kind: 'printer', vendor: 'HP', weight: 0.92 }],
  [/^hp[0-9a-f]{6}(?:\.|$)/i, { kind: 'printer', vendor: 'HP', weight: 0.7 }],
  [/^epson[0-9a-f]{6}/i, { kind: 'printer', vendor: 'Epson', weight: 0.95 }],
  [
    /^(?:km|kmbt)[0-9a-f]{6}(?:\.|$)|^kyocera|^(?:rnp|xrx)[0-9a-f]{12}|^et[0-9a-f]{12}(?:\.|$)|^sec[0-9a-f]{12}/i,
    { kind: 'printer', weight: 0.85 },
  ],
  [/^canon[0-9a-f]{6}/i, { kind: 'printer', vendor: 'Canon', weight: 0.92 }],
  [
    /(?:^|[-_])(?:printer|drucker|laserjet|officejet|deskjet)(?:[-_.\d]|$)/i,
    { kind: 'printer', weight: 0.6, word: true },
  ],
  [/^sonos|^sonoszp/i, { kind: 'speaker', vendor: 'Sonos', weight: 0.92 }],
  [
    /^google-?home|^google-?nest-?(?:mini|audio|hub)|^nest-?(?:mini|audio|hub)/i,
    { kind: 'speaker', vendor: 'Google', weight: 0.85 },
  ],
  [
    /^echo-?(?:dot|show|plus|studio|pop|spot|[0-9a-f]{3,12}(?:\.|$))|^amazon-echo/i,
    { kind: 'speaker', vendor: 'Amazon', weight: 0.7 },
  ],
  [/^amazon-[0-9a-f]{9,}/i, { vendor: 'Amazon' }],
  [
    /^(?:chromecast|fire-?tv|aft(?:[a-df-z][a-z]{0,3}\d{0,3})(?:[-_.]|$)|roku(?:[-_.\d]|$)|(?:nvidia-)?shield-?(?:android-?)?tv|steamlink|freebox-player)/i,
    { kind: 'media-player', weight: 0.8 },
  ],
  [/^(?:libreelec|coreelec|osmc|volumio|moode)(?:[-_.]|$)/i, { kind: 'media-player', weight: 0.62 }],
  [
    /(?:^|[-_ ])(?:samsung|lg|sony|bravia|philips|panasonic|hisense|tcl)?-?(?:smart-?)?(?:tv|webos-?tv|lgwebostv)(?:[-_.\d]|$)|bravia|^lgsmarttv/i,
    { kind: 'tv', weight: 0.66, word: true },
  ],
  [/^(?:ps4|ps5|playstation)(?:[-_.]|$)/i, { kind: 'game-console', vendor: 'Sony', weight: 0.88 }],
  [/^xbox/i, { kind: 'game-console', vendor: 'Microsoft', weight: 0.88 }],
  [/^nintendo|^switch-?oled/i, { kind: 'game-console', vendor: 'Nintendo', weight: 0.85 }],
  [/^steamdeck/i, { kind: 'game-console', vendor: 'Valve', weight: 0.88 }],
  [/^shelly(?:plug|pluss?plug|plusplug|1pm|plug-?s)/i, { kind: 'smart-plug', vendor: 'Shelly', weight: 0.9 }],
  [/^shelly/i, { kind: 'smart-home', vendor: 'Shelly', weight: 0.9 }],
  [
    /^tasmota|^sonoff|^wled-|^tuya|^wiz_|^yeelink|^lifx|^meross|^broadlink_|^tapo_(?:bulb|strip)/i,
    { kind: 'smart-home', weight: 0.72 },
  ],
  // The chips of Espressif are in all sorts of things.
  [/^esp[-_]?[0-9a-f]{6}(?:\.|$)/i, { vendor: 'Espressif' }],
  [/^tapo[-_]?c\d{3}|^c\d{3}_[0-9a-f]{6}/i, { kind: 'camera', vendor: 'TP-Link', weight: 0.8 }],
  [/^(?:kl|lb)1\d\d(?:[-_.(]|$)/i, { kind: 'smart-home', vendor: 'TP-Link', weight: 0.8 }],
  [
    /^(?:hs1\d\d|hs110|kp1\d\d|kp115|tapo-?p1\d\d|p1[01]\d)(?:[-_.(]|$)/i,
    { kind: 'smart-plug', vendor: 'TP-Link', weight: 0.88 },
  ],
  [/^(?:twinkly|zengge|magichome|nuki|tradfri|hf-lpb100)[-_]|^gw2?-[0-9a-f]{12}/i, { kind: 'smart-home', weight: 0.8 }],
  // Serial numbers of Nest's thermostats; those of its smoke detectors begin with 05 and 06.
  [/^(?:0[129]|15)aa01[a-z0-9]{10}(?:\.|$)/i, { kind: 'thermostat', vendor: 'Nest Labs', weight: 0.8 }],
  [/^philips-?hue|^hue-?bridge/i, { kind: 'smart-home', vendor: 'Signify', weight: 0.9 }],
  [/^(?:tado|netatmo-?(?:relay|thermostat)|ecobee|nest-?thermostat)/i, { kind: 'thermostat', weight: 0.8 }],
  [/^(?:roborock|roomba|irobot|deebot|ecovacs|dreame)/i, { kind: 'vacuum', weight: 0.88 }],
  [/^(?:solaredge|fronius|sma\d{6,}|kostal|goodwe|growatt|senec)(?:[-_.\d]|$)/i, { kind: 'solar', weight: 0.8 }],
  // A proxy is called so, too.
  [/^envoy(?:\.|$)/i, { kind: 'solar', weight: 0.45 }],
  [
    /^lg[-_]smart[-_](?:ac|laundry|dryer|fridge|dish|oven|air|styler|washer)|^daikinap|^net_a[cd]_|^melcloud/i,
    { kind: 'appliance', weight: 0.85 },
  ],
  [
    /(?:^|[-_ ])(?:washer|washing-?machine|dishwasher|dryer|refrigerator|fridge|waschmaschine|trockner|kuehlschrank|aircon|air-?conditioner|klimaanlage)(?:[-_.\d]|$)/i,
    { kind: 'appliance', weight: 0.62, word: true },
  ],
  [/^(?:siemens|bosch)-[a-z]+-|^miele-/i, { kind: 'appliance', weight: 0.8 }],
  [
    /^(?:ipc?am|ip-?camera|reolink|hikvision|dahua|arlo|wyze-?cam|eufy-?cam|ring(?:pro|doorbell|stickup)|blink-?(?:mini|outdoor)|ezviz|foscam)(?:[-_.\d]|$)/i,
    { kind: 'camera', weight: 0.75 },
  ],
  [/^axis-[0-9a-f]{12}/i, { kind: 'camera', vendor: 'Axis Communications', weight: 0.92 }],
  [/^sep[0-9a-f]{12}/i, { kind: 'voip-phone', vendor: 'Cisco', weight: 0.95 }],
  [/^(sip-t\d\d\w?)/i, { kind: 'voip-phone', vendor: 'Yealink', model: '$1', weight: 0.9 }],
  [/^(?:yealink|snom\d|polycom_|gxp\d|grandstream|sip-t\d\d)/i, { kind: 'voip-phone', weight: 0.9 }],
  [
    /^(?:diskstation|synology|ds\d{3,4}(?:\+|j|play|slim)?(?:[-_.]|$)|rs\d{3,4}(?:\+|xs|rp)?(?:[-_.]|$))/i,
    { kind: 'nas', vendor: 'Synology', weight: 0.82 },
  ],
  [
    /^(?:qnap|ts-?\d{3}|readynas|truenas|freenas|unraid|openmediavault|mycloud|wdmycloud)/i,
    { kind: 'nas', weight: 0.85 },
  ],
  [/(?:^|[-_])nas(?:[-_.\d]|$)/i, { kind: 'nas', weight: 0.66, word: true }],
  [/^fritz-?repeater|^fritz\.repeater|^fritz-?powerline/i, { kind: 'access-point', vendor: 'AVM', weight: 0.88 }],
  [/^fritz\.?box|^fritzbox/i, { kind: 'router', vendor: 'AVM', weight: 0.85 }],
  [
    /^speedport|^livebox|^easybox|^o2\.box|^vodafone-?station|^gigacube|^connectbox|^freebox-server|^bbox(?:[-_.]|$)|^sfr-?box|^bt-?(?:home)?hub|^sky-?router|^superhub/i,
    { kind: 'router', weight: 0.85 },
  ],
  [/^(?:edgerouter|usg|udm|ucg|gateway|router|_gateway)(?:[-_.\d]|$)/i, { kind: 'router', weight: 0.62, word: true }],
  [/^(?:pfsense|opnsense|fortigate)(?:[-_.\d]|$)/i, { kind: 'firewall', weight: 0.8 }],
  // What runs on access points and switches as well.
  [/^(?:openwrt|mikrotik)(?:[-_.\d]|$)/i, { kind: 'router', weight: 0.5 }],
  [/^(?:uap|u6|u7|unifi-ap)[-_]/i, { kind: 'access-point', vendor: 'Ubiquiti', weight: 0.7 }],
  [/^usw[-_]|^us-\d{1,2}-/i, { kind: 'switch', vendor: 'Ubiquiti', weight: 0.8 }],
  [/^uvc[-_]|^unifi-(?:video|protect)-cam/i, { kind: 'camera', vendor: 'Ubiquiti', weight: 0.88 }],
  [/^(?:ap|wap|access-?point)[-_]?\d{1,3}(?:[-_.]|$)/i, { kind: 'access-point', weight: 0.5, word: true }],
  [/(?:^|[-_])(?:sw|switch|core-switch)[-_]?\d*(?:[-_.]|$)/i, { kind: 'switch', weight: 0.5, word: true }],
  [/^(?:pve|proxmox|esxi|vcenter|xcp-ng|hyper-?v)(?:[-_.\d]|$)/i, { kind: 'hypervisor', weight: 0.75 }],
  [/^(?:srv|server|dc|mail|web|db|sql)[-_]?\d*(?:[-_.]|$)/i, { kind: 'server', weight: 0.4, word: true }],
  [/^(?:apc|ups|smartups|cyberpower|eaton)[-_\d]/i, { kind: 'ups', weight: 0.66 }],
  [/^vm[-_]\d|^vagrant|^ubuntu-vm/i, { kind: 'virtual-machine', weight: 0.5 }],
];

const HOST_SOURCES: readonly ObservationSource[] = ['dns', 'mdns', 'netbios', 'dhcp-name', 'snmp-name', 'lldp-name'];

export const NAME_RULES: readonly Rule[] = HOST_SOURCES.flatMap((source) => rulesOf(source, HOSTS));
