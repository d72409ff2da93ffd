/**
 * What 60 devices say of themselves, with what they are by the documents of their makers and the standards that they follow.
 * Each observation is a source, a blank and the text. The last 15 were written after the rules, which were not changed for
 * them.
 */
import { type Observation, ObservationSource } from '../agent/observations.ts';
import type { Kind } from './kinds.ts';

export interface Recorded {
  /** By which document the labels hold. */
  fact: string;
  said: readonly string[];
  random?: true;
  /** Null where what it says does not tell. */
  kind: Kind | null;
  vendor?: string;
  model?: string;
  name?: string;
}

export const RECORDED: readonly Recorded[] = [
  {
    fact: 'Brother, network guide of the HL-L2350DW: DNS-SD with ty and usb_MDL; node name BRW and the MAC',
    said: [
      'mac-vendor Hon Hai Precision Ind. Co.,Ltd.',
      'dns BRWB068E6112233.lan',
      'mdns-service _ipp._tcp',
      'mdns-service _pdl-datastream._tcp',
      'mdns-service _printer._tcp',
      'mdns-instance _ipp._tcp Brother HL-L2350DW series',
      'mdns-text _ipp._tcp ty=Brother HL-L2350DW series',
      'mdns-text _ipp._tcp usb_MFG=Brother',
      'mdns-text _ipp._tcp usb_MDL=HL-L2350DW series',
    ],
    kind: 'printer',
    vendor: 'Brother',
    model: 'HL-L2350DW',
    name: 'BRWB068E6112233.lan',
  },
  {
    fact: 'HP, Embedded Web Server guide: default host name NPI and six digits; sysObjectID below 11.2.3.9',
    said: [
      'mac-vendor Hewlett Packard',
      'dns NPI4A5B6C.lan',
      'snmp-description HP ETHERNET MULTI-ENVIRONMENT,ROM none,JETDIRECT,JD153,EEPROM JSI24090012',
      'snmp-object 1.3.6.1.4.1.11.2.3.9.1',
    ],
    kind: 'printer',
    vendor: 'Hewlett Packard',
  },
  {
    fact: 'Epson, EpsonNet documents: host name EPSON and six digits',
    said: [
      'mac-vendor Seiko Epson Corporation',
      'mdns EPSONA1B2C3.local',
      'mdns-service _ipps._tcp',
      'mdns-service _uscan._tcp',
      'mdns-text _ipps._tcp ty=EPSON ET-2850 Series',
    ],
    kind: 'printer',
    vendor: 'Seiko Epson Corporation',
  },
  {
    fact: 'AVM, FRITZ!Box 7590: IGD description; host name fritz.box',
    said: [
      'mac-vendor AVM Audiovisuelles Marketing und Computersysteme GmbH',
      'gateway 192.168.178.1',
      'dns fritz.box',
      'ssdp-server FRITZ!Box 7590 UPnP/1.0 AVM FRITZ!Box 7590 154.07.57',
      'ssdp-type urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      'ssdp-type urn:schemas-upnp-org:device:MediaServer:1',
      'upnp-maker AVM Berlin',
      'upnp-model FRITZ!Box 7590',
      'upnp-name FRITZ!Box 7590',
    ],
    kind: 'router',
    vendor: 'AVM Audiovisuelles Marketing und Computersysteme GmbH',
    model: 'FRITZ!Box 7590',
    name: 'fritz.box',
  },
  {
    fact: 'Samsung, Smart View SDK: RemoteControlReceiver; model QE55Q80A in the description',
    said: [
      'mac-vendor Samsung Electronics Co.,Ltd',
      'ssdp-server SHP, UPnP/1.0, Samsung UPnP SDK/1.0',
      'ssdp-type urn:samsung.com:device:RemoteControlReceiver:1',
      'ssdp-type urn:dial-multiscreen-org:service:dial:1',
      'upnp-maker Samsung Electronics',
      'upnp-model QE55Q80A',
      'upnp-name Living Room TV',
      'mdns-service _airplay._tcp',
    ],
    kind: 'tv',
    vendor: 'Samsung Electronics Co.,Ltd',
    model: 'QE55Q80A',
    name: 'Living Room TV',
  },
  {
    fact: 'LG, webOS TV developer documents: webos-second-screen',
    said: [
      'mac-vendor LG Innotek',
      'dns LGwebOSTV.lan',
      'ssdp-server WebOS/4.1.0 UPnP/1.0',
      'ssdp-type urn:lge-com:service:webos-second-screen:1',
      'ssdp-type urn:schemas-upnp-org:device:MediaRenderer:1',
      'upnp-maker LG Electronics',
      'upnp-model LG Smart TV',
    ],
    kind: 'tv',
  },
  {
    fact: 'Google, Cast: TXT md',
    said: [
      'mac-vendor Google, Inc.',
      'mdns-service _googlecast._tcp',
      'mdns-text _googlecast._tcp md=Chromecast Ultra',
      'mdns-text _googlecast._tcp fn=Bedroom',
    ],
    kind: 'media-player',
    vendor: 'Google, Inc.',
    model: 'Chromecast Ultra',
    name: 'Bedroom',
  },
  {
    fact: 'Google, Cast: TXT md of a Nest Mini',
    said: [
      'mac-vendor Google, Inc.',
      'mdns-service _googlecast._tcp',
      'mdns-text _googlecast._tcp md=Google Nest Mini',
      'mdns-text _googlecast._tcp fn=Kitchen speaker',
      'dhcp-name Google-Nest-Mini',
    ],
    kind: 'speaker',
    model: 'Google Nest Mini',
    name: 'Kitchen speaker',
  },
  {
    fact: 'Apple, identify your Apple TV: AppleTV14,1 is the Apple TV 4K of 2022',
    said: [
      'mac-vendor Apple, Inc.',
      'mdns Wohnzimmer.local',
      'mdns-service _airplay._tcp',
      'mdns-service _companion-link._tcp',
      'mdns-service _raop._tcp',
      'mdns-text _airplay._tcp model=AppleTV14,1',
      'mdns-instance _airplay._tcp Wohnzimmer',
    ],
    kind: 'media-player',
    vendor: 'Apple, Inc.',
    model: 'AppleTV14,1',
  },
  {
    fact: 'Apple, identify your HomePod: AudioAccessory5,1 is the HomePod mini',
    said: [
      'mac-vendor Apple, Inc.',
      'mdns-service _airplay._tcp',
      'mdns-service _hap._tcp',
      'mdns-text _airplay._tcp model=AudioAccessory5,1',
      'mdns-instance _airplay._tcp Office',
    ],
    kind: 'speaker',
    vendor: 'Apple, Inc.',
    model: 'AudioAccessory5,1',
    name: 'Office',
  },
  {
    fact: 'Apple, identify your MacBook Pro: MacBookPro18,3',
    said: [
      'mac-vendor Apple, Inc.',
      'mdns Annas-MacBook-Pro.local',
      'mdns-service _smb._tcp',
      'mdns-service _companion-link._tcp',
      'mdns-text _device-info._tcp model=MacBookPro18,3',
      'dhcp-options 1,121,3,6,15,108,114,119,252,95,44,46',
      'dhcp-name Annas-MBP',
    ],
    kind: 'laptop',
    vendor: 'Apple, Inc.',
    model: 'MacBookPro18,3',
    name: 'Annas-MacBook-Pro.local',
  },
  {
    fact: 'Apple, private Wi-Fi addresses; the name of an iPhone is the name of its owner',
    said: [
      'mdns iPhone-von-Anna.local',
      'mdns-service _companion-link._tcp',
      'dhcp-name iPhone-von-Anna',
      'dhcp-options 1,121,3,6,15,108,114,119,252',
    ],
    random: true,
    kind: 'phone',
    vendor: 'Apple',
    name: 'iPhone-von-Anna.local',
  },
  {
    fact: 'Apple, identify your iPad: iPad13,4',
    said: ['mdns iPad.local', 'mdns-text _device-info._tcp model=iPad13,4', 'dhcp-name iPad'],
    random: true,
    kind: 'tablet',
    vendor: 'Apple',
    model: 'iPad13,4',
  },
  {
    fact: 'Android Open Source Project, DHCP client: vendor class android-dhcp-14; host names of Samsung are the model',
    said: ['dhcp-class android-dhcp-14', 'dhcp-name Galaxy-S23', 'dhcp-options 1,3,6,15,26,28,51,58,59,43,114,108'],
    random: true,
    kind: 'phone',
    vendor: 'Samsung',
    name: 'Galaxy-S23',
  },
  {
    fact: 'Android Open Source Project: vendor class android-dhcp-13; no name is told',
    said: ['dhcp-class android-dhcp-13', 'dhcp-options 1,3,6,15,26,28,51,58,59,43'],
    random: true,
    kind: 'phone',
  },
  {
    fact: 'Android Open Source Project: boxes and televisions have the same client, so that a fixed MAC does not tell a phone',
    said: [
      'mac-vendor Shenzhen Bilian Electronic Co.,Ltd',
      'dhcp-class android-dhcp-9',
      'dhcp-options 1,3,6,15,26,28,51,58,59,43',
    ],
    kind: null,
  },
  {
    fact: 'Microsoft, DHCP vendor class MSFT 5.0; first names of Windows: DESKTOP and seven characters',
    said: [
      'mac-vendor Intel Corporate',
      'netbios DESKTOP-7Q2K9LM',
      'dhcp-class MSFT 5.0',
      'dhcp-options 1,3,6,15,31,33,43,44,46,47,119,121,249,252',
    ],
    kind: 'computer',
    vendor: 'Intel Corporate',
    name: 'DESKTOP-7Q2K9LM',
  },
  {
    fact: 'Microsoft, first names of Windows on portable computers: LAPTOP and eight characters',
    said: ['mac-vendor Intel Corporate', 'netbios LAPTOP-3H8J2K1P', 'dhcp-class MSFT 5.0'],
    kind: 'laptop',
  },
  {
    fact: 'Synology, DSM: vendor and model in the TXT record of _http',
    said: [
      'mac-vendor Synology Incorporated',
      'mdns DiskStation.local',
      'netbios DISKSTATION',
      'mdns-service _http._tcp',
      'mdns-service _smb._tcp',
      'mdns-service _afpovertcp._tcp',
      'mdns-text _http._tcp vendor=Synology',
      'mdns-text _http._tcp model=DS920+',
    ],
    kind: 'nas',
    vendor: 'Synology Incorporated',
    model: 'DS920+',
    name: 'DiskStation.local',
  },
  {
    fact: 'QNAP, _qdiscover; MIB 24681',
    said: [
      'mac-vendor QNAP Systems, Inc.',
      'mdns-service _qdiscover._tcp',
      'mdns-text _qdiscover._tcp displayModel=TS-453D',
      'snmp-object 1.3.6.1.4.1.24681.2',
    ],
    kind: 'nas',
    vendor: 'QNAP Systems, Inc.',
    model: 'TS-453D',
  },
  {
    fact: 'Cisco, sysDescr of a Catalyst 2960-X; enterprise 9',
    said: [
      'mac-vendor Cisco Systems, Inc',
      'snmp-name core-switch-1',
      'snmp-description Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(4)E7, RELEASE SOFTWARE (fc2)',
      'snmp-object 1.3.6.1.4.1.9.1.1208',
      'lldp-capabilities bridge',
    ],
    kind: 'switch',
    vendor: 'Cisco Systems, Inc',
    name: 'core-switch-1',
  },
  {
    fact: 'Ubiquiti, UniFi U6-Lite: LLDP with WLAN access point',
    said: [
      'mac-vendor Ubiquiti Inc',
      'lldp-name AP-Flur',
      'lldp-description U6-Lite, 6.5.54.14712',
      'lldp-capabilities bridge,wlan',
    ],
    kind: 'access-point',
    vendor: 'Ubiquiti Inc',
    model: 'U6-Lite',
    name: 'AP-Flur',
  },
  {
    fact: 'MikroTik, RouterOS: sysDescr names the board',
    said: [
      'mac-vendor Routerboard.com',
      'gateway 10.0.0.1',
      'snmp-description RouterOS RB5009UG+S+',
      'snmp-object 1.3.6.1.4.1.14988.1',
    ],
    kind: 'router',
    vendor: 'MikroTik',
    model: 'RB5009UG+S+',
  },
  {
    fact: 'Netgate, pfSense: default host name pfSense',
    said: [
      'mac-vendor ADI Engineering, Inc.',
      'gateway 10.0.0.1',
      'dns pfSense.home.arpa',
      'http-title pfSense - Login',
      'snmp-description pfSense pfSense.home.arpa 2.7.2-RELEASE FreeBSD 14.0-CURRENT amd64',
    ],
    kind: 'firewall',
  },
  {
    fact: 'Hikvision, DHCP vendor class; ONVIF announces itself by WS-Discovery only',
    said: ['mac-vendor Hangzhou Hikvision Digital Technology Co.,Ltd.', 'dhcp-class Hikvision IPC'],
    kind: 'camera',
    vendor: 'Hangzhou Hikvision Digital Technology Co.,Ltd.',
  },
  {
    fact: 'Axis, network discovery: _axis-video, host name axis and the MAC',
    said: [
      'mac-vendor Axis Communications AB',
      'mdns axis-accc8e112233.local',
      'mdns-service _axis-video._tcp',
      'mdns-service _rtsp._tcp',
      'upnp-model AXIS M3065-V',
      'upnp-maker AXIS',
    ],
    kind: 'camera',
    vendor: 'Axis Communications AB',
    model: 'M3065-V',
  },
  {
    fact: 'Sonos, ZonePlayer: UPnP description and _sonos',
    said: [
      'mac-vendor Sonos, Inc.',
      'ssdp-server Linux UPnP/1.0 Sonos/63.2-88230 (ZPS18)',
      'ssdp-type urn:schemas-upnp-org:device:ZonePlayer:1',
      'upnp-model Sonos One',
      'upnp-maker Sonos, Inc.',
      'upnp-name 192.168.1.33 - Sonos One',
      'mdns-service _sonos._tcp',
      'mdns-service _spotify-connect._tcp',
    ],
    kind: 'speaker',
    vendor: 'Sonos, Inc.',
    model: 'Sonos One',
  },
  {
    fact: 'Signify, Hue developer programme: _hue with modelid BSB002',
    said: [
      'mac-vendor Philips Lighting BV',
      'mdns-service _hue._tcp',
      'mdns-service _hap._tcp',
      'mdns-text _hue._tcp modelid=BSB002',
      'mdns-instance _hue._tcp Hue Bridge - 112233',
      'ssdp-server Hue/1.0 UPnP/1.0 IpBridge/1.56.0',
    ],
    kind: 'smart-home',
    vendor: 'Signify',
    model: 'BSB002',
  },
  {
    fact: 'Shelly, device names: shellyplus and the kind; gen 2 TXT app=PlusPlugS',
    said: [
      'mac-vendor Espressif Inc.',
      'mdns shellyplusplugs-80646fd1a2b4.local',
      'mdns-service _shelly._tcp',
      'mdns-service _http._tcp',
      'mdns-text _shelly._tcp app=PlusPlugS',
      'mdns-text _shelly._tcp gen=2',
    ],
    kind: 'smart-plug',
    vendor: 'Shelly',
    model: 'PlugS',
  },
  {
    fact: 'ESPHome, mDNS component: _esphomelib',
    said: ['mac-vendor Espressif Inc.', 'mdns garden-pump.local', 'mdns-service _esphomelib._tcp'],
    kind: 'smart-home',
    vendor: 'Espressif Inc.',
    name: 'garden-pump.local',
  },
  {
    fact: 'HomeKit Accessory Protocol: category 7 is an outlet',
    said: [
      'mac-vendor TP-LINK TECHNOLOGIES CO.,LTD.',
      'mdns-service _hap._tcp',
      'mdns-text _hap._tcp ci=7',
      'mdns-text _hap._tcp md=P110',
    ],
    kind: 'smart-plug',
    model: 'P110',
  },
  {
    fact: 'Sony, PlayStation 5: DHCP vendor class PS5, host name PS5 and three digits',
    said: ['mac-vendor Sony Interactive Entertainment Inc.', 'dhcp-class PS5', 'dhcp-name PS5-573'],
    kind: 'game-console',
    vendor: 'Sony Interactive Entertainment Inc.',
    name: 'PS5-573',
  },
  {
    fact: 'Nintendo, MAC addresses are registered to Nintendo Co.,Ltd',
    said: ['mac-vendor Nintendo Co.,Ltd'],
    kind: 'game-console',
    vendor: 'Nintendo Co.,Ltd',
  },
  {
    fact: 'Raspberry Pi OS: default host name raspberrypi; avahi announces _workstation',
    said: [
      'mac-vendor Raspberry Pi Trading Ltd',
      'mdns raspberrypi.local',
      'mdns-service _workstation._tcp',
      'mdns-service _ssh._tcp',
    ],
    kind: 'single-board',
    name: 'raspberrypi.local',
  },
  {
    fact: 'Proxmox VE administration guide: the host name is chosen; the page is called so',
    said: ['mac-vendor Super Micro Computer, Inc.', 'dns pve1.lan', 'http-title pve1 - Proxmox Virtual Environment'],
    kind: 'hypervisor',
    name: 'pve1.lan',
  },
  {
    fact: 'Yealink, auto provisioning guide: vendor class yealink',
    said: ['mac-vendor YEALINK(XIAMEN) NETWORK TECHNOLOGY CO.,LTD.', 'dhcp-class yealink', 'dhcp-name SIP-T46S'],
    kind: 'voip-phone',
    name: 'SIP-T46S',
  },
  {
    fact: 'Cisco, IP phones: host name SEP and the MAC; LLDP with telephone',
    said: [
      'mac-vendor Cisco Systems, Inc',
      'dhcp-class Cisco Systems, Inc. IP Phone CP-7841',
      'dhcp-name SEP00AABBCCDDEE',
      'lldp-capabilities bridge,tel',
    ],
    kind: 'voip-phone',
  },
  {
    fact: 'APC, Network Management Card: sysDescr and enterprise 318',
    said: [
      'mac-vendor American Power Conversion Corp',
      'snmp-description APC Web/SNMP Management Card (MB:v4.2.9 PF:v7.0.8 PN:apc_hw21_aos_708.bin)',
      'snmp-object 1.3.6.1.4.1.318.1.3.27',
    ],
    kind: 'ups',
    vendor: 'APC',
  },
  {
    fact: 'Home Assistant, a hub for smart homes: _home-assistant; default host name homeassistant',
    said: [
      'mac-vendor Nabu Casa, Inc.',
      'mdns homeassistant.local',
      'mdns-service _home-assistant._tcp',
      'mdns-instance _home-assistant._tcp Home',
    ],
    kind: 'smart-home',
    model: 'Home Assistant',
    name: 'homeassistant.local',
  },
  {
    fact: 'Espressif chips are in everything: a MAC and a name of digits tell no kind',
    said: ['mac-vendor Espressif Inc.'],
    kind: null,
    vendor: 'Espressif Inc.',
  },
  {
    fact: 'Samsung makes phones, televisions, washing machines and screens',
    said: ['mac-vendor Samsung Electronics Co.,Ltd', 'dns samsung.lan'],
    kind: null,
    vendor: 'Samsung Electronics Co.,Ltd',
    name: 'samsung.lan',
  },
  {
    fact: 'RFC 4941 and IEEE 802c: a MAC that was made up tells nothing',
    said: ['dns dhcp-192-168-1-77.lan'],
    random: true,
    kind: null,
  },
  {
    fact: 'BusyBox, udhcp: cameras, routers and plugs have the same client',
    said: ['mac-vendor Tuya Smart Inc.', 'dhcp-class udhcp 1.24.2'],
    kind: 'smart-home',
  },
  {
    fact: 'BusyBox, udhcp alone',
    said: ['mac-vendor Shenzhen Four Seas Global Link Network Technology Co., Ltd.', 'dhcp-class udhcp 1.24.2'],
    kind: null,
  },
  {
    fact: 'net-snmp on a Linux host: enterprise 8072 says which software answers, not what it is',
    said: [
      'mac-vendor ASUSTek COMPUTER INC.',
      'dns box.lan',
      'snmp-description Linux box 5.10.0-28-amd64 #1 SMP Debian 5.10.209-2 x86_64',
      'snmp-object 1.3.6.1.4.1.8072.3.2.10',
    ],
    kind: null,
  },
  // Written after the rules.
  {
    fact: 'Canon, TS series: DNS-SD of its printers',
    said: [
      'mac-vendor CANON INC.',
      'mdns-service _ipp._tcp',
      'mdns-service _uscan._tcp',
      'mdns-text _ipp._tcp ty=Canon TS8300 series',
      'mdns-text _ipp._tcp usb_MFG=Canon',
      'mdns-instance _ipp._tcp Canon TS8300 series',
    ],
    kind: 'printer',
    vendor: 'CANON INC.',
    model: 'TS8300',
  },
  {
    fact: 'CUPS, shared printers: a computer announces _ipp with rp=printers/',
    said: [
      'mac-vendor Dell Inc.',
      'mdns workstation-3.local',
      'mdns-service _ipp._tcp',
      'mdns-service _workstation._tcp',
      'mdns-text _ipp._tcp rp=printers/Office',
      'mdns-text _ipp._tcp ty=HP LaserJet 400',
    ],
    kind: null,
  },
  {
    fact: 'Roku, External Control Protocol: roku:ecp',
    said: [
      'mac-vendor Roku, Inc',
      'ssdp-type roku:ecp',
      'ssdp-server Roku/12.0.0 UPnP/1.0 Roku/12.0.0',
      'upnp-maker Roku',
      'upnp-model Roku Ultra',
      'upnp-name Den',
    ],
    kind: 'media-player',
    vendor: 'Roku, Inc',
    model: 'Roku Ultra',
    name: 'Den',
  },
  {
    fact: 'Belkin, WeMo: device controllee is a plug',
    said: [
      'mac-vendor Belkin International Inc.',
      'ssdp-type urn:Belkin:device:controllee:1',
      'upnp-maker Belkin International Inc.',
      'upnp-model Socket',
      'upnp-name Lamp',
    ],
    kind: 'smart-plug',
    name: 'Lamp',
  },
  {
    fact: 'HomeKit Accessory Protocol: category 9 is a thermostat',
    said: ['mac-vendor tado GmbH', 'mdns-service _hap._tcp', 'mdns-text _hap._tcp ci=9', 'mdns-text _hap._tcp md=RU02'],
    kind: 'thermostat',
    model: 'RU02',
  },
  {
    fact: 'iRobot, local protocol: host name Roomba and its number',
    said: ['mac-vendor iRobot Corporation', 'dhcp-name Roomba-3147C11234567890'],
    kind: 'vacuum',
  },
  {
    fact: 'Enphase, IQ Gateway: _enphase-envoy, host name envoy',
    said: ['mac-vendor SolarBridge Technologies', 'mdns envoy.local', 'mdns-service _enphase-envoy._tcp'],
    kind: 'solar',
    name: 'envoy.local',
  },
  {
    fact: 'HPE Aruba, sysDescr of a 2930F',
    said: [
      'mac-vendor Hewlett Packard Enterprise',
      'snmp-description Aruba JL253A 2930F-24G-4SFP+ Switch, revision WC.16.10.0009, ROM WC.16.01.0006',
      'snmp-object 1.3.6.1.4.1.11.2.3.7.11.181.10',
      'snmp-name sw-eg',
    ],
    kind: 'switch',
    name: 'sw-eg',
  },
  {
    fact: 'VMware, ESXi: sysDescr',
    said: [
      'mac-vendor Dell Inc.',
      'dns esx02.corp.example',
      'snmp-description VMware ESXi 7.0.3 build-20328353 VMware, Inc. x86_64',
      'snmp-object 1.3.6.1.4.1.6876.4.1',
    ],
    kind: 'hypervisor',
    vendor: 'VMware',
  },
  {
    fact: 'Microsoft, Xbox Series X: vendor class and UPnP',
    said: [
      'mac-vendor Microsoft Corporation',
      'dhcp-class XboxOne',
      'dhcp-name XBOX',
      'upnp-model Xbox Series X',
      'upnp-maker Microsoft Corporation',
    ],
    kind: 'game-console',
    vendor: 'Microsoft Corporation',
    model: 'Xbox Series X',
  },
  {
    fact: 'QEMU/KVM: locally administered prefix 52:54:00 belongs to no maker; a chosen name tells nothing',
    said: ['dns build-7.lan', 'mdns-service _ssh._tcp'],
    kind: null,
    name: 'build-7.lan',
  },
  {
    fact: 'Amazon: MAC addresses are in Echo, Fire TV, Kindle and Ring alike',
    said: ['mac-vendor Amazon Technologies Inc.', 'dhcp-name amazon-3f2a1b0c9'],
    kind: null,
  },
  {
    fact: 'Apple: an Apple card with no more than the options of its client can be any of its devices',
    said: ['mac-vendor Apple, Inc.', 'dhcp-options 1,121,3,6,15,119,252'],
    kind: null,
    vendor: 'Apple, Inc.',
  },
  {
    fact: 'Intel and Realtek make cards for everybody',
    said: ['mac-vendor Realtek Semiconductor Corp.', 'dns mybox.lan'],
    kind: null,
    vendor: 'Realtek Semiconductor Corp.',
  },
  {
    fact: 'Fairphone, Android: host name is the model',
    said: ['dhcp-class android-dhcp-13', 'dhcp-name Fairphone-4-5G'],
    random: true,
    kind: 'phone',
    name: 'Fairphone-4-5G',
  },
];

/** How many at the end were written after the rules. */
export const HELD_OUT = 15;

/** The observations of a recorded device. */
export function observationsOf({ said }: Recorded): Observation[] {
  return said.map((text) => {
    const [source = '', ...value] = text.split(' ');
    return { source: ObservationSource.parse(source), value: value.join(' '), at: 1_767_225_600_000 };
  });
}
