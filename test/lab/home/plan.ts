/**
 * A LAN as people have it, as data: what each of its devices says of itself, and what it is. What they say is what the
 * makers' devices are known to say, and not what the judge of LanReach looks for.
 *
 *     router, agent, nas, … ── core (a managed switch) ── ap ── phones, tablets, …
 */
import type { Kind } from '../../../shared/recognition/kinds.ts';

export interface HomeService {
  /** Such as `_ipp._tcp`. */
  type: string;
  instance: string;
  port: number;
  text: readonly string[];
}

export interface HomeUpnp {
  server: string;
  /** Search targets beside `upnp:rootdevice`; the first is the type of the device. */
  types: readonly string[];
  port: number;
  path: string;
  name: string;
  maker: string;
  model: string;
  number?: string;
}

export interface HomeHost {
  name: string;
  mac: string;
  ipv4: string;
  /** Plugged into this bridge, instead of into the core switch. */
  behind?: 'ap';
  /** It asks for its address, and says this in its requests. */
  dhcp?: { name?: string; class?: string; options: readonly number[] };
  mdns?: { host: string; services: readonly HomeService[]; daemon?: 'avahi' };
  upnp?: HomeUpnp;
  netbios?: string;
  /** Answers with the community `public`. */
  snmp?: { name: string; description: string; object?: string };
  /** Title of the page at port 80. */
  web?: string;
  /** What the name server of the LAN calls it. */
  dns?: string;
  truth: Truth;
}

export interface Truth {
  /** null: nothing that it says tells what it is. */
  kind: Kind | null;
  /** What a person would recognise it by; null when nothing calls it anything. */
  name: RegExp | null;
  model?: RegExp;
}

export const PREFIX = '192.168.178';
export const AGENT = { mac: '00:1E:06:78:00:02', ipv4: `${PREFIX}.2` };
/** Whoever sends packets only to do harm. */
export const HOSTILE = { name: 'hostile', mac: '00:E0:4C:66:66:66', ipv4: `${PREFIX}.66` };
export const METADATA = '169.254.169.254';

const at = (last: number) => `${PREFIX}.${last}`;
/** The options that clients of each system ask for, in their order. */
const ASKS = {
  windows: [1, 3, 6, 15, 31, 33, 43, 44, 46, 47, 119, 121, 249, 252],
  ios: [1, 121, 3, 6, 15, 108, 114, 119, 252],
  macos: [1, 121, 3, 6, 15, 108, 114, 119, 252, 95, 44, 46],
  android: [1, 3, 6, 15, 26, 28, 51, 58, 59, 43, 114, 108],
  embedded: [1, 3, 6, 12, 15, 28, 42],
  esp: [1, 3, 28, 6],
};

export const ROUTER: HomeHost = {
  name: 'router',
  mac: '2C:91:AB:78:01:01',
  ipv4: at(1),
  dns: 'fritz.box',
  web: 'FRITZ!Box 7590',
  upnp: {
    server: 'fritz.box UPnP/1.0 AVM FRITZ!Box 7590 154.07.57',
    types: [
      'urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      'urn:schemas-upnp-org:device:WANConnectionDevice:1',
      'urn:schemas-upnp-org:service:WANIPConnection:1',
    ],
    port: 49000,
    path: '/igddesc.xml',
    name: 'FRITZ!Box 7590',
    maker: 'AVM Berlin',
    model: 'FRITZ!Box 7590',
    number: 'avm',
  },
  truth: { kind: 'router', name: /^fritz\.box$|FRITZ!Box/i, model: /7590/ },
};

/** The switch itself, which is no host beside it but the bridge. */
export const CORE: HomeHost = {
  name: 'core',
  mac: '00:1B:54:78:01:C0',
  ipv4: at(3),
  snmp: {
    name: 'core-switch-1',
    description:
      'Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(2)E7, RELEASE SOFTWARE (fc3)\r\nTechnical Support: http://www.cisco.com/techsupport\r\nCopyright (c) 1986-2017 by Cisco Systems, Inc.\r\nCompiled Wed 12-Jul-17 13:06 by prod_rel_team',
    object: '1.3.6.1.4.1.9.1.1208',
  },
  truth: { kind: 'switch', name: /core-switch-1/, model: /2960X/i },
};

/** The access point, a bridge too. The switch knows it by LLDP. */
export const AP: HomeHost = {
  name: 'ap',
  mac: '78:8A:20:78:01:A0',
  ipv4: at(4),
  dhcp: { name: 'UAP-Hall', class: 'ubnt', options: ASKS.embedded },
  truth: { kind: 'access-point', name: /UAP-Hall/, model: /UAP-AC-Pro/ },
};
/** What it tells its neighbours (IEEE 802.1AB); capabilities as in lldpRemSysCapEnabled: bridge, WLAN, router. */
export const AP_LLDP = { name: 'UAP-Hall', description: 'UAP-AC-Pro-Gen2, 6.6.55.15189', capabilities: 0x38 };
/** The desk phone tells that it is one. */
export const VOIP_LLDP = { name: 'SIP-T46S', description: '66.86.0.15', capabilities: 0x24 };

const ipp = (type: string, port: number): HomeService => ({
  type,
  instance: 'Brother HL-L2350DW series',
  port,
  text: [
    'txtvers=1',
    'qtotal=1',
    'pdl=application/octet-stream,image/urf,image/pwg-raster',
    'rp=ipp/print',
    'note=',
    'ty=Brother HL-L2350DW series',
    'product=(Brother HL-L2350DW series)',
    'adminurl=http://BRW001BA9780130.local./',
    'priority=25',
    'usb_MFG=Brother',
    'usb_MDL=HL-L2350DW series',
    'Color=F',
    'Duplex=T',
    'UUID=e3248000-80ce-11db-8000-001ba9780130',
  ],
});

export const HOSTS: readonly HomeHost[] = [
  {
    name: 'printer',
    mac: '00:1B:A9:78:01:30',
    ipv4: at(30),
    web: 'Brother HL-L2350DW series',
    mdns: {
      host: 'BRW001BA9780130',
      daemon: 'avahi',
      services: [ipp('_ipp._tcp', 631), ipp('_printer._tcp', 515), ipp('_pdl-datastream._tcp', 9100)],
    },
    truth: { kind: 'printer', name: /Brother HL-L2350DW|BRW001BA9780130/i, model: /HL-L2350DW/ },
  },
  {
    name: 'tv',
    mac: '8C:77:12:78:01:31',
    ipv4: at(31),
    dhcp: { name: 'Samsung', options: ASKS.embedded },
    upnp: {
      server: 'SHP, UPnP/1.0, Samsung UPnP SDK/1.0',
      types: ['urn:schemas-upnp-org:device:MediaRenderer:1', 'urn:schemas-upnp-org:service:RenderingControl:1'],
      port: 9197,
      path: '/dmr',
      name: 'Living Room TV',
      maker: 'Samsung Electronics',
      model: 'QE55Q80TATXZG',
      number: 'AllShare1.0',
    },
    truth: { kind: 'tv', name: /Living Room TV/, model: /QE55Q80/ },
  },
  {
    name: 'camera',
    mac: '44:19:B6:78:01:32',
    ipv4: at(32),
    dhcp: { class: 'Hikvision IPC', options: ASKS.embedded },
    upnp: {
      server: 'Linux/3.0.8, UPnP/1.0, Portable SDK for UPnP devices/1.6.18',
      types: ['urn:schemas-upnp-org:device:EmbeddedNetDevice:1'],
      port: 49152,
      path: '/upnpdevicedesc.xml',
      name: 'HIKVISION DS-2CD2143G0-I - 576843210',
      maker: 'HIKVISION',
      model: 'DS-2CD2143G0-I',
      number: 'DS-2CD2143G0-I',
    },
    truth: { kind: 'camera', name: /DS-2CD2143G0-I/, model: /DS-2CD2143G0-I/ },
  },
  {
    name: 'nas',
    mac: '00:11:32:78:01:33',
    ipv4: at(33),
    netbios: 'DISKSTATION',
    web: 'DiskStation&nbsp;-&nbsp;Synology&nbsp;DiskStation',
    snmp: {
      name: 'DiskStation',
      description: 'Linux DiskStation 4.4.302+ #64570 SMP Thu Jul 20 00:06:26 CST 2023 x86_64',
    },
    mdns: {
      host: 'DiskStation',
      daemon: 'avahi',
      services: [
        { type: '_smb._tcp', instance: 'DiskStation', port: 445, text: [] },
        { type: '_device-info._tcp', instance: 'DiskStation', port: 0, text: ['model=Xserve'] },
        { type: '_adisk._tcp', instance: 'DiskStation', port: 9, text: ['sys=waMa=00:11:32:78:01:33,adVF=0x100'] },
        {
          type: '_http._tcp',
          instance: 'DiskStation',
          port: 5000,
          text: [
            'vendor=Synology',
            'model=DS920+',
            'serial=2010SBRXXXXXX',
            'version_major=7',
            'version_minor=2',
            'version_build=64570',
            'admin_port=5000',
            'secure_admin_port=5001',
            'mac_address=00:11:32:78:01:33',
          ],
        },
      ],
    },
    truth: { kind: 'nas', name: /DiskStation/i, model: /DS920\+/ },
  },
  {
    name: 'pc',
    mac: '04:D4:C4:78:01:34',
    ipv4: at(34),
    dhcp: { name: 'DESKTOP-7K2P9QF', class: 'MSFT 5.0', options: ASKS.windows },
    netbios: 'DESKTOP-7K2P9QF',
    truth: { kind: 'computer', name: /DESKTOP-7K2P9QF/i },
  },
  {
    name: 'macbook',
    mac: '8E:1D:43:78:01:35',
    ipv4: at(35),
    behind: 'ap',
    dhcp: { name: 'Annas-MBA', options: ASKS.macos },
    mdns: {
      host: 'Annas-MacBook-Air',
      services: [
        {
          type: '_companion-link._tcp',
          instance: 'Annas MacBook Air',
          port: 49352,
          text: [
            'rpMac=0',
            'rpHN=3aafb7a5c0d2',
            'rpFl=0x20000',
            'rpHA=b1d7a5f0c3e1',
            'rpVr=523.1.2',
            'rpAD=c7e1a2b3d4f5',
          ],
        },
        { type: '_device-info._tcp', instance: 'Annas MacBook Air', port: 0, text: ['model=Mac14,2', 'osxvers=23'] },
        { type: '_smb._tcp', instance: 'Annas MacBook Air', port: 445, text: [] },
      ],
    },
    truth: { kind: 'laptop', name: /Annas.MacBook.Air|Annas-MBA/, model: /Mac14,2|MacBook Air/ },
  },
  {
    name: 'iphone',
    mac: '5A:41:7E:78:01:36',
    ipv4: at(36),
    behind: 'ap',
    dhcp: { name: 'iPhone', options: ASKS.ios },
    mdns: {
      host: 'Annas-iPhone',
      services: [
        {
          type: '_companion-link._tcp',
          instance: 'Annas iPhone',
          port: 49153,
          text: [
            'rpMac=0',
            'rpHN=f4d1aa0be672',
            'rpFl=0x20000',
            'rpHA=9d8a36f5cc21',
            'rpVr=530.2',
            'rpAD=aa12bb34cc56',
          ],
        },
      ],
    },
    truth: { kind: 'phone', name: /iPhone/ },
  },
  {
    name: 'ipad',
    mac: '9A:07:C1:78:01:37',
    ipv4: at(37),
    behind: 'ap',
    dhcp: { name: 'iPad', options: ASKS.ios },
    mdns: {
      host: 'Kuchen-iPad',
      services: [
        {
          type: '_companion-link._tcp',
          instance: 'Küchen-iPad',
          port: 49154,
          text: ['rpMac=0', 'rpHN=0a1b2c3d4e5f', 'rpFl=0x20000', 'rpVr=530.2', 'rpMd=iPad13,18'],
        },
        { type: '_device-info._tcp', instance: 'Küchen-iPad', port: 0, text: ['model=J272AP'] },
      ],
    },
    truth: { kind: 'tablet', name: /iPad/, model: /iPad13,18|J272AP|iPad/ },
  },
  {
    name: 'galaxy',
    mac: 'D2:6B:3F:78:01:38',
    ipv4: at(38),
    behind: 'ap',
    dhcp: { name: 'Galaxy-S23', class: 'android-dhcp-14', options: ASKS.android },
    truth: { kind: 'phone', name: /Galaxy-S23/i },
  },
  {
    name: 'pixel',
    mac: 'EE:90:1C:78:01:39',
    ipv4: at(39),
    behind: 'ap',
    dhcp: { class: 'android-dhcp-14', options: ASKS.android },
    truth: { kind: 'phone', name: null },
  },
  {
    name: 'chromecast',
    mac: 'F4:F5:D8:78:01:40',
    ipv4: at(40),
    behind: 'ap',
    dhcp: { name: 'Chromecast', options: [1, 33, 3, 6, 15, 28, 51, 58, 59] },
    upnp: {
      server: 'Linux/3.8.13, UPnP/1.0, Portable SDK for UPnP devices/1.6.18',
      types: ['urn:dial-multiscreen-org:device:dial:1', 'urn:dial-multiscreen-org:service:dial:1'],
      port: 8008,
      path: '/ssdp/device-desc.xml',
      name: 'Bedroom Chromecast',
      maker: 'Google Inc.',
      model: 'Chromecast Ultra',
    },
    mdns: {
      host: '0b4f7c5e-98a1-7d2b-4c9e-1f2a3b4c5d6e',
      services: [
        {
          type: '_googlecast._tcp',
          instance: 'Chromecast-Ultra-0b4f7c5e98a17d2b4c9e1f2a3b4c5d6e',
          port: 8009,
          text: [
            'id=0b4f7c5e98a17d2b4c9e1f2a3b4c5d6e',
            'cd=F1E2D3C4B5A697887766554433221100',
            'rm=',
            've=05',
            'md=Chromecast Ultra',
            'ic=/setup/icon.png',
            'fn=Bedroom Chromecast',
            'ca=201221',
            'st=0',
            'bs=FA8FCA3D1E2F',
            'nf=1',
            'rs=',
          ],
        },
      ],
    },
    truth: { kind: 'media-player', name: /Bedroom Chromecast/, model: /Chromecast Ultra/ },
  },
  {
    name: 'appletv',
    mac: '70:B3:06:78:01:41',
    ipv4: at(41),
    dhcp: { name: 'Den', options: ASKS.ios },
    mdns: {
      host: 'Den',
      services: [
        {
          type: '_airplay._tcp',
          instance: 'Den',
          port: 7000,
          text: [
            'deviceid=70:B3:06:78:01:41',
            'features=0x4A7FDFD5,0xBC157FDE',
            'flags=0x244',
            'model=AppleTV6,2',
            'srcvers=690.7.1',
          ],
        },
        {
          type: '_raop._tcp',
          instance: '70B306780141@Den',
          port: 7000,
          text: ['am=AppleTV6,2', 'vs=690.7.1', 'tp=UDP'],
        },
        {
          type: '_companion-link._tcp',
          instance: 'Den',
          port: 49155,
          text: ['rpMac=1', 'rpFl=0x36782', 'rpMd=AppleTV6,2', 'rpVr=523.1'],
        },
      ],
    },
    truth: { kind: 'media-player', name: /^Den/, model: /AppleTV6,2|Apple TV/ },
  },
  {
    name: 'sonos',
    mac: '48:A6:B8:78:01:42',
    ipv4: at(42),
    dhcp: { name: 'SonosZP', options: [1, 3, 6, 15, 12] },
    upnp: {
      server: 'Linux UPnP/1.0 Sonos/79.1-56030 (ZPS13)',
      types: ['urn:schemas-upnp-org:device:ZonePlayer:1', 'urn:smartspeaker-audio:service:SpeakerGroup:1'],
      port: 1400,
      path: '/xml/device_description.xml',
      name: `${at(42)} - Sonos One - RINCON_48A6B878014201400`,
      maker: 'Sonos, Inc.',
      model: 'Sonos One',
      number: 'S13',
    },
    mdns: {
      host: 'Sonos-48A6B8780142',
      services: [
        {
          type: '_sonos._tcp',
          instance: 'Sonos-48A6B8780142@Kitchen',
          port: 1443,
          text: ['info=/api/v1/players/RINCON_48A6B878014201400/info', 'vers=3', 'protovers=1.40.0', 'bootseq=64'],
        },
      ],
    },
    truth: { kind: 'speaker', name: /Sonos|Kitchen/, model: /Sonos One|S13/ },
  },
  {
    name: 'hue',
    mac: 'EC:B5:FA:78:01:43',
    ipv4: at(43),
    upnp: {
      server: 'Hue/1.0 UPnP/1.0 IpBridge/1.60.0',
      types: ['urn:schemas-upnp-org:device:basic:1'],
      port: 80,
      path: '/description.xml',
      name: `Hue Bridge (${at(43)})`,
      maker: 'Signify',
      model: 'Philips hue bridge 2015',
      number: 'BSB002',
    },
    mdns: {
      host: 'ecb5fa780143',
      services: [
        {
          type: '_hue._tcp',
          instance: 'Hue Bridge - 780143',
          port: 443,
          text: ['bridgeid=ecb5fafffe780143', 'modelid=BSB002'],
        },
      ],
    },
    truth: { kind: 'smart-home', name: /Hue Bridge/i, model: /hue bridge 2015|BSB002/i },
  },
  {
    name: 'shelly',
    mac: '80:64:6F:78:01:44',
    ipv4: at(44),
    behind: 'ap',
    dhcp: { name: 'shellyplusplugs-80646f780144', options: ASKS.esp },
    mdns: {
      host: 'shellyplusplugs-80646f780144',
      services: ['_shelly._tcp', '_http._tcp'].map((type) => ({
        type,
        instance: 'shellyplusplugs-80646f780144',
        port: 80,
        text: ['gen=2', 'app=PlusPlugS', 'ver=1.4.4'],
      })),
    },
    truth: { kind: 'smart-plug', name: /shellyplusplugs-80646f780144/i, model: /PlusPlugS|Plug ?S/i },
  },
  {
    name: 'esphome',
    mac: '7C:87:CE:78:01:45',
    ipv4: at(45),
    behind: 'ap',
    dhcp: { name: 'cellar-pump', options: ASKS.esp },
    mdns: {
      host: 'cellar-pump',
      services: [
        {
          type: '_esphomelib._tcp',
          instance: 'cellar-pump',
          port: 6053,
          text: [
            'friendly_name=Cellar pump',
            'version=2024.6.4',
            'mac=7c87ce780145',
            'platform=ESP32',
            'board=esp32dev',
            'network=wifi',
          ],
        },
      ],
    },
    truth: { kind: 'smart-home', name: /cellar.pump/i },
  },
  {
    name: 'playstation',
    mac: '00:D9:D1:78:01:46',
    ipv4: at(46),
    dhcp: { class: 'PS5', options: [1, 3, 15, 6] },
    truth: { kind: 'game-console', name: null },
  },
  {
    name: 'raspberry',
    mac: 'DC:A6:32:78:01:47',
    ipv4: at(47),
    dhcp: {
      name: 'raspberrypi',
      class: 'dhcpcd-9.4.1:Linux-6.1.21-v8+:aarch64:BCM2835',
      options: [1, 121, 33, 3, 6, 12, 15, 26, 28, 51, 54, 58, 59, 119],
    },
    mdns: { host: 'raspberrypi', daemon: 'avahi', services: [] },
    truth: { kind: 'single-board', name: /raspberrypi/i },
  },
  {
    name: 'server',
    mac: '00:25:90:78:01:48',
    ipv4: at(48),
    dns: 'db1.fritz.box',
    snmp: {
      name: 'db1',
      description: 'Linux db1 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64',
    },
    truth: { kind: 'server', name: /db1/ },
  },
  {
    name: 'proxmox',
    mac: '0C:C4:7A:78:01:49',
    ipv4: at(49),
    dns: 'pve1.fritz.box',
    snmp: {
      name: 'pve1',
      description: 'Linux pve1 6.8.4-2-pve #1 SMP PREEMPT_DYNAMIC PMX 6.8.4-2 (2024-04-10T17:36Z) x86_64',
    },
    truth: { kind: 'hypervisor', name: /pve1/ },
  },
  {
    name: 'deskphone',
    mac: '80:5E:C0:78:01:50',
    ipv4: at(50),
    dhcp: { name: 'SIP-T46S', class: 'yealink', options: [1, 3, 6, 15, 42, 43, 66, 120, 125] },
    truth: { kind: 'voip-phone', name: /T46S/, model: /T46S/ },
  },
  {
    name: 'ups',
    mac: '00:C0:B7:78:01:51',
    ipv4: at(51),
    dhcp: { name: 'apc780151', class: 'APC', options: [1, 3, 6, 12, 15, 43] },
    snmp: {
      name: 'ups-rack1',
      description:
        'APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.9.6 PN:apc_hw05_aos_696.bin AF1:v6.9.6 AN1:apc_hw05_sumx_696.bin MN:AP9631 HR:08 SN: ZA1234567890 MD:09/20/2012)',
      object: '1.3.6.1.4.1.318.1.3.27',
    },
    truth: { kind: 'ups', name: /ups-rack1|apc780151/, model: /AP9631/ },
  },
  {
    name: 'homeassistant',
    mac: '20:F8:3B:78:01:52',
    ipv4: at(52),
    dhcp: { name: 'homeassistant', options: ASKS.embedded },
    mdns: {
      host: 'homeassistant',
      services: [
        {
          type: '_home-assistant._tcp',
          instance: 'Home',
          port: 8123,
          text: [
            'location_name=Home',
            'uuid=7f1a3b5c7d9e4f60a1b2c3d4e5f60718',
            'version=2024.6.4',
            'external_url=',
            `internal_url=http://${at(52)}:8123`,
            `base_url=http://${at(52)}:8123`,
            'requires_api_password=True',
          ],
        },
      ],
    },
    truth: { kind: 'smart-home', name: /homeassistant|^Home$/i },
  },
  { name: 'quiet', mac: '00:1B:21:78:01:53', ipv4: at(53), truth: { kind: null, name: null } },
  { name: 'masked', mac: '6E:13:57:78:01:54', ipv4: at(54), truth: { kind: null, name: null } },
];

export const EVERYBODY: readonly HomeHost[] = [ROUTER, CORE, AP, ...HOSTS];

/** The number and the name of the port of the core switch behind which a host is. */
export function portOf(name: string): { number: number; label: string } {
  const ports = [
    'router',
    'agent',
    'ap',
    ...HOSTS.filter(({ behind }) => behind === undefined).map((host) => host.name),
    HOSTILE.name,
  ];
  const number = ports.indexOf(name) + 1;
  if (number === 0) throw new Error(`${name} is not plugged into the core switch`);
  return { number, label: `Gi1/0/${number}` };
}
