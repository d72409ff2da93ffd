/** Default host names from makers and systems, and usual ones from people. */
import { HOST_NAMES } from '../names.ts';
import { type Row, type Rule, rulesOf } from '../rule.ts';

const HOSTS: readonly Row[] = [
  [/^iphone(?:[-_. ]|s?$|\d)|[-_ ]iphone(?:[-_.]|$)|^.{1,40}s-?iphone/i, 'phone', 0.85, { vendor: 'Apple' }],
  [
    /^ipad(?:[-_. ]|$|\d)|[-_ ]ipad(?:[-_.]|$)|ipad-?(?:pro|air|mini)\d{0,2}(?:[-_.]|$)|^.{1,40}s-?ipad(?:[-_.]|$)/i,
    { kind: 'tablet', weight: 0.85, vendor: 'Apple' },
  ],
  [/ap{1,2}le-?watch/i, 'watch', 0.9, { vendor: 'Apple' }],
  [/apple-?tv/i, 'media-player', 0.8, { vendor: 'Apple' }],
  [/homepod/i, 'speaker', 0.85, { vendor: 'Apple' }],
  [/macbook/i, 'laptop', 0.85, { vendor: 'Apple' }],
  [/^i?mac(?:-?mini|-?pro|-?studio)?(?:[-_.]|$)|[-_]imac(?:[-_.]|$)|mac-?mini/i, 'computer', 0.7, { vendor: 'Apple' }],
  [/^(?:samsung-)?galaxy[-_]?tab|(?:^|[-_])tab[-_]?[sa]\d{1,2}(?:[-_.]|$)/i, 'tablet', 0.85, { vendor: 'Samsung' }],
  [/^galaxy[-_]?watch/i, 'watch', 0.88, { vendor: 'Samsung' }],
  [
    /(?:^|[-_])galaxy[-_ ]?(?:[asmjz][-_ ]?\d|z?[-_ ]?(?:fold|flip)|note|xcover)/i,
    { kind: 'phone', weight: 0.85, vendor: 'Samsung' },
  ],
  [/^sm-[agsnfm]\d{3}/i, 'phone', 0.85, { vendor: 'Samsung' }],
  [/^sm-[tpx]\d{3}/i, 'tablet', 0.85, { vendor: 'Samsung' }],
  [/^(?:google-)?pixel[-_ ]?tablet/i, 'tablet', 0.85, { vendor: 'Google' }],
  [/^(?:google-)?pixel[-_ ]?watch/i, 'watch', 0.88, { vendor: 'Google' }],
  [/^(?:google-)?pixel[-_ ]?(?:\d|fold|xl)/i, 'phone', 0.85, { vendor: 'Google' }],
  [
    /^(?:redmi-?(?:note|\d)|poco-?[cfmx]\d|mi-?\d{1,2}[a-z]?(?:[-_.]|$)|xiaomi-?\d|oneplus-?(?:\d|nord)|oppo-(?:find|reno|a\d)|vivo-?(?:\d{4}|[xyv]\d)|realme-?(?:\d|gt|c\d)|honor-?\d|fairphone|nokia-\d|moto-?[gez]\d?(?:[-_.]|$)|huawei[-_]?(?:p\d|mate)|nothing-?phone|xperia)/i,
    { kind: 'phone', weight: 0.75 },
  ],
  [/^android-[0-9a-f]{8,16}(?:\.|$)/i, 'phone', 0.5],
  [/^desktop-[0-9a-z]{7}(?:\.|$)/i, 'computer', 0.7],
  [/^laptop-[0-9a-z]{8}(?:\.|$)/i, 'laptop', 0.8],
  // Windows Server, and Windows 8.
  [/^win-[0-9a-z]{11}(?:\.|$)/i, 'computer', 0.7],
  // The last word counts: NAS-BACKUP-PC.
  [/^.{1,60}[-_]pc\d{0,2}(?:\.|$)/i, 'computer', 0.62, { word: true }],
  [/(?:^|[-_])(?:thinkpad|elitebook|latitude|xps-?1\d|notebook|laptop)(?:[-_.\d]|$)/i, 'laptop', 0.65],
  [/^surface-?(?:pro|go|book|laptop|\d)/i, 'laptop', 0.65, { vendor: 'Microsoft' }],
  [/^raspberrypi|^raspi|^rpi\d?(?:[-_.]|$)|^octopi|^retropie|^dietpi/i, 'single-board', 0.8],
  [
    /^(?:nanopi|zimaboard|khadas|pine(?:book|phone|h?64)|odroid|orangepi|rock(?:pi|64)|beaglebone|jetson)/i,
    { kind: 'single-board', weight: 0.8 },
  ],
  [/^homeassistant|^home-assistant|^hassio/i, 'smart-home', 0.7],
  [/^(?:brw|brn)[0-9a-f]{12}/i, 'printer', 0.95, { vendor: 'Brother' }],
  [/^npi[0-9a-f]{6}/i, 'printer', 0.92, { vendor: 'HP' }],
  [/^hp[0-9a-f]{6}(?:\.|$)/i, 'printer', 0.7, { vendor: 'HP' }],
  [/^epson[0-9a-f]{6}/i, 'printer', 0.95, { vendor: 'Epson' }],
  [
    /^(?:km|kmbt)[0-9a-f]{6}(?:\.|$)|^kyocera|^(?:rnp|xrx)[0-9a-f]{12}|^et[0-9a-f]{12}(?:\.|$)|^sec[0-9a-f]{12}/i,
    { kind: 'printer', weight: 0.85 },
  ],
  [/^canon[0-9a-f]{6}/i, 'printer', 0.92, { vendor: 'Canon' }],
  [/(?:^|[-_])(?:printer|drucker|laserjet|officejet|deskjet)(?:[-_.\d]|$)/i, 'printer', 0.6, { word: true }],
  [/^sonos|^sonoszp/i, 'speaker', 0.92, { vendor: 'Sonos' }],
  [/^google-?home|^google-?nest-?(?:mini|audio|hub)|^nest-?(?:mini|audio|hub)/i, 'speaker', 0.85, { vendor: 'Google' }],
  [
    /^echo-?(?:dot|show|plus|studio|pop|spot|[0-9a-f]{3,12}(?:\.|$))|^amazon-echo/i,
    { kind: 'speaker', weight: 0.7, vendor: 'Amazon' },
  ],
  [/^amazon-[0-9a-f]{9,}/i, { vendor: 'Amazon' }],
  [
    /^(?:chromecast|fire-?tv|aft(?:[a-df-z][a-z]{0,3}\d{0,3})(?:[-_.]|$)|roku(?:[-_.\d]|$)|(?:nvidia-)?shield-?(?:android-?)?tv|steamlink|freebox-player)/i,
    { kind: 'media-player', weight: 0.8 },
  ],
  [/^(?:libreelec|coreelec|osmc|volumio|moode)(?:[-_.]|$)/i, 'media-player', 0.62],
  [
    /(?:^|[-_ ])(?:samsung|lg|sony|bravia|philips|panasonic|hisense|tcl)?-?(?:smart-?)?(?:tv|webos-?tv|lgwebostv)(?:[-_.\d]|$)|bravia|^lgsmarttv/i,
    { kind: 'tv', weight: 0.66, word: true },
  ],
  [/^(?:ps4|ps5|playstation)(?:[-_.]|$)/i, 'game-console', 0.88, { vendor: 'Sony' }],
  [/^xbox/i, 'game-console', 0.88, { vendor: 'Microsoft' }],
  [/^nintendo|^switch-?oled/i, 'game-console', 0.85, { vendor: 'Nintendo' }],
  [/^steamdeck/i, 'game-console', 0.88, { vendor: 'Valve' }],
  [/^shelly(?:plug|pluss?plug|plusplug|1pm|plug-?s)/i, 'smart-plug', 0.9, { vendor: 'Shelly' }],
  [/^shelly/i, 'smart-home', 0.9, { vendor: 'Shelly' }],
  [/^tasmota|^sonoff|^wled-|^tuya|^wiz_|^yeelink|^lifx|^meross|^broadlink_|^tapo_(?:bulb|strip)/i, 'smart-home', 0.72],
  // Espressif's chips are in all sorts of devices.
  [/^esp[-_]?[0-9a-f]{6}(?:\.|$)/i, { vendor: 'Espressif' }],
  [/^tapo[-_]?c\d{3}|^c\d{3}_[0-9a-f]{6}/i, 'camera', 0.8, { vendor: 'TP-Link' }],
  [/^(?:kl|lb)1\d\d(?:[-_.(]|$)/i, 'smart-home', 0.8, { vendor: 'TP-Link' }],
  [/^(?:hs1\d\d|hs110|kp1\d\d|kp115|tapo-?p1\d\d|p1[01]\d)(?:[-_.(]|$)/i, 'smart-plug', 0.88, { vendor: 'TP-Link' }],
  [/^(?:twinkly|zengge|magichome|nuki|tradfri|hf-lpb100)[-_]|^gw2?-[0-9a-f]{12}/i, 'smart-home', 0.8],
  // Serial numbers of Nest's thermostats; those of its smoke detectors begin with 05 and 06.
  [/^(?:0[129]|15)aa01[a-z0-9]{10}(?:\.|$)/i, 'thermostat', 0.8, { vendor: 'Nest Labs' }],
  [/^philips-?hue|^hue-?bridge/i, 'smart-home', 0.9, { vendor: 'Signify' }],
  [/^(?:tado|netatmo-?(?:relay|thermostat)|ecobee|nest-?thermostat)/i, 'thermostat', 0.8],
  [/^(?:roborock|roomba|irobot|deebot|ecovacs|dreame)/i, 'vacuum', 0.88],
  [/^(?:solaredge|fronius|sma\d{6,}|kostal|goodwe|growatt|senec)(?:[-_.\d]|$)/i, 'solar', 0.8],
  // Also the name of a proxy.
  [/^envoy(?:\.|$)/i, 'solar', 0.45],
  [
    /^lg[-_]smart[-_](?:ac|laundry|dryer|fridge|dish|oven|air|styler|washer)|^daikinap|^net_a[cd]_|^melcloud/i,
    { kind: 'appliance', weight: 0.85 },
  ],
  [
    /(?:^|[-_ ])(?:washer|washing-?machine|dishwasher|dryer|refrigerator|fridge|waschmaschine|trockner|kuehlschrank|aircon|air-?conditioner|klimaanlage)(?:[-_.\d]|$)/i,
    { kind: 'appliance', weight: 0.62, word: true },
  ],
  [/^(?:siemens|bosch)-[a-z]+-|^miele-/i, 'appliance', 0.8],
  [
    /^(?:ipc?am|ip-?camera|reolink|hikvision|dahua|arlo|wyze-?cam|eufy-?cam|ring(?:pro|doorbell|stickup)|blink-?(?:mini|outdoor)|ezviz|foscam)(?:[-_.\d]|$)/i,
    { kind: 'camera', weight: 0.75 },
  ],
  [/^axis-[0-9a-f]{12}/i, 'camera', 0.92, { vendor: 'Axis Communications' }],
  [/^sep[0-9a-f]{12}/i, 'voip-phone', 0.95, { vendor: 'Cisco' }],
  [/^(sip-t\d\d\w?)/i, 'voip-phone', 0.9, { vendor: 'Yealink', model: '$1' }],
  [/^(?:yealink|snom\d|polycom_|gxp\d|grandstream|sip-t\d\d)/i, 'voip-phone', 0.9],
  [
    /^(?:diskstation|synology|ds\d{3,4}(?:\+|j|play|slim)?(?:[-_.]|$)|rs\d{3,4}(?:\+|xs|rp)?(?:[-_.]|$))/i,
    { kind: 'nas', weight: 0.82, vendor: 'Synology' },
  ],
  [/^(?:qnap|ts-?\d{3}|readynas|truenas|freenas|unraid|openmediavault|mycloud|wdmycloud)/i, 'nas', 0.85],
  [/(?:^|[-_])nas(?:[-_.\d]|$)/i, 'nas', 0.66, { word: true }],
  [/^fritz-?repeater|^fritz\.repeater|^fritz-?powerline/i, 'access-point', 0.88, { vendor: 'AVM' }],
  [/^fritz\.?box|^fritzbox/i, 'router', 0.85, { vendor: 'AVM' }],
  [
    /^speedport|^livebox|^easybox|^o2\.box|^vodafone-?station|^gigacube|^connectbox|^freebox-server|^bbox(?:[-_.]|$)|^sfr-?box|^bt-?(?:home)?hub|^sky-?router|^superhub/i,
    { kind: 'router', weight: 0.85 },
  ],
  [/^(?:edgerouter|usg|udm|ucg|gateway|router|_gateway)(?:[-_.\d]|$)/i, 'router', 0.62, { word: true }],
  [/^(?:pfsense|opnsense|fortigate)(?:[-_.\d]|$)/i, 'firewall', 0.8],
  // Access points and switches run these as well.
  [/^(?:openwrt|mikrotik)(?:[-_.\d]|$)/i, 'router', 0.5],
  [/^(?:uap|u6|u7|unifi-ap)[-_]/i, 'access-point', 0.7, { vendor: 'Ubiquiti' }],
  [/^usw[-_]|^us-\d{1,2}-/i, 'switch', 0.8, { vendor: 'Ubiquiti' }],
  [/^uvc[-_]|^unifi-(?:video|protect)-cam/i, 'camera', 0.88, { vendor: 'Ubiquiti' }],
  [/^(?:ap|wap|access-?point)[-_]?\d{1,3}(?:[-_.]|$)/i, 'access-point', 0.5, { word: true }],
  [/(?:^|[-_])(?:sw|switch|core-switch)[-_]?\d*(?:[-_.]|$)/i, 'switch', 0.5, { word: true }],
  [/^(?:pve|proxmox|esxi|vcenter|xcp-ng|hyper-?v)(?:[-_.\d]|$)/i, 'hypervisor', 0.75],
  [/^(?:srv|server|dc|mail|web|db|sql)[-_]?\d*(?:[-_.]|$)/i, 'server', 0.4, { word: true }],
  [/^(?:apc|ups|smartups|cyberpower|eaton)[-_\d]/i, 'ups', 0.66],
  [/^vm[-_]\d|^vagrant|^ubuntu-vm/i, 'virtual-machine', 0.5],
];

export const NAME_RULES: readonly Rule[] = HOST_NAMES.flatMap((source) => rulesOf(source, HOSTS));
