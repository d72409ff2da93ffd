/** Wake-on-LAN: magic packets out of every interface of this host. Needs no privileges and no default route. */
import { createSocket } from 'node:dgram';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import * as z from 'zod';
import { formatIp, type Mac, parseIp, parseMac } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { type AgentTool, notAllowed, Switch, type ToolAnswer, type ToolContext } from './tool.ts';

/** 9 is what most senders use, 7 what the oldest ones did; some wake-up filters look at the port. */
const PORTS = [9, 7];
/** Sending to a local interface takes microseconds; a socket that takes longer is stuck. */
const SEND_LIMIT_MS = 2_000;

type Packet = ToolResult<'wakeonlan'>['packets'][number];

/** One packet to be sent: out of the interface that has the address `source`. */
export interface PlannedPacket {
  interface: string;
  source: string;
  address: string;
  port: number;
}

const DeniedMac = z.string().transform((text, context): string => {
  const mac = parseMac(text);
  if (mac !== null) return mac;
  context.addIssue({ code: 'custom', message: 'expected a MAC address such as 00:1E:06:AA:BB:CC' });
  return z.NEVER;
});
const Rules = Switch.extend({ deny: z.array(DeniedMac).max(1000).default([]) });

export const wakeOnLan = {
  rules: Rules,
  check: ({ deny }, { mac }) =>
    deny.includes(mac) ? notAllowed(`The policy of this agent does not allow ${mac}`) : null,
  run: ({ mac }, context) => wake(mac, context),
} satisfies AgentTool<'wakeonlan', typeof Rules>;

async function wake(mac: Mac, { signal, onOutput }: ToolContext): Promise<ToolAnswer<ToolResult<'wakeonlan'>>> {
  const payload = magicPacket(mac);
  const packets: Packet[] = [];
  let output = '';
  for (const planned of planPackets(networkInterfaces())) {
    if (signal.aborted) throw new ToolFailure('cancelled', 'Wake-on-LAN was cancelled', { output });
    const { interface: name, address, port } = planned;
    const packet = { interface: name, address, port, error: await send(payload, planned) };
    packets.push(packet);
    const line = `${describe(mac, packet)}\n`;
    onOutput(line);
    output += line;
  }
  if (!packets.some(({ error }) => error === null)) {
    const why = packets[0]?.error ?? 'no network interface is up';
    throw new ToolFailure('tool_failed', `No Wake-on-LAN packet could be sent: ${why}`, { output });
  }
  return { output, truncated: false, result: { mac, packets } };
}

/** Six bytes of ones, then sixteen times the MAC. */
export function magicPacket(mac: string): Buffer {
  const address = Buffer.from(mac.replaceAll(':', ''), 'hex');
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array<Buffer>(16).fill(address)]);
}

/**
 * Which packets reach every neighbour of this host: for each IPv4 address the broadcast address of its subnet and
 * 255.255.255.255, for each IPv6 link-local address all nodes of that link.
 */
export function planPackets(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): PlannedPacket[] {
  const planned = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal }) => !internal)
      .flatMap((info) =>
        destinations(name, info).flatMap((address) =>
          PORTS.map((port) => ({ interface: name, source: sourceOf(name, info), address, port })),
        ),
      ),
  );
  // Several addresses on one interface share destinations; each needs one packet only.
  const unique = new Map(planned.map((packet) => [`${packet.interface} ${packet.address} ${packet.port}`, packet]));
  return [...unique.values()];
}

function destinations(name: string, { family, address, netmask }: NetworkInterfaceInfo): string[] {
  if (family === 'IPv6') return /^fe[89ab]/i.test(address) ? [`ff02::1%${name}`] : [];
  const directed = broadcastAddress(address, netmask);
  return directed === null ? ['255.255.255.255'] : [directed, '255.255.255.255'];
}

/** A link-local IPv6 address says nothing without its interface. */
function sourceOf(name: string, { family, address }: NetworkInterfaceInfo): string {
  return family === 'IPv6' ? `${address.split('%')[0]}%${name}` : address;
}

/** The last address of the subnet; null where there is no broadcast address, in a /31 (RFC 3021) and a /32. */
export function broadcastAddress(address: string, netmask: string): string | null {
  const own = parseIp(address);
  const mask = parseIp(netmask);
  if (own?.family !== 4 || mask?.family !== 4) return null;
  const hostBits = mask.value ^ 0xffffffffn;
  return hostBits <= 1n ? null : formatIp({ family: 4, value: own.value | hostBits, zone: null });
}

/** Sends one packet; null, or why it did not leave. Bound to the source address, which also chooses the interface. */
function send(payload: Buffer, { source, address, port }: PlannedPacket): Promise<string | null> {
  return new Promise((resolve) => {
    const ipv6 = source.includes(':');
    const socket = createSocket(ipv6 ? 'udp6' : 'udp4');
    const end = (error: Error | null) => {
      clearTimeout(limit);
      try {
        socket.close();
      } catch {
        // Closed already: an error may be told twice, by the callback and by the event.
      }
      resolve(error?.message ?? null);
    };
    const limit = setTimeout(() => end(new Error('the socket took too long')), SEND_LIMIT_MS);
    socket.once('error', end);
    socket.bind({ address: source, port: 0 }, () => {
      try {
        if (!ipv6) socket.setBroadcast(true);
        socket.send(payload, port, address, end);
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

function describe(mac: string, { interface: name, address, port, error }: Packet): string {
  const destination = `${mac} via ${name} ${address.includes(':') ? `[${address}]` : address}:${port}`;
  return error === null ? `Sent magic packet to ${destination}` : `Not sent to ${destination}: ${error}`;
}
