/** Broadcasts of hosts that a test makes up, and the stream of pcap in which tcpdump passes them on. */

const bytesOf = (mac: string) => Buffer.from(mac.replaceAll(':', ''), 'hex');
const address = (ip: string) => Buffer.from(ip.split('.').map(Number));
const NONE = '0.0.0.0';
const BROADCAST = 'FF:FF:FF:FF:FF:FF';

function ethernet(
  mac: string,
  type: number,
  body: Buffer,
  { to = BROADCAST, vlan = null as number | null } = {},
): Buffer {
  const tag = vlan === null ? [] : [0x81, 0x00, vlan >> 8, vlan & 255];
  return Buffer.concat([bytesOf(to), bytesOf(mac), Buffer.from([...tag, type >> 8, type & 255]), body]);
}

/** Says of itself that it has this address, unless it is told what else to say. */
export function arpFrame(
  mac: string,
  ip: string,
  {
    target = ip,
    sender = mac,
    operation = 1,
    ...link
  }: { target?: string; sender?: string; operation?: number; to?: string; vlan?: number } = {},
): Buffer {
  const fixed = Buffer.from([0, 1, 8, 0, 6, 4, 0, operation]);
  return ethernet(
    mac,
    0x0806,
    Buffer.concat([fixed, bytesOf(sender), address(ip), Buffer.alloc(6), address(target)]),
    link,
  );
}

/** What a host says to a group by IPv6, from an address that does not matter. */
export function ipv6Frame(
  mac: string,
  next: number,
  payload: number[],
  { hopLimit = 255, to = '33:33:00:00:00:02' } = {},
): Buffer {
  const head = Buffer.from([0x60, 0, 0, 0, 0, payload.length, next, hopLimit]);
  return ethernet(mac, 0x86dd, Buffer.concat([head, Buffer.alloc(32), Buffer.from(payload)]), { to });
}

export interface DhcpRequest {
  type?: number;
  ciaddr?: string;
  requested?: string;
  name?: string;
  vendorClass?: string;
  parameters?: number[];
  /** Options as they are. */
  options?: Buffer;
  relay?: string;
  hardware?: string;
  operation?: number;
  vlan?: number;
  port?: number;
}

export function dhcpFrame(mac: string, request: DhcpRequest = {}): Buffer {
  const { type = 1, ciaddr = NONE, relay = NONE, hardware = mac, operation = 1, vlan, port = 67 } = request;
  const option = (code: number, value: Buffer | undefined) =>
    value === undefined ? [] : [Buffer.from([code, value.length]), value];
  const text = (value: string | undefined) => (value === undefined ? undefined : Buffer.from(value));
  const options = [
    ...option(53, Buffer.from([type])),
    ...option(50, request.requested === undefined ? undefined : address(request.requested)),
    ...option(12, text(request.name)),
    ...option(60, text(request.vendorClass)),
    ...option(55, request.parameters === undefined ? undefined : Buffer.from(request.parameters)),
    Buffer.from([255]),
  ];
  const message = Buffer.concat([
    Buffer.from([operation, 1, 6, 0, 1, 2, 3, 4, 0, 0, 0, 0]),
    address(ciaddr),
    Buffer.alloc(8),
    address(relay),
    bytesOf(hardware),
    Buffer.alloc(10 + 192),
    Buffer.from([0x63, 0x82, 0x53, 0x63]),
    ...(request.options === undefined ? options : [request.options]),
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(8 + message.length);
  const udp = Buffer.concat([Buffer.from([0, 68, port >> 8, port & 255]), length, Buffer.alloc(2), message]);
  const total = Buffer.alloc(2);
  total.writeUInt16BE(20 + udp.length);
  const header = [
    Buffer.from([0x45, 0]),
    total,
    Buffer.from([0, 0, 0, 0, 64, 17, 0, 0]),
    address(NONE),
    address('255.255.255.255'),
  ];
  return ethernet(mac, 0x0800, Buffer.concat([...header, udp]), vlan === undefined ? {} : { vlan });
}

export function pcapOf(frames: readonly Buffer[], { isLittle = true, magic = 0xa1b2c3d4, linkType = 1 } = {}): Buffer {
  const numbers = (...all: number[]) => {
    const buffer = Buffer.alloc(4 * all.length);
    all.forEach((each, i) => void (isLittle ? buffer.writeUInt32LE(each, 4 * i) : buffer.writeUInt32BE(each, 4 * i)));
    return buffer;
  };
  const records = frames.flatMap((frame) => [numbers(1_700_000_000, 5, frame.length, frame.length), frame]);
  return Buffer.concat([numbers(magic, isLittle ? 0x00040002 : 0x00020004, 0, 0, 600, linkType), ...records]);
}
