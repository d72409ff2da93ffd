/** What the names of hosts say that makers, systems and people give them at first. */
import type { ObservationSource } from '../../agent/observations.ts';
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

type Facts = Omit<Rule, 'source' | 'pattern'>;

const HOSTS: readonly [RegExp, Facts][] = [
  [
    /^iphone(?:[-_. ]|s?$|\d)|[-_ ]iphone(?:[-_.]|$)|^.{1,40}s-iphone/i,
    { kind: 'phone', vendor: 'Apple', weight: 0.85 },
  ],
  [/^ipad(?:[-_. ]|$|\d)|[-_ ]ipad(?:[-_.]|$)/i, { kind: 'tablet', vendor: 'Apple', weight: 0.85 }],
  [/apple-?watch/i, { kind: 'watch', vendor: 'Apple', weight: 0.9 }],
  [/apple-?tv/i, { kind: 'media-player', vendor: 'Apple', weight: 0.8 }],
  [/homepod/i, { kind: 'speaker', vendor: 'Apple', weight: 0.85 }],
  [/macbook/i, { kind: 'laptop', vendor: 'Apple', weight: 0.85 }],
  [
    /^i?mac(?:-?mini|-?pro|-?studio)?(?:[-_.]|$)|[-_]imac(?:[-_.]|$)|mac-?mini/i,
    { kind: 'computer', vendor: 'Apple', weight: 0.7 },
  ],
  [/^(?:samsung-)?galaxy[-_]?tab/i, { kind: 'tablet', vendor: 'Samsung', weight: 0.85 }],
  [/^galaxy[-_]?watch/i, { kind: 'watch', vendor: 'Samsung', weight: 0.88 }],
  [/(?:^|[-_])galaxy[-_]?(?:a|s|note|z|m|j|fold|flip|x)/i, { kind: 'phone', vendor: 'Samsung', weight: 0.85 }],
  [/^pixel[-_]?(?:\d|fold|pro)/i, { kind: 'phone', vendor: 'Google', weight: 0.85 }],
  [
    /^(?:redmi|poco|mi-?\d|xiaomi-?\d|oneplus|oppo|vivo|realme|honor|fairphone|nokia-|moto-?g|huawei-?p\d)/i,
    { kind: 'phone', weight: 0.75 },
  ],
  [/^android-[0-9a-f]{8,16}(?:\.|$)/i, { kind: 'phone', weight: 0.5 }],
  [/^desktop-[0-9a-z]{7}(?:\.|$)/i, { kind: 'computer', weight: 0.7 }],
  [/^laptop-[0-9a-z]{8}(?:\.|$)/i, { kind: 'laptop', weight: 0.8 }],
  [/^win-[0-9a-z]{11}(?:\.|$)/i, { kind: 'server', weight: 0.7 }],
  [
    /(?:^|[-_])(?:thinkpad|elitebook|latitude|xps-?1\d|notebook|laptop|surface)(?:[-_.\d]|$)/i,
    { kind: 'laptop', weight: 0.65 },
  ],
  [/^surface/i, { kind: 'laptop', vendor: 'Microsoft', weight: 0.7 }],
  [/^raspberrypi|^raspi|^rpi\d?(?:[-_.]|$)|^octopi|^retropie|^pihole|^pi-hole/i, { kind: 'single-board', weight: 0.8 }],
  [/^(?:odroid|orangepi|rock(?:pi|64)|beaglebone|jetson)/i, { kind: 'single-board', weight: 0.8 }],
  [/^homeassistant|^home-assistant|^hassio/i, { kind: 'server', weight: 0.7 }],
  [/^(?:brw|brn)[0-9a-f]{12}/i, { kind: 'printer', vendor: 'Brother', weight: 0.95 }],
  [/^npi[0-9a-f]{6}/i, { kind: 'printer', vendor: 'HP', weight: 0.92 }],
  [/^hp[0-9a-f]{6}(?:\.|$)/i, { kind: 'printer', vendor: 'HP', weight: 0.7 }],
  [/^epson[0-9a-f]{6}/i, { kind: 'printer', vendor: 'Epson', weight: 0.95 }],
  [
    /^(?:km|kmbt)[0-9a-f]{6}(?:\.|$)|^kyocera|^(?:rnp|xrx)[0-9a-f]{12}|^et[0-9a-f]{12}(?:\.|$)|^sec[0-9a-f]{12}/i,
    { kind: 'printer', weight: 0.85 },
  ],
  [/^canon[0-9a-f]{6}/i, { kind: 'printer', vendor: 'Canon', weight: 0.92 }],
  [/(?:^|[-_])(?:printer|drucker|laserjet|officejet|deskjet)(?:[-_.\d]|$)/i, { kind: 'printer', weight: 0.6 }],
  [/^sonos|^sonoszp/i, { kind: 'speaker', vendor: 'Sonos', weight: 0.92 }],
  [
    /^google-?home|^google-?nest-?(?:mini|audio|hub)|^nest-?(?:mini|audio|hub)/i,
    { kind: 'speaker', vendor: 'Google', weight: 0.85 },
  ],
  [/^echo-|^amazon-echo/i, { kind: 'speaker', vendor: 'Amazon', weight: 0.7 }],
  [/^amazon-[0-9a-f]{9,}/i, { vendor: 'Amazon' }],
  [/^(?:chromecast|fire-?tv|aftv|roku|shield|nvidia-shield)/i, { kind: 'media-player', weight: 0.8 }],
  [
    /(?:^|[-_ ])(?:samsung|lg|sony|bravia|philips|panasonic|hisense|tcl)?-?(?:smart-?)?(?:tv|webos-?tv|lgwebostv)(?:[-_.\d]|$)|bravia|^lgsmarttv/i,
    { kind: 'tv', weight: 0.66 },
  ],
  [/^(?:ps4|ps5|playstation)(?:[-_.]|$)/i, { kind: 'game-console', vendor: 'Sony', weight: 0.88 }],
  [/^xbox/i, { kind: 'game-console', vendor: 'Microsoft', weight: 0.88 }],
  [/^nintendo|^switch-?oled/i, { kind: 'game-console', vendor: 'Nintendo', weight: 0.85 }],
  [/^steamdeck/i, { kind: 'game-console', vendor: 'Valve', weight: 0.88 }],
  [/^shelly(?:plug|pluss?plug|plusplug|1pm|plug-?s)/i, { kind: 'smart-plug', vendor: 'Shelly', weight: 0.9 }],
  [/^shelly/i, { kind: 'smart-home', vendor: 'Shelly', weight: 0.9 }],
  [
    /^tasmota|^sonoff|^wled|^tuya|^esp[-_]?[0-9a-f]{6}|^esp(?:home|32|8266)|^wiz_|^yeelink|^lifx|^meross/i,
    { kind: 'smart-home', weight: 0.72 },
  ],
  [
    /^(?:hs1\d\d|hs110|kp1\d\d|kp115|tapo-?p1\d\d|p1[01]\d)(?:[-_.(]|$)/i,
    { kind: 'smart-plug', vendor: 'TP-Link', weight: 0.88 },
  ],
  [/^philips-?hue|^hue-?bridge/i, { kind: 'smart-home', vendor: 'Signify', weight: 0.9 }],
  [/^(?:tado|netatmo-?(?:relay|thermostat)|ecobee|nest-?thermostat)/i, { kind: 'thermostat', weight: 0.8 }],
  [/^(?:roborock|roomba|irobot|deebot|ecovacs|dreame)/i, { kind: 'vacuum', weight: 0.88 }],
  [/^(?:envoy|solaredge|fronius|sma\d{6,}|kostal|goodwe|growatt)/i, { kind: 'solar', weight: 0.85 }],
  [/^(?:siemens|bosch)-[a-z]+-|^miele-/i, { kind: 'appliance', weight: 0.8 }],
  [
    /^(?:ipc?am|ip-?camera|reolink|hikvision|dahua|arlo|wyze|eufy-?cam|ring-|blink-|ezviz|foscam)/i,
    { kind: 'camera', weight: 0.75 },
  ],
  [/^axis-[0-9a-f]{12}/i, { kind: 'camera', vendor: 'Axis Communications', weight: 0.92 }],
  [/^sep[0-9a-f]{12}/i, { kind: 'voip-phone', vendor: 'Cisco', weight: 0.95 }],
  [/^(?:yealink|snom\d|polycom_|gxp\d|grandstream|sip-t\d\d)/i, { kind: 'voip-phone', weight: 0.9 }],
  [
    /^(?:diskstation|synology|ds\d{3,4}(?:\+|j|play|slim)?(?:[-_.]|$)|rs\d{3,4}(?:\+|xs|rp)?(?:[-_.]|$))/i,
    { kind: 'nas', vendor: 'Synology', weight: 0.82 },
  ],
  [
    /^(?:qnap|ts-?\d{3}|readynas|truenas|freenas|unraid|openmediavault|mycloud|wdmycloud)/i,
    { kind: 'nas', weight: 0.85 },
  ],
  [/(?:^|[-_])nas(?:[-_.\d]|$)/i, { kind: 'nas', weight: 0.66 }],
  [/^fritz\.?box|^fritzbox/i, { kind: 'router', vendor: 'AVM', weight: 0.85 }],
  [/^fritz-?repeater|^fritz\.repeater/i, { kind: 'access-point', vendor: 'AVM', weight: 0.88 }],
  [/^speedport|^livebox|^easybox|^o2\.box|^vodafone-?station|^gigacube|^connectbox/i, { kind: 'router', weight: 0.85 }],
  [
    /^(?:openwrt|pfsense|opnsense|mikrotik|edgerouter|usg|udm|ucg|gateway|router|_gateway)(?:[-_.\d]|$)/i,
    { kind: 'router', weight: 0.62 },
  ],
  [/^(?:uap|u6|u7|unifi-ap|ap|wap|accesspoint|access-point)[-_](?:[a-z0-9-]+)/i, { kind: 'access-point', weight: 0.6 }],
  [/(?:^|[-_])(?:sw|switch|core-switch)[-_]?\d*(?:[-_.]|$)/i, { kind: 'switch', weight: 0.5 }],
  [/^(?:pve|proxmox|esxi|vcenter|xcp-ng|hyper-?v)(?:[-_.\d]|$)/i, { kind: 'hypervisor', weight: 0.75 }],
  [/^(?:srv|server|dc|mail|web|db|sql)[-_]?\d*(?:[-_.]|$)/i, { kind: 'server', weight: 0.4 }],
  [/^(?:apc|ups|smartups|cyberpower|eaton)[-_\d]/i, { kind: 'ups', weight: 0.66 }],
  [/^vm[-_]\d|^vagrant|^ubuntu-vm/i, { kind: 'virtual-machine', weight: 0.5 }],
];

const HOST_SOURCES: readonly ObservationSource[] = ['dns', 'mdns', 'netbios', 'dhcp-name', 'snmp-name', 'lldp-name'];

export const NAME_RULES: readonly Rule[] = HOST_SOURCES.flatMap((source) => rulesOf(source, HOSTS));
