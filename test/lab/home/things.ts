/** What stays where it is: printers, cameras, servers, and things of the house. */
import { ASKS, at, type HomeHost, host, service } from './terms.ts';

const PRINTER = 'Brother HL-L2350DW series';
const IPP = `txtvers=1 qtotal=1 pdl=application/octet-stream,image/urf,image/pwg-raster rp=ipp/print note= ty=${PRINTER} \
product=(${PRINTER}) adminurl=http://BRW001BA9780130.local./ priority=25 usb_MFG=Brother usb_MDL=HL-L2350DW series Color=F \
Duplex=T UUID=e3248000-80ce-11db-8000-001ba9780130`;

export const OFFICE: readonly HomeHost[] = [
  host('printer', 30, '00:1B:A9', {
    web: PRINTER,
    mdns: {
      host: 'BRW001BA9780130',
      daemon: 'avahi',
      services: [
        service('_ipp._tcp', PRINTER, 631, IPP),
        service('_printer._tcp', PRINTER, 515, IPP),
        service('_pdl-datastream._tcp', PRINTER, 9100, IPP),
      ],
    },
    truth: { kind: 'printer', name: /Brother HL-L2350DW|BRW001BA9780130/i, model: /HL-L2350DW/ },
  }),
  host('tv', 31, '8C:77:12', {
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
  }),
  host('camera', 32, '44:19:B6', {
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
  }),
  host('nas', 33, '00:11:32', {
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
        service('_smb._tcp', 'DiskStation', 445),
        service('_device-info._tcp', 'DiskStation', 0, 'model=Xserve'),
        service('_adisk._tcp', 'DiskStation', 9, 'sys=waMa=00:11:32:78:01:33,adVF=0x100'),
        service(
          '_http._tcp',
          'DiskStation',
          5000,
          'vendor=Synology model=DS920+ serial=2010SBRXXXXXX version_major=7 version_minor=2 version_build=64570 admin_port=5000 secure_admin_port=5001 mac_address=00:11:32:78:01:33',
        ),
      ],
    },
    truth: { kind: 'nas', name: /DiskStation/i, model: /DS920\+/ },
  }),
  host('pc', 34, '04:D4:C4', {
    dhcp: { name: 'DESKTOP-7K2P9QF', class: 'MSFT 5.0', options: ASKS.windows },
    netbios: 'DESKTOP-7K2P9QF',
    truth: { kind: 'computer', name: /DESKTOP-7K2P9QF/i },
  }),
];

export const HOUSE: readonly HomeHost[] = [
  host('hue', 43, 'EC:B5:FA', {
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
      services: [service('_hue._tcp', 'Hue Bridge - 780143', 443, 'bridgeid=ecb5fafffe780143 modelid=BSB002')],
    },
    truth: { kind: 'smart-home', name: /Hue Bridge/i, model: /hue bridge 2015|BSB002/i },
  }),
  host('shelly', 44, '80:64:6F', {
    behind: 'ap',
    dhcp: { name: 'shellyplusplugs-80646f780144', options: ASKS.esp },
    mdns: {
      host: 'shellyplusplugs-80646f780144',
      services: [
        service('_shelly._tcp', 'shellyplusplugs-80646f780144', 80, 'gen=2 app=PlusPlugS ver=1.4.4'),
        service('_http._tcp', 'shellyplusplugs-80646f780144', 80, 'gen=2 app=PlusPlugS ver=1.4.4'),
      ],
    },
    truth: { kind: 'smart-plug', name: /shellyplusplugs-80646f780144/i, model: /PlusPlugS|Plug ?S/i },
  }),
  host('esphome', 45, '7C:87:CE', {
    behind: 'ap',
    dhcp: { name: 'cellar-pump', options: ASKS.esp },
    mdns: {
      host: 'cellar-pump',
      services: [
        service(
          '_esphomelib._tcp',
          'cellar-pump',
          6053,
          'friendly_name=Cellar pump version=2024.6.4 mac=7c87ce780145 platform=ESP32 board=esp32dev network=wifi',
        ),
      ],
    },
    truth: { kind: 'smart-home', name: /cellar.pump/i },
  }),
  host('playstation', 46, '00:D9:D1', {
    dhcp: { class: 'PS5', options: [1, 3, 15, 6] },
    truth: { kind: 'game-console', name: null },
  }),
  host('raspberry', 47, 'DC:A6:32', {
    dhcp: {
      name: 'raspberrypi',
      class: 'dhcpcd-9.4.1:Linux-6.1.21-v8+:aarch64:BCM2835',
      options: [1, 121, 33, 3, 6, 12, 15, 26, 28, 51, 54, 58, 59, 119],
    },
    mdns: { host: 'raspberrypi', daemon: 'avahi', services: [] },
    truth: { kind: 'single-board', name: /raspberrypi/i },
  }),
  host('server', 48, '00:25:90', {
    dns: 'db1.fritz.box',
    snmp: {
      name: 'db1',
      description: 'Linux db1 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64',
    },
    truth: { kind: 'server', name: /db1/ },
  }),
  host('proxmox', 49, '0C:C4:7A', {
    dns: 'pve1.fritz.box',
    snmp: {
      name: 'pve1',
      description: 'Linux pve1 6.8.4-2-pve #1 SMP PREEMPT_DYNAMIC PMX 6.8.4-2 (2024-04-10T17:36Z) x86_64',
    },
    truth: { kind: 'hypervisor', name: /pve1/ },
  }),
  host('deskphone', 50, '80:5E:C0', {
    dhcp: { name: 'SIP-T46S', class: 'yealink', options: [1, 3, 6, 15, 42, 43, 66, 120, 125] },
    truth: { kind: 'voip-phone', name: /T46S/, model: /T46S/ },
  }),
  host('ups', 51, '00:C0:B7', {
    dhcp: { name: 'apc780151', class: 'APC', options: [1, 3, 6, 12, 15, 43] },
    snmp: {
      name: 'ups-rack1',
      description:
        'APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.9.6 PN:apc_hw05_aos_696.bin AF1:v6.9.6 AN1:apc_hw05_sumx_696.bin MN:AP9631 HR:08 SN: ZA1234567890 MD:09/20/2012)',
      object: '1.3.6.1.4.1.318.1.3.27',
    },
    truth: { kind: 'ups', name: /ups-rack1|apc780151/, model: /AP9631/ },
  }),
  host('homeassistant', 52, '20:F8:3B', {
    dhcp: { name: 'homeassistant', options: ASKS.embedded },
    mdns: {
      host: 'homeassistant',
      services: [
        service(
          '_home-assistant._tcp',
          'Home',
          8123,
          `location_name=Home uuid=7f1a3b5c7d9e4f60a1b2c3d4e5f60718 version=2024.6.4 external_url= internal_url=http://${at(52)}:8123 base_url=http://${at(52)}:8123 requires_api_password=True`,
        ),
      ],
    },
    truth: { kind: 'smart-home', name: /homeassistant|^Home$/i },
  }),
  host('quiet', 53, '00:1B:21', { truth: { kind: null, name: null } }),
  host('masked', 54, '6E:13:57', { truth: { kind: null, name: null } }),
];
