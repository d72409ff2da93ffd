/** What a frame that everybody on a link gets says of its sender: ARP (RFC 826) and requests for an address (RFC 2131). */
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { formatIp } from '../../shared/network.ts';
import type { Heard } from '../discovery/observations.ts';

/** A sign of a device. */
export interface Sign {
  mac: string;
  /** The address that it has, or is about to take; null when the frame does not say. */
  ip: string | null;
  /** What it says of itself. */
  heard: Heard[];
}

const ARP = 0x0806;
const IPV4 = 0x0800;
const VLAN_TAG = 0x8100;
const UDP = 17;
const ARP_BYTES = 28;
const BOOTP_BYTES = 236;
const MAGIC_COOKIE = 0x63825363;
const DHCP_SERVER_PORT = 67;
/** Options of DHCP (RFC 2132) that are read, and how long the longest text of them may be. */
const OPTION = { name: 12, address: 50, wanted: 55, vendorClass: 60, end: 255, pad: 0 };
const MAX_OPTIONS = 64;

/** The sign that a frame is; null for anything else, and for what contradicts itself. Never throws. */
export function signIn(frame: Buffer): Sign | null {
  if (frame.length < 14) return null;
  const mac = macAt(frame, 6);
  const isTagged = frame.readUInt16BE(12) === VLAN_TAG;
  const at = isTagged ? 18 : 14;
  if (frame.length < at || !isDeviceMac(mac)) return null;
  const type = frame.readUInt16BE(at - 2);
  const body = frame.subarray(at);
  if (type === ARP) return arpSign(body, mac);
  return type === IPV4 ? dhcpSign(body, mac) : null;
}

function arpSign(body: Buffer, mac: string): Sign | null {
  const isArp = body.length >= ARP_BYTES && body.readUInt32BE(0) === 0x00010800 && body.readUInt16BE(4) === 0x0604;
  // Who answers for another card, as some bridges do, says nothing of either.
  if (!isArp || macAt(body, 8) !== mac) return null;
  // Without an address of its own it asks whether that which it is about to take is free (RFC 5227).
  return { mac, ip: ipAt(body, 14) ?? ipAt(body, 24), heard: [] };
}

function dhcpSign(packet: Buffer, mac: string): Sign | null {
  if (packet.length < 20 || packet.readUInt8(9) !== UDP) return null;
  const udp = packet.subarray((packet.readUInt8(0) & 0x0f) * 4);
  if (udp.length < 8 + BOOTP_BYTES + 4 || udp.readUInt16BE(2) !== DHCP_SERVER_PORT) return null;
  const bootp = udp.subarray(8);
  const isRequest = bootp.readUInt32BE(0) >>> 8 === 0x010106;
  // One that a relay passes on is of another link.
  if (!isRequest || bootp.readUInt32BE(24) !== 0 || macAt(bootp, 28) !== mac) return null;
  if (bootp.readUInt32BE(BOOTP_BYTES) !== MAGIC_COOKIE) return null;
  const options = optionsIn(bootp.subarray(BOOTP_BYTES + 4));
  const text = (code: number) => options.get(code)?.toString('latin1').replace(/\0+$/, '') ?? '';
  const heard: Heard[] = [
    { source: 'dhcp-name', value: text(OPTION.name) },
    { source: 'dhcp-class', value: text(OPTION.vendorClass) },
    { source: 'dhcp-options', value: [...(options.get(OPTION.wanted) ?? [])].join(',') },
  ];
  const wanted = options.get(OPTION.address);
  const ip = ipAt(bootp, 12) ?? (wanted?.length === 4 ? ipAt(wanted, 0) : null);
  return { mac, ip, heard: heard.filter(({ value }) => value !== '') };
}

/** The first value of each option; what is cut off is left out. */
function optionsIn(bytes: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  for (let at = 0, count = 0; at < bytes.length && count < MAX_OPTIONS; count++) {
    const code = bytes.readUInt8(at);
    if (code === OPTION.end) break;
    if (code === OPTION.pad) {
      at++;
      count--;
      continue;
    }
    if (at + 2 > bytes.length) break;
    const length = bytes.readUInt8(at + 1);
    const value = bytes.subarray(at + 2, at + 2 + length);
    if (value.length < length) break;
    if (!options.has(code)) options.set(code, value);
    at += 2 + length;
  }
  return options;
}

function macAt(bytes: Buffer, at: number): string {
  return bytes
    .toString('hex', at, at + 6)
    .toUpperCase()
    .replace(/(..)(?!$)/g, '$1:');
}

/** Null for 0.0.0.0. */
function ipAt(bytes: Buffer, at: number): string | null {
  const value = bytes.readUInt32BE(at);
  return value === 0 ? null : formatIp({ family: 4, value: BigInt(value), zone: null });
}
