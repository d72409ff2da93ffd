/**
 * Reads what devices announce by broadcasts: ARP (RFC 826, RFC 5227) and requests of DHCP clients (RFC 2131); and by multicasts,
 * which show only that they are online: neighbour discovery (RFC 4861), MLD (RFC 3810), DHCPv6 (RFC 8415) and mDNS (RFC 6762).
 * All of it is the device's own claim. Its MAC has to be the sender of the frame, so that no device speaks for others by mistake.
 */
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { parseMac } from '../../shared/network.ts';
import { announced, type Heard } from './observations.ts';

/** A sign that a device is online. */
export interface Sign {
  mac: string;
  /** Its address; null before it has one. */
  ip: string | null;
  /** The address that it requests, and that another device may have. */
  wanted: string | null;
  heard: Heard[];
}

const ETHERNET_BYTES = 14;
const VLAN_TAG_BYTES = 4;
const TYPE = { ipv4: 0x0800, arp: 0x0806, vlan: 0x8100, ipv6: 0x86dd } as const;
const BROADCAST = Buffer.alloc(6, 0xff);

/** Null for any other frame, and for a truncated or inconsistent one. */
export function signIn(frame: Buffer): Sign | null {
  if (frame.length < ETHERNET_BYTES + VLAN_TAG_BYTES || (frame.readUInt8(0) & 1) === 0) return null;
  const source = frame.subarray(6, 12);
  const mac = parseMac(source.toString('hex'));
  if (mac === null || !isDeviceMac(mac)) return null;
  let type = frame.readUInt16BE(12);
  let body = frame.subarray(ETHERNET_BYTES);
  if (type === TYPE.vlan) {
    // VLAN 0 is a priority only. Frames of other VLANs belong to a network with an interface of its own.
    if ((body.readUInt16BE(0) & 0x0fff) !== 0) return null;
    type = body.readUInt16BE(2);
    body = body.subarray(VLAN_TAG_BYTES);
  }
  let content: Content | null = null;
  if (!frame.subarray(0, 6).equals(BROADCAST)) content = readMulticast(type, body);
  else if (type === TYPE.arp) content = readArp(body, source);
  else if (type === TYPE.ipv4) content = readDhcp(body, source);
  return content === null ? null : { mac, ...content };
}

type Content = Omit<Sign, 'mac'>;

const IPV6_BYTES = 40;
const HOP_BY_HOP = 0;
const ICMPV6 = 58;
/** Router solicitation, neighbour solicitation and advertisement, which no router forwards; reports of MLD. */
const NEIGHBOUR_DISCOVERY = [133, 135, 136];
const MLD_REPORTS = [131, 143];
const DHCPV6_SERVER_PORT = 547;
const MDNS_PORT = 5353;
const UNROUTED_HOP_LIMIT = 255;

/** IPv6 addresses are left to scans: the first that a host uses is seldom the one by which others reach it. */
function readMulticast(type: number, packet: Buffer): Content | null {
  if (type === TYPE.ipv4) return readMdns(packet);
  if (type !== TYPE.ipv6 || packet.length < IPV6_BYTES + 8 || (packet.readUInt8(0) & 0xf0) !== 0x60) return null;
  let [next, at] = [packet.readUInt8(6), IPV6_BYTES];
  if (next === HOP_BY_HOP) {
    next = packet.readUInt8(at);
    at += (packet.readUInt8(at + 1) + 1) * 8;
  }
  if (packet.length < at + 4) return null;
  const isUnrouted = packet.readUInt8(7) === UNROUTED_HOP_LIMIT;
  const kind = packet.readUInt8(at);
  const isNeighbour = next === ICMPV6 && isUnrouted && NEIGHBOUR_DISCOVERY.includes(kind);
  const isReport = next === ICMPV6 && MLD_REPORTS.includes(kind);
  const isDatagram = next === UDP && [DHCPV6_SERVER_PORT, MDNS_PORT].includes(packet.readUInt16BE(at + 2));
  return isNeighbour || isReport || isDatagram ? { ip: null, wanted: null, heard: [] } : null;
}

function readMdns(packet: Buffer): Content | null {
  if (packet.length < 28 || packet.readUInt8(0) !== 0x45 || packet.readUInt8(9) !== UDP) return null;
  return packet.readUInt16BE(22) === MDNS_PORT ? { ip: addressAt(packet, 12), wanted: null, heard: [] } : null;
}

const ARP_BYTES = 28;
/** Hardware Ethernet, protocol IPv4, addresses of six and four bytes. */
const ARP_OF_IPV4 = Buffer.from([0, 1, 8, 0, 6, 4]);

function readArp(packet: Buffer, source: Buffer): Content | null {
  if (packet.length < ARP_BYTES || !packet.subarray(0, 6).equals(ARP_OF_IPV4)) return null;
  const operation = packet.readUInt16BE(6);
  const isKnown = operation === 1 || operation === 2;
  if (!isKnown || !packet.subarray(8, 14).equals(source)) return null;
  const ip = addressAt(packet, 14);
  // A probe (RFC 5227): the host is online, and the next seconds show whether the address is free.
  return ip === null ? { ip, wanted: addressAt(packet, 24), heard: [] } : { ip, wanted: null, heard: [] };
}

const UDP = 17;
const UDP_BYTES = 8;
const DHCP_SERVER_PORT = 67;
const BOOTP_BYTES = 236;
const BOOT_REQUEST = 1;
const COOKIE = 0x63825363;
const OPTION = {
  pad: 0,
  hostName: 12,
  requested: 50,
  messageType: 53,
  parameters: 55,
  vendorClass: 60,
  end: 255,
} as const;
const MESSAGE = { discover: 1, request: 3, inform: 8 } as const;
/** Of option 55: more numbers would not fit into an observation. */
const MAX_PARAMETERS = 50;

function readDhcp(packet: Buffer, source: Buffer): Content | null {
  if (packet.length < 20 || (packet.readUInt8(0) & 0xf0) !== 0x40 || packet.readUInt8(9) !== UDP) return null;
  const headerBytes = (packet.readUInt8(0) & 0x0f) * 4;
  const isFragment = (packet.readUInt16BE(6) & 0x3fff) !== 0;
  if (headerBytes < 20 || isFragment || packet.length < headerBytes + UDP_BYTES + BOOTP_BYTES + 4) return null;
  const udp = packet.subarray(headerBytes);
  if (udp.readUInt16BE(2) !== DHCP_SERVER_PORT) return null;
  const message = udp.subarray(UDP_BYTES, Math.max(UDP_BYTES, udp.readUInt16BE(4)));
  if (message.length < BOOTP_BYTES + 4 || message.readUInt32BE(BOOTP_BYTES) !== COOKIE) return null;
  const isOfEthernet = message.readUInt8(1) === 1 && message.readUInt8(2) === 6;
  const isRelayed = message.readUInt32BE(24) !== 0;
  if (message.readUInt8(0) !== BOOT_REQUEST || !isOfEthernet || isRelayed) return null;
  if (!message.subarray(28, 34).equals(source)) return null;
  return contentOfDhcp(addressAt(message, 12), optionsOf(message.subarray(BOOTP_BYTES + 4)));
}

function contentOfDhcp(own: string | null, options: ReadonlyMap<number, Buffer>): Content | null {
  const type = options.get(OPTION.messageType)?.[0];
  if (type !== MESSAGE.discover && type !== MESSAGE.request && type !== MESSAGE.inform) return null;
  const option = options.get(OPTION.requested);
  const requested = option?.length === 4 ? addressAt(option, 0) : null;
  const heard = announced({
    'dhcp-name': textOf(options.get(OPTION.hostName)),
    'dhcp-class': textOf(options.get(OPTION.vendorClass)),
    'dhcp-options': options.get(OPTION.parameters)?.subarray(0, MAX_PARAMETERS).join(','),
  });
  // A client requests an address just offered, or its former one; in a DISCOVER it only states a preference.
  return type === MESSAGE.request
    ? { ip: own ?? requested, wanted: null, heard }
    : { ip: own, wanted: own === null ? requested : null, heard };
}

/** As far as readable; the first of a repeated option. No client needs the room of option 52: it is ignored. */
function optionsOf(bytes: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  for (let at = 0; at + 1 < bytes.length; ) {
    const code = bytes.readUInt8(at);
    if (code === OPTION.end) break;
    if (code === OPTION.pad) {
      at++;
      continue;
    }
    const length = bytes.readUInt8(at + 1);
    if (at + 2 + length > bytes.length) break;
    if (!options.has(code)) options.set(code, bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return options;
}

/** Some clients terminate texts with a NUL. */
function textOf(value: Buffer | undefined): string | undefined {
  return value?.toString('utf8').replace(/\0.*$/s, '').trim();
}

function addressAt(bytes: Buffer, at: number): string | null {
  return bytes.readUInt32BE(at) === 0 ? null : [...bytes.subarray(at, at + 4)].join('.');
}
