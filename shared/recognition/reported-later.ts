/**
 * As the reported observations, but gathered after the rules had been corrected by those, to measure how the rules do with
 * devices that nobody had in mind. At first sight 12 of the 17 that have a kind were right, 4 were not judged, and two of the
 * 24 were wrong. Then the rules were corrected again.
 */
import type { Recorded } from './recorded-observations.ts';

export const REPORTED_LATER: readonly Recorded[] = [
  {
    fact: 'home-assistant/core#34521: HP Color LaserJet, which only announces its page',
    said: ['mdns printer.local', 'mdns-service _http._tcp', 'mdns-instance _http._tcp HP Color LaserJet MFP M277dw'],
    kind: 'printer',
  },
  {
    fact: 'home-assistant/core#95993: Apple TV 4K',
    said: [
      'mac-vendor Apple, Inc.',
      'mdns-service _companion-link._tcp',
      'mdns-service _airplay._tcp',
      'mdns-instance _companion-link._tcp Living Room',
      'mdns-text _companion-link._tcp rpmd=AppleTV14,1',
      'mdns-instance _raop._tcp A851AB11F1DE@Living Room',
      'mdns-text _raop._tcp am=AppleTV14,1',
    ],
    kind: 'media-player',
    vendor: 'Apple, Inc.',
    model: 'AppleTV14,1',
    name: 'Living Room',
  },
  {
    fact: 'home-assistant/core#27371: GigaBlue UHD UE 4K, a receiver for satellites',
    said: ['mdns-service _e2stream._tcp', 'mdns-service _ssh._tcp', 'mdns-service _smb._tcp'],
    kind: 'media-player',
  },
  {
    fact: 'home-assistant/core#27371: Marantz M-CR510, a network receiver',
    said: [
      'mac-vendor D&M Holdings Inc.',
      'mdns-service _raop._tcp',
      'mdns-instance _raop._tcp 0005CDAABBCC@Marantz M-CR510',
    ],
    kind: 'media-player',
  },
  {
    fact: 'home-assistant/core#27371: Synology DS216play',
    said: [
      'mac-vendor Synology Incorporated',
      'mdns-service _device-info._tcp',
      'mdns-service _http._tcp',
      'mdns-service _smb._tcp',
      'mdns-text _device-info._tcp model=Xserve',
    ],
    kind: 'nas',
  },
  {
    fact: 'home-assistant/core#27371: LG SH8, a sound bar',
    said: ['mac-vendor LG Electronics', 'mdns-service _spotify-connect._tcp', 'mdns-service _googlecast._tcp'],
    kind: 'speaker',
  },
  {
    fact: 'home-assistant/core#41874: a loudspeaker of Sonos',
    said: [
      'mdns Sonos-7828CA804904.local',
      'mdns-service _spotify-connect._tcp',
      'mdns-instance _spotify-connect._tcp sonos7828CA804904',
    ],
    kind: 'speaker',
    vendor: 'Sonos',
    name: 'Sonos-7828CA804904.local',
  },
  {
    fact: 'home-assistant/core#172126: a sound bar of Samsung that was taken for a TV',
    said: [
      'mac-vendor Samsung Electronics Co.,Ltd',
      'mdns Samsung.local',
      'mdns-service _airplay._tcp',
      'mdns-instance _airplay._tcp Q-Series Soundbar',
      'mdns-text _airplay._tcp model=HW-Q990F',
      'mdns-text _airplay._tcp manufacturer=Samsung',
    ],
    kind: 'speaker',
    name: 'Samsung.local',
  },
  {
    fact: 'daviswr/dhcpd.fingerprint#6: a tablet of Samsung',
    said: ['dhcp-class android-dhcp-16', 'dhcp-name Galaxy-Tab-S10-FE'],
    random: true,
    kind: 'tablet',
    name: 'Galaxy-Tab-S10-FE',
  },
  {
    fact: 'opnsense/core#4410: Windows',
    said: ['mac-vendor Intel Corporate', 'dhcp-class MSFT 5.0'],
    kind: 'computer',
  },
  { fact: 'opnsense/core#4410: Android 10', said: ['dhcp-class android-dhcp-10'], random: true, kind: 'phone' },
  {
    fact: 'librenms/librenms#602: a router with mini_snmpd, which says nothing of itself',
    said: ['snmp-name freifunk-dorlar-000', 'snmp-object 1.3.6.1.4.1'],
    kind: null,
    name: 'freifunk-dorlar-000',
  },
  {
    fact: 'librenms/librenms#10069: Cisco WAP150, which says that it is Linux',
    said: ['mac-vendor Cisco Systems, Inc', 'snmp-description Linux 2.6.35.8 WAP150', 'snmp-name wap0123ab'],
    kind: null,
  },
  {
    fact: 'librenms/librenms#5272: MikroTik RB260GSP, a switch with SwOS',
    said: ['mac-vendor Routerboard.com', 'snmp-description RB260GSP', 'snmp-object 1.3.6.1.4.1.14988.2'],
    kind: 'switch',
  },
  {
    fact: 'librenms/librenms#2810: a printer of Lexmark',
    said: [
      'dns printer-logistica1.fundao.host.com',
      'snmp-name dhcppc190',
      'snmp-description Lexmark MX611dhe version NH60.SB.N636 kernel 3.0.0 All-N-1',
      'snmp-object 1.3.6.1.4.1.641.1.71106859',
    ],
    kind: 'printer',
    vendor: 'Lexmark',
    name: 'printer-logistica1.fundao.host.com',
  },
  {
    fact: 'librenms/librenms#614: Cisco 2960C',
    said: [
      'snmp-description Cisco IOS Software, C2960C Software (C2960c405ex-UNIVERSALK9-M), Version 15.0(2)SE5, RELEASE SOFTWARE (fc1)',
      'snmp-object 1.3.6.1.4.1.9.1.1316',
    ],
    kind: 'switch',
    vendor: 'Cisco',
  },
  {
    fact: 'librenms/librenms#2731: a cooler of APC has the card of its UPS',
    said: [
      'mac-vendor American Power Conversion Corp',
      'snmp-name ACRC01',
      'snmp-description APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.1.0 PN:apc_hw06_aos_610.bin AF1:v6.1.0 AN1:apc_hw06_acrc2g_610.bin MN:0N-9580AC HR:06)',
      'snmp-object 1.3.6.1.4.1.318.1.3.14.10',
    ],
    kind: null,
    name: 'ACRC01',
  },
  {
    fact: 'librenms/librenms#7502: a sensor of Geist',
    said: ['snmp-name GS-ENV-02', 'snmp-object 1.3.6.1.4.1.21239.2'],
    kind: null,
  },
  {
    fact: 'hzeller/gmrender-resurrect#290: a program on any computer',
    said: [
      'upnp-type urn:schemas-upnp-org:device:MediaRenderer:1',
      'ssdp-type urn:schemas-upnp-org:device:MediaRenderer:1',
      'upnp-name Snapcast - All Rooms',
      'upnp-maker Ivo Clarysse, Henner Zeller',
      'upnp-model gmediarender',
    ],
    kind: null,
    name: 'Snapcast - All Rooms',
  },
  {
    fact: 'Yortw/RSSDP#67: a program on a PC',
    said: [
      'upnp-type urn:schemas-upnp-org:device:MediaRenderer:1',
      'upnp-maker SeNSSoFT',
      'upnp-model DLNA renderer for Windows PC',
    ],
    kind: null,
  },
  {
    fact: 'home-assistant/core#57243: FRITZ!Box 7530',
    said: [
      'upnp-type urn:schemas-upnp-org:device:avmnexus:1',
      'upnp-name FRITZ!Box 7530',
      'upnp-maker AVM Berlin',
      'upnp-model FRITZ!Box 7530',
    ],
    kind: 'router',
    vendor: 'AVM',
    model: 'FRITZ!Box 7530',
    name: 'FRITZ!Box 7530',
  },
  {
    fact: 'home-assistant/core#46822: the server of a library says nothing of the device',
    said: ['ssdp-server Linux/4.1.16-mrvl, UPnP/1.0, Portable SDK for UPnP devices/1.6.18'],
    kind: null,
  },
  {
    fact: 'home-assistant/core#76383: a router of D-Link',
    said: [
      'upnp-type urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      'upnp-name DSL-X1852E',
      'upnp-maker D-link',
      'upnp-model DSL-X1852E',
    ],
    kind: 'router',
    model: 'DSL-X1852E',
    name: 'DSL-X1852E',
  },
  {
    fact: 'nicotine-plus/nicotine-plus#1566: a router of Orange',
    said: [
      'mac-vendor Sagemcom Broadband SAS',
      'upnp-type urn:schemas-upnp-org:device:InternetGatewayDevice:2',
      'upnp-name Orange Livebox',
      'upnp-maker Sagemcom',
      'upnp-model Residential Livebox,(DSL,WAN Ethernet)',
    ],
    kind: 'router',
    name: 'Orange Livebox',
  },
];
