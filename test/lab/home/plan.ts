/**
 * A LAN as people have it, as data: what each of its devices says of itself, and what it is. What they say is what the
 * makers' devices are known to say, and not what the judge of LanReach looks for.
 *
 *     router, agent, nas, … ── core (a managed switch) ── ap ── phones, tablets, …
 */
import { at, type HomeHost, host, PREFIX } from './terms.ts';

export const AGENT = { mac: '00:1E:06:78:00:02', ipv4: `${PREFIX}.2` };
/** Whoever sends packets only to do harm. */
export const HOSTILE = { name: 'hostile', mac: '00:E0:4C:66:66:66', ipv4: `${PREFIX}.66` };
export const METADATA = '169.254.169.254';

export const ROUTER = host(
  'router',
  1,
  '2C:91:AB',
  { kind: 'router', name: /^fritz\.box$|FRITZ!Box/i, model: /7590/ },
  [
    'dns fritz.box',
    'web FRITZ!Box 7590',
    'upnp 49000 /igddesc.xml | fritz.box UPnP/1.0 AVM FRITZ!Box 7590 154.07.57 | urn:schemas-upnp-org:device:InternetGatewayDevice:1 urn:schemas-upnp-org:device:WANConnectionDevice:1 urn:schemas-upnp-org:service:WANIPConnection:1 | FRITZ!Box 7590 | AVM Berlin | FRITZ!Box 7590 | avm',
  ],
);

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
  dhcp: { name: 'UAP-Hall', class: 'ubnt', options: [1, 3, 6, 12, 15, 28, 42] },
  truth: { kind: 'access-point', name: /UAP-Hall/, model: /UAP-AC-Pro/ },
};
/** What it tells its neighbours (IEEE 802.1AB); capabilities as in lldpRemSysCapEnabled: bridge, WLAN, router. */
export const AP_LLDP = { name: 'UAP-Hall', description: 'UAP-AC-Pro-Gen2, 6.6.55.15189', capabilities: 0x38 };
/** The desk phone tells that it is one. */
export const VOIP_LLDP = { name: 'SIP-T46S', description: '66.86.0.15', capabilities: 0x24 };

const PRINTER = 'Brother HL-L2350DW series';
const IPP = `txtvers=1 qtotal=1 pdl=application/octet-stream,image/urf,image/pwg-raster rp=ipp/print note= ty=${PRINTER} \
product=(${PRINTER}) adminurl=http://BRW001BA9780130.local./ priority=25 usb_MFG=Brother usb_MDL=HL-L2350DW series Color=F \
Duplex=T UUID=e3248000-80ce-11db-8000-001ba9780130`;

/** What stands in the home, and what people carry and look at there. */
export const HOSTS: readonly HomeHost[] = [
  host(
    'printer',
    30,
    '00:1B:A9',
    { kind: 'printer', name: /Brother HL-L2350DW|BRW001BA9780130/i, model: /HL-L2350DW/ },
    [
      `web ${PRINTER}`,
      'mdns BRW001BA9780130',
      `_ipp._tcp 631 ${PRINTER} | ${IPP}`,
      `_printer._tcp 515 ${PRINTER} | ${IPP}`,
      `_pdl-datastream._tcp 9100 ${PRINTER} | ${IPP}`,
    ],
  ),
  host('tv', 31, '8C:77:12', { kind: 'tv', name: /Living Room TV/, model: /QE55Q80/ }, [
    'dhcp embedded | Samsung',
    'upnp 9197 /dmr | SHP, UPnP/1.0, Samsung UPnP SDK/1.0 | urn:schemas-upnp-org:device:MediaRenderer:1 urn:schemas-upnp-org:service:RenderingControl:1 | Living Room TV | Samsung Electronics | QE55Q80TATXZG | AllShare1.0',
  ]),
  host('camera', 32, '44:19:B6', { kind: 'camera', name: /DS-2CD2143G0-I/, model: /DS-2CD2143G0-I/ }, [
    'dhcp embedded | | Hikvision IPC',
    'upnp 49152 /upnpdevicedesc.xml | Linux/3.0.8, UPnP/1.0, Portable SDK for UPnP devices/1.6.18 | urn:schemas-upnp-org:device:EmbeddedNetDevice:1 | HIKVISION DS-2CD2143G0-I - 576843210 | HIKVISION | DS-2CD2143G0-I | DS-2CD2143G0-I',
  ]),
  host('nas', 33, '00:11:32', { kind: 'nas', name: /DiskStation/i, model: /DS920\+/ }, [
    'netbios DISKSTATION',
    'web DiskStation&nbsp;-&nbsp;Synology&nbsp;DiskStation',
    'snmp DiskStation | Linux DiskStation 4.4.302+ #64570 SMP Thu Jul 20 00:06:26 CST 2023 x86_64',
    'mdns DiskStation',
    '_smb._tcp 445 DiskStation',
    '_device-info._tcp 0 DiskStation | model=Xserve',
    '_adisk._tcp 9 DiskStation | sys=waMa=00:11:32:78:01:33,adVF=0x100',
    '_http._tcp 5000 DiskStation | vendor=Synology model=DS920+ serial=2010SBRXXXXXX version_major=7 version_minor=2 version_build=64570 admin_port=5000 secure_admin_port=5001 mac_address=00:11:32:78:01:33',
  ]),
  host('pc', 34, '04:D4:C4', { kind: 'computer', name: /DESKTOP-7K2P9QF/i }, [
    'dhcp windows | DESKTOP-7K2P9QF | MSFT 5.0',
    'netbios DESKTOP-7K2P9QF',
  ]),
  host('macbook', 35, '8E:1D:43', { kind: 'laptop', name: /^Annas MacBook Air$/, model: /Mac14,2|MacBook Air/ }, [
    'behind ap',
    'dhcp macos | Annas-MBA',
    'mdns Annas-MacBook-Air',
    '_companion-link._tcp 49352 Annas MacBook Air | rpMac=0 rpHN=3aafb7a5c0d2 rpFl=0x20000 rpHA=b1d7a5f0c3e1 rpVr=523.1.2 rpAD=c7e1a2b3d4f5',
    '_device-info._tcp 0 Annas MacBook Air | model=Mac14,2 osxvers=23',
    '_smb._tcp 445 Annas MacBook Air',
  ]),
  host('iphone', 36, '5A:41:7E', { kind: 'phone', name: /^Annas iPhone$/ }, [
    'behind ap',
    'dhcp ios | iPhone',
    'mdns Annas-iPhone',
    '_companion-link._tcp 49153 Annas iPhone | rpMac=0 rpHN=f4d1aa0be672 rpFl=0x20000 rpHA=9d8a36f5cc21 rpVr=530.2 rpAD=aa12bb34cc56',
  ]),
  host('ipad', 37, '9A:07:C1', { kind: 'tablet', name: /^Küchen-iPad$/, model: /iPad13,18|J272AP|iPad/ }, [
    'behind ap',
    'dhcp ios | iPad',
    'mdns Kuchen-iPad',
    '_companion-link._tcp 49154 Küchen-iPad | rpMac=0 rpHN=0a1b2c3d4e5f rpFl=0x20000 rpVr=530.2 rpMd=iPad13,18',
    '_device-info._tcp 0 Küchen-iPad | model=J272AP',
  ]),
  host('galaxy', 38, 'D2:6B:3F', { kind: 'phone', name: /Galaxy-S23/i }, [
    'behind ap',
    'dhcp android | Galaxy-S23 | android-dhcp-14',
  ]),
  host('pixel', 39, 'EE:90:1C', { kind: 'phone', name: null }, ['behind ap', 'dhcp android | | android-dhcp-14']),
  host('chromecast', 40, 'F4:F5:D8', { kind: 'media-player', name: /Bedroom Chromecast/, model: /Chromecast Ultra/ }, [
    'behind ap',
    'dhcp 1,33,3,6,15,28,51,58,59 | Chromecast',
    'upnp 8008 /ssdp/device-desc.xml | Linux/3.8.13, UPnP/1.0, Portable SDK for UPnP devices/1.6.18 | urn:dial-multiscreen-org:device:dial:1 urn:dial-multiscreen-org:service:dial:1 | Bedroom Chromecast | Google Inc. | Chromecast Ultra',
    'mdns 0b4f7c5e-98a1-7d2b-4c9e-1f2a3b4c5d6e',
    '_googlecast._tcp 8009 Chromecast-Ultra-0b4f7c5e98a17d2b4c9e1f2a3b4c5d6e | id=0b4f7c5e98a17d2b4c9e1f2a3b4c5d6e cd=F1E2D3C4B5A697887766554433221100 rm= ve=05 md=Chromecast Ultra ic=/setup/icon.png fn=Bedroom Chromecast ca=201221 st=0 bs=FA8FCA3D1E2F nf=1 rs=',
  ]),
  host('appletv', 41, '70:B3:06', { kind: 'media-player', name: /^Den/, model: /AppleTV6,2|Apple TV/ }, [
    'dhcp ios | Den',
    'mdns Den',
    '_airplay._tcp 7000 Den | deviceid=70:B3:06:78:01:41 features=0x4A7FDFD5,0xBC157FDE flags=0x244 model=AppleTV6,2 srcvers=690.7.1',
    '_raop._tcp 7000 70B306780141@Den | am=AppleTV6,2 vs=690.7.1 tp=UDP',
    '_companion-link._tcp 49155 Den | rpMac=1 rpFl=0x36782 rpMd=AppleTV6,2 rpVr=523.1',
  ]),
  host('sonos', 42, '48:A6:B8', { kind: 'speaker', name: /Sonos|Kitchen/, model: /Sonos One|S13/ }, [
    'dhcp 1,3,6,15,12 | SonosZP',
    `upnp 1400 /xml/device_description.xml | Linux UPnP/1.0 Sonos/79.1-56030 (ZPS13) | urn:schemas-upnp-org:device:ZonePlayer:1 urn:smartspeaker-audio:service:SpeakerGroup:1 | ${at(42)} - Sonos One - RINCON_48A6B878014201400 | Sonos, Inc. | Sonos One | S13`,
    'mdns Sonos-48A6B8780142',
    '_sonos._tcp 1443 Sonos-48A6B8780142@Kitchen | info=/api/v1/players/RINCON_48A6B878014201400/info vers=3 protovers=1.40.0 bootseq=64',
  ]),
  host('hue', 43, 'EC:B5:FA', { kind: 'smart-home', name: /Hue Bridge/i, model: /hue bridge 2015|BSB002/i }, [
    `upnp 80 /description.xml | Hue/1.0 UPnP/1.0 IpBridge/1.60.0 | urn:schemas-upnp-org:device:basic:1 | Hue Bridge (${at(43)}) | Signify | Philips hue bridge 2015 | BSB002`,
    'mdns ecb5fa780143',
    '_hue._tcp 443 Hue Bridge - 780143 | bridgeid=ecb5fafffe780143 modelid=BSB002',
  ]),
  host(
    'shelly',
    44,
    '80:64:6F',
    { kind: 'smart-plug', name: /shellyplusplugs-80646f780144/i, model: /PlusPlugS|Plug ?S/i },
    [
      'behind ap',
      'dhcp esp | shellyplusplugs-80646f780144',
      'mdns shellyplusplugs-80646f780144',
      '_shelly._tcp 80 shellyplusplugs-80646f780144 | gen=2 app=PlusPlugS ver=1.4.4',
      '_http._tcp 80 shellyplusplugs-80646f780144 | gen=2 app=PlusPlugS ver=1.4.4',
    ],
  ),
  host('esphome', 45, '7C:87:CE', { kind: 'smart-home', name: /cellar.pump/i }, [
    'behind ap',
    'dhcp esp | cellar-pump',
    'mdns cellar-pump',
    '_esphomelib._tcp 6053 cellar-pump | friendly_name=Cellar pump version=2024.6.4 mac=7c87ce780145 platform=ESP32 board=esp32dev network=wifi',
  ]),
  host('playstation', 46, '00:D9:D1', { kind: 'game-console', name: null }, ['dhcp 1,3,15,6 | | PS5']),
  host('raspberry', 47, 'DC:A6:32', { kind: 'single-board', name: /raspberrypi/i }, [
    'dhcp 1,121,33,3,6,12,15,26,28,51,54,58,59,119 | raspberrypi | dhcpcd-9.4.1:Linux-6.1.21-v8+:aarch64:BCM2835',
    'mdns raspberrypi',
  ]),
  host('server', 48, '00:25:90', { kind: 'server', name: /db1/ }, [
    'dns db1.fritz.box',
    'snmp db1 | Linux db1 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64',
  ]),
  host('proxmox', 49, '0C:C4:7A', { kind: 'hypervisor', name: /pve1/ }, [
    'dns pve1.fritz.box',
    'snmp pve1 | Linux pve1 6.8.4-2-pve #1 SMP PREEMPT_DYNAMIC PMX 6.8.4-2 (2024-04-10T17:36Z) x86_64',
  ]),
  host('deskphone', 50, '80:5E:C0', { kind: 'voip-phone', name: /T46S/, model: /T46S/ }, [
    'dhcp 1,3,6,15,42,43,66,120,125 | SIP-T46S | yealink',
  ]),
  host('ups', 51, '00:C0:B7', { kind: 'ups', name: /ups-rack1|apc780151/, model: /AP9631/ }, [
    'dhcp 1,3,6,12,15,43 | apc780151 | APC',
    'snmp ups-rack1 | APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.9.6 PN:apc_hw05_aos_696.bin AF1:v6.9.6 AN1:apc_hw05_sumx_696.bin MN:AP9631 HR:08 SN: ZA1234567890 MD:09/20/2012) | 1.3.6.1.4.1.318.1.3.27',
  ]),
  host('homeassistant', 52, '20:F8:3B', { kind: 'smart-home', name: /homeassistant|^Home$/i }, [
    'dhcp embedded | homeassistant',
    'mdns homeassistant',
    `_home-assistant._tcp 8123 Home | location_name=Home uuid=7f1a3b5c7d9e4f60a1b2c3d4e5f60718 version=2024.6.4 external_url= internal_url=http://${at(52)}:8123 base_url=http://${at(52)}:8123 requires_api_password=True`,
  ]),
  host('quiet', 53, '00:1B:21', { kind: null, name: null }),
  host('masked', 54, '6E:13:57', { kind: null, name: null }),
];

export const EVERYBODY: readonly HomeHost[] = [ROUTER, CORE, AP, ...HOSTS];

const plugged = HOSTS.filter(({ behind }) => behind === undefined).map(({ name }) => name);
/** What is plugged into the ports of the core switch, in their order. */
export const PLUGGED = ['router', 'agent', 'ap', ...plugged, HOSTILE.name];

/** The number and the name of the port of the core switch behind which a host is. */
export function portOf(name: string): { number: number; label: string } {
  const number = PLUGGED.indexOf(name) + 1;
  if (number === 0) throw new Error(`${name} is not plugged into the core switch`);
  return { number, label: `Gi1/0/${number}` };
}
