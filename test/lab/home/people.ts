/** What people carry and look at: computers, phones, media. */
import { ASKS, at, type HomeHost, host, service } from './terms.ts';

export const PERSONAL: readonly HomeHost[] = [
  host('macbook', 35, '8E:1D:43', {
    behind: 'ap',
    dhcp: { name: 'Annas-MBA', options: ASKS.macos },
    mdns: {
      host: 'Annas-MacBook-Air',
      services: [
        service(
          '_companion-link._tcp',
          'Annas MacBook Air',
          49352,
          'rpMac=0 rpHN=3aafb7a5c0d2 rpFl=0x20000 rpHA=b1d7a5f0c3e1 rpVr=523.1.2 rpAD=c7e1a2b3d4f5',
        ),
        service('_device-info._tcp', 'Annas MacBook Air', 0, 'model=Mac14,2 osxvers=23'),
        service('_smb._tcp', 'Annas MacBook Air', 445),
      ],
    },
    truth: { kind: 'laptop', name: /^Annas MacBook Air$/, model: /Mac14,2|MacBook Air/ },
  }),
  host('iphone', 36, '5A:41:7E', {
    behind: 'ap',
    dhcp: { name: 'iPhone', options: ASKS.ios },
    mdns: {
      host: 'Annas-iPhone',
      services: [
        service(
          '_companion-link._tcp',
          'Annas iPhone',
          49153,
          'rpMac=0 rpHN=f4d1aa0be672 rpFl=0x20000 rpHA=9d8a36f5cc21 rpVr=530.2 rpAD=aa12bb34cc56',
        ),
      ],
    },
    truth: { kind: 'phone', name: /^Annas iPhone$/ },
  }),
  host('ipad', 37, '9A:07:C1', {
    behind: 'ap',
    dhcp: { name: 'iPad', options: ASKS.ios },
    mdns: {
      host: 'Kuchen-iPad',
      services: [
        service(
          '_companion-link._tcp',
          'Küchen-iPad',
          49154,
          'rpMac=0 rpHN=0a1b2c3d4e5f rpFl=0x20000 rpVr=530.2 rpMd=iPad13,18',
        ),
        service('_device-info._tcp', 'Küchen-iPad', 0, 'model=J272AP'),
      ],
    },
    truth: { kind: 'tablet', name: /^Küchen-iPad$/, model: /iPad13,18|J272AP|iPad/ },
  }),
  host('galaxy', 38, 'D2:6B:3F', {
    behind: 'ap',
    dhcp: { name: 'Galaxy-S23', class: 'android-dhcp-14', options: ASKS.android },
    truth: { kind: 'phone', name: /Galaxy-S23/i },
  }),
  host('pixel', 39, 'EE:90:1C', {
    behind: 'ap',
    dhcp: { class: 'android-dhcp-14', options: ASKS.android },
    truth: { kind: 'phone', name: null },
  }),
  host('chromecast', 40, 'F4:F5:D8', {
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
        service(
          '_googlecast._tcp',
          'Chromecast-Ultra-0b4f7c5e98a17d2b4c9e1f2a3b4c5d6e',
          8009,
          'id=0b4f7c5e98a17d2b4c9e1f2a3b4c5d6e cd=F1E2D3C4B5A697887766554433221100 rm= ve=05 md=Chromecast Ultra ic=/setup/icon.png fn=Bedroom Chromecast ca=201221 st=0 bs=FA8FCA3D1E2F nf=1 rs=',
        ),
      ],
    },
    truth: { kind: 'media-player', name: /Bedroom Chromecast/, model: /Chromecast Ultra/ },
  }),
  host('appletv', 41, '70:B3:06', {
    dhcp: { name: 'Den', options: ASKS.ios },
    mdns: {
      host: 'Den',
      services: [
        service(
          '_airplay._tcp',
          'Den',
          7000,
          'deviceid=70:B3:06:78:01:41 features=0x4A7FDFD5,0xBC157FDE flags=0x244 model=AppleTV6,2 srcvers=690.7.1',
        ),
        service('_raop._tcp', '70B306780141@Den', 7000, 'am=AppleTV6,2 vs=690.7.1 tp=UDP'),
        service('_companion-link._tcp', 'Den', 49155, 'rpMac=1 rpFl=0x36782 rpMd=AppleTV6,2 rpVr=523.1'),
      ],
    },
    truth: { kind: 'media-player', name: /^Den/, model: /AppleTV6,2|Apple TV/ },
  }),
  host('sonos', 42, '48:A6:B8', {
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
        service(
          '_sonos._tcp',
          'Sonos-48A6B8780142@Kitchen',
          1443,
          'info=/api/v1/players/RINCON_48A6B878014201400/info vers=3 protovers=1.40.0 bootseq=64',
        ),
      ],
    },
    truth: { kind: 'speaker', name: /Sonos|Kitchen/, model: /Sonos One|S13/ },
  }),
];
