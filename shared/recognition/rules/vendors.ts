/**
 * What the maker of a network card says of the device: a kind only where the maker makes hardly anything else. Names as the
 * IEEE has them.
 */
import type { Rule } from '../rule.ts';
import { rulesOf } from '../rule.ts';

export const VENDOR_RULES: readonly Rule[] = rulesOf('mac-vendor', [
  [/^Sonos/i, { kind: 'speaker', weight: 0.85 }],
  [/^Axis Communications/i, { kind: 'camera', weight: 0.8 }],
  [
    /^(?:Hangzhou Hikvision|Zhejiang Dahua|Reolink|Foscam|MOBOTIX|Amcrest|Hanwha (?:Vision|Techwin)|Vivotek|Arlo|Wyze|Ring LLC)/i,
    { kind: 'camera', weight: 0.7 },
  ],
  [/^Synology/i, { kind: 'nas', weight: 0.8 }],
  [/^QNAP/i, { kind: 'nas', weight: 0.8 }],
  [/^(?:Asustor|Buffalo|Western Digital)/i, { kind: 'nas', weight: 0.4 }],
  [/^Raspberry Pi/i, { kind: 'single-board', weight: 0.75 }],
  [/^(?:Philips Lighting|Signify)/i, { kind: 'smart-home', weight: 0.8 }],
  [/^(?:Shelly|Allterco)/i, { kind: 'smart-home', weight: 0.7 }],
  [/^Nintendo/i, { kind: 'game-console', weight: 0.85 }],
  [/^Sony Interactive/i, { kind: 'game-console', weight: 0.85 }],
  [/^AVM\b/i, { kind: 'router', weight: 0.4 }],
  [/^Ubiquiti/i, { kind: 'access-point', weight: 0.2 }],
  [/^(?:Ruckus|Aruba|Cambium|Meraki)/i, { kind: 'access-point', weight: 0.35 }],
  [
    /^(?:Brother Industries|Seiko Epson|Lexmark|KYOCERA|Ricoh|Konica|Oki Electric|Zebra|Fuji Xerox|XEROX)/i,
    { kind: 'printer', weight: 0.62 },
  ],
  [/^Canon\b/i, { kind: 'printer', weight: 0.5 }],
  [/^(?:Yealink|snom|Polycom|Grandstream|Gigaset|Mitel|Aastra|Avaya)/i, { kind: 'voip-phone', weight: 0.6 }],
  [/^(?:American Power Conversion|Schneider Electric IT|Cyber Power|Eaton)/i, { kind: 'ups', weight: 0.6 }],
  [/^(?:iRobot|Beijing Roborock|Roborock|Ecovacs|Dreame)/i, { kind: 'vacuum', weight: 0.8 }],
  [/^(?:Roku)/i, { kind: 'media-player', weight: 0.7 }],
  [/^(?:tado|Netatmo|ecobee)/i, { kind: 'thermostat', weight: 0.45 }],
  [/^(?:Enphase|SolarEdge|Fronius|SMA Solar|GoodWe|Growatt)/i, { kind: 'solar', weight: 0.85 }],
  [/^(?:BSH Hausger|Miele|Dyson)/i, { kind: 'appliance', weight: 0.75 }],
  [
    /^(?:VMware|QEMU|Xensource|Parallels|Oracle VirtualBox|PCS Systemtechnik)/i,
    { kind: 'virtual-machine', weight: 0.65 },
  ],
  [/^(?:Palo Alto Networks|Fortinet|WatchGuard|SonicWALL|Sophos)/i, { kind: 'firewall', weight: 0.62 }],
  [/^(?:Super Micro|Hewlett Packard Enterprise)/i, { kind: 'server', weight: 0.35 }],
  [
    /^(?:LIFX|Yeelight|Nanoleaf|WiZ|eQ-3|IKEA of Sweden|Lutron|Insteon|Tuya|Itead|Meross)/i,
    { kind: 'smart-home', weight: 0.7 },
  ],
]);
