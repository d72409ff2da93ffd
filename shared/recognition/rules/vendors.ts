/**
 * Kinds by the maker of the network card: only where the maker makes hardly anything else, and below the threshold where it
 * makes other things too. Names begin as in the IEEE's list.
 */
import type { Kind } from '../kinds.ts';
import type { Rule } from '../rule.ts';

/** Kind, weight, and makers. */
const MAKERS: readonly [Kind, number, readonly string[]][] = [
  ['speaker', 0.85, ['Sonos', 'Bang & Olufsen', 'Devialet', 'Libratone', 'Lenbrook']],
  ['speaker', 0.75, ['Bose']],
  ['camera', 0.8, ['Axis Communications', 'Arlo', 'MOBOTIX', 'VIVOTEK', 'Verkada', 'Avigilon']],
  [
    'camera',
    0.7,
    ['Hangzhou Hikvision', 'Zhejiang Dahua', 'Zhejiang Uniview', 'Reolink', 'Shenzhen Foscam', 'Amcrest'],
  ],
  ['camera', 0.7, ['Hanwha Vision', 'Hanwha Techwin', 'Hangzhou Ezviz', 'GeoVision', 'Tiandy']],
  ['camera', 0.55, ['Ring LLC', 'Wyze', 'Shenzhen Bilian']],
  ['nas', 0.8, ['QNAP', 'Synology', 'ASUSTOR', 'Drobo', 'Data Robotics', 'Thecus', 'TerraMaster']],
  ['nas', 0.4, ['Buffalo', 'Western Digital', 'iXsystems']],
  ['single-board', 0.75, ['Raspberry Pi', 'BeagleBoard', 'FriendlyElec', 'Hardkernel', 'WIBRAIN', 'Xunlong']],
  ['smart-home', 0.85, ['Philips Lighting', 'Signify', 'LIFX', 'Nanoleaf', 'WiZ', 'Yeelight', 'Lutron', 'Insteon']],
  ['smart-home', 0.85, ['Physical Graph', 'SmartThings', 'Athom', 'August Home', 'Chamberlain', 'Rachio', 'Rain Bird']],
  [
    'smart-home',
    0.85,
    ['Fibar', 'Hunter Douglas', 'VELUX', 'Nuki', 'eQ-3', 'Loxone', 'Somfy', 'Netatmo', 'Eve Systems'],
  ],
  ['smart-home', 0.7, ['Shelly', 'Allterco', 'IKEA of Sweden', 'Tuya', 'Itead', 'Meross', 'Lumi United', 'Woan']],
  [
    'smart-home',
    0.7,
    ['Shenzhen Intellirocks', 'Robert Bosch Smart Home', 'Gira', 'Busch-Jaeger', 'HomeWizard', 'Nabu Casa'],
  ],
  ['smart-home', 0.62, ['Nest Labs']],
  ['thermostat', 0.85, ['ecobee', 'Venstar']],
  ['thermostat', 0.5, ['tado', 'Resideo', 'Danfoss']],
  ['appliance', 0.8, ['BSH Hausger', 'Miele', 'Whirlpool', 'Electrolux', 'GE Appliances', 'Daikin', 'Jura Elektro']],
  ['appliance', 0.7, ['Gree Electric', 'GD Midea', 'Midea', 'Dyson', 'Traeger', 'Weber-Stephen']],
  ['vacuum', 0.85, ['iRobot', 'Beijing Roborock', 'Roborock', 'Ecovacs', 'Dreame', 'Neato']],
  ['tv', 0.75, ['VIZIO', 'LOEWE', 'TP Vision']],
  ['tv', 0.4, ['Hisense', 'Shenzhen TCL', 'TCL King', 'Skyworth']],
  ['media-player', 0.7, ['Roku', 'TiVo', 'HUMAX', 'Slim Devices', 'D&M Holdings']],
  ['game-console', 0.85, ['Nintendo', 'Sony Interactive', 'Sony Computer Entertainment']],
  ['game-console', 0.62, ['Valve']],
  ['printer', 0.85, ['Lexmark', 'KYOCERA Document', 'KYOCERA Display', 'KONICA MINOLTA', 'Star Micronics', 'Dymo']],
  ['printer', 0.8, ['XEROX', 'Fuji Xerox', 'FUJIFILM Business', 'Oki Data', 'OKI ELECTRIC']],
  ['printer', 0.55, ['Brother Industries', 'Seiko Epson', 'RICOH', 'TOSHIBA TEC', 'SATO']],
  ['printer', 0.5, ['CANON']],
  ['printer', 0.3, ['Zebra']],
  ['scanner', 0.7, ['PFU']],
  ['voip-phone', 0.8, ['snom', 'Fanvil', 'Aastra', 'Spectralink']],
  ['voip-phone', 0.62, ['Yealink', 'YEALINK', 'Xiamen Yealink', 'Polycom', 'Gigaset', 'Avaya']],
  ['voip-phone', 0.45, ['Grandstream', 'Mitel', 'AudioCodes', 'Unify']],
  ['ups', 0.8, ['Riello', 'Generex']],
  ['ups', 0.62, ['Cyber Power', 'CyberPower']],
  ['ups', 0.4, ['American Power Conversion', 'Schneider Electric IT', 'Eaton', 'Tripp Lite', 'Vertiv', 'Socomec']],
  ['solar', 0.85, ['Enphase', 'SolarEdge', 'Fronius', 'SMA Solar', 'GoodWe', 'Growatt', 'Sungrow', 'Ginlong', 'SENEC']],
  ['solar', 0.85, ['KOSTAL', 'E3/DC', 'KACO', 'Sonnen']],
  ['solar', 0.65, ['Victron']],
  [
    'virtual-machine',
    0.9,
    ['Proxmox Server', 'Xensource', 'Parallels', 'PCS Systemtechnik', 'Oracle VirtualBox', 'QEMU'],
  ],
  ['virtual-machine', 0.65, ['VMware']],
  ['firewall', 0.8, ['Palo Alto Networks', 'Stormshield', 'Deciso', 'Firewalla', 'Netgate']],
  ['firewall', 0.65, ['WatchGuard', 'SonicWALL', 'Check Point']],
  ['firewall', 0.5, ['Fortinet', 'Sophos', 'Barracuda']],
  ['router', 0.65, ['Peplink', 'Cradlepoint', 'Teltonika', 'Space Exploration']],
  ['router', 0.4, ['AVM', 'Routerboard', 'DrayTek', 'LANCOM', 'Sagemcom', 'FREEBOX', 'Technicolor', 'ARRIS', 'eero']],
  ['access-point', 0.65, ['Mist Systems', 'Aerohive']],
  ['access-point', 0.35, ['Ruckus', 'Aruba', 'Cambium', 'Cisco Meraki', 'EnGenius', 'Ubiquiti']],
  ['switch', 0.75, ['Arista']],
  ['switch', 0.45, ['Extreme Networks', 'Brocade', 'Hirschmann', 'Moxa']],
  ['server', 0.35, ['Super Micro', 'Hewlett Packard Enterprise']],
];

export const VENDOR_RULES: readonly Rule[] = MAKERS.flatMap(([kind, weight, makers]) =>
  makers.map(
    (maker): Rule => ({
      source: 'mac-vendor',
      pattern: new RegExp(`^${maker.replace(/[&/.]/g, '\\$&')}`, 'i'),
      kind,
      weight,
    }),
  ),
);
