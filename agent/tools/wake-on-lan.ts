/** Magic packets from every interface, without privileges or a default route; and whether the device wakes. */
import { createSocket } from 'node:dgram';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { isDeviceMac } from '../../shared/agent/discovery.ts';
import { formatIp, type Mac, parseIp, parseMac } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { describeProof, WATCH_MS } from '../../shared/tools/wake-on-lan.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { type AgentTool, invalid, notAllowed, Switch, type ToolAnswer, type ToolContext } from './tool.ts';
import { watchItWake } from './wake-watch.ts';

/** 9 is the usual port, 7 that of the oldest senders; some wake-up filters check the port. */
const PORTS = [9, 7];

type Packet = ToolResult<'wakeonlan'>['packets'][number];

/** A packet to send from the interface with the address `source`. */
interface PlannedPacket {
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
  check({ deny }, { mac, verify }) {
    if (deny.includes(mac)) return notAllowed(`The policy of this agent does not allow ${mac}`);
    if (verify !== undefined && !isDeviceMac(mac))
      return invalid(`${mac} is a group address, which no device answers for`);
    return null;
  },
  run: ({ mac, verify, ip }, context) =>
    verify === undefined ? wake(mac, context) : wakeAndVerify(mac, ip ?? null, context),
} satisfies AgentTool<'wakeonlan', typeof Rules>;

type WakeAnswer = ToolAnswer<ToolResult<'wakeonlan'>>;

async function wake(mac: Mac, context: ToolContext): Promise<WakeAnswer> {
  const printed = printer(context);
  const packets = await sendAll(mac, context, printed);
  return { output: printed.text, truncated: false, result: { mac, packets } };
}

interface Printed {
  text: string;
  line(text: string): void;
}

function printer({ onOutput }: Pick<ToolContext, 'onOutput'>): Printed {
  const printed: Printed = {
    text: '',
    line(text) {
      onOutput(`${text}\n`);
      printed.text += `${text}\n`;
    },
  };
  return printed;
}

/** @throws {ToolFailure} when no packet could be sent */
async function sendAll(mac: Mac, { signal }: Pick<ToolContext, 'signal'>, printed: Printed): Promise<Packet[]> {
  const payload = magicPacket(mac);
  const packets: Packet[] = [];
  for (const planned of planPackets(networkInterfaces())) {
    if (signal.aborted) throw new ToolFailure('cancelled', 'Wake-on-LAN was cancelled', { output: printed.text });
    const { interface: name, address, port } = planned;
    const packet = { interface: name, address, port, error: await send(payload, planned) };
    packets.push(packet);
    printed.line(describe(mac, packet));
  }
  if (!packets.some(({ error }) => error === null)) {
    const why = packets[0]?.error ?? 'no network interface is up';
    throw new ToolFailure('tool_failed', `No Wake-on-LAN packet could be sent: ${why}`, { output: printed.text });
  }
  return packets;
}

async function wakeAndVerify(mac: Mac, lastIp: string | null, context: ToolContext): Promise<WakeAnswer> {
  const { settings, signal, onProgress } = context;
  const watchMs = settings.wakeWatchMs ?? WATCH_MS;
  const printed = printer(context);
  const search = await settings.searchFor(mac, lastIp, context);
  let packets: Packet[] | null = null;
  const proof = await watchItWake(
    {
      now: () => performance.now(),
      scan: search.scan,
      async pause(ms) {
        await sleep(ms, undefined, { signal }).catch(() => {});
        if (signal.aborted) throw new ToolFailure('cancelled', 'Wake-on-LAN was cancelled');
      },
      async send(afterMs) {
        if (packets !== null) return printed.line(await sendAgain(mac, context, afterMs));
        packets = await sendAll(mac, context, printed);
      },
      watching(elapsedMs) {
        if (elapsedMs === 0) printed.line(`Watching ${search.where} for up to ${seconds(watchMs)}`);
        onProgress('watching', Math.min(100, Math.floor((100 * elapsedMs) / watchMs)));
      },
    },
    { watchMs, knowsAddress: search.knowsAddress },
  );
  if (proof === null) {
    const message =
      search.problem === null
        ? `no sign of it in ${seconds(watchMs)}`
        : `the packets were sent, but it cannot be seen whether it is awake: ${search.problem}`;
    printed.line(capitalized(message));
    throw new ToolFailure('tool_failed', message, { output: printed.text });
  }
  printed.line(capitalized(describeProof(proof)));
  return { output: printed.text, truncated: false, result: { mac, packets: packets ?? [], verified: proof } };
}

/** Resends the packets. @returns a line for the output, also for a failure: the first packets may suffice */
async function sendAgain(mac: Mac, context: ToolContext, afterMs: number): Promise<string> {
  try {
    await sendAll(mac, context, { text: '', line() {} });
    return `Sent the packets again after ${seconds(afterMs)}`;
  } catch (error) {
    if (!(error instanceof ToolFailure) || context.signal.aborted) throw error;
    return `After ${seconds(afterMs)}: ${error.message}`;
  }
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Six bytes 0xFF, then the MAC address sixteen times. */
export function magicPacket(mac: string): Buffer {
  const address = Buffer.from(mac.replaceAll(':', ''), 'hex');
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array<Buffer>(16).fill(address)]);
}

/**
 * The packets to every neighbour of this host: for each IPv4 address to the broadcast address of its subnet and to
 * 255.255.255.255, for each IPv6 link-local address to all nodes of that link.
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
  // Addresses of one interface share destinations: deduplicated.
  const unique = new Map(planned.map((packet) => [`${packet.interface} ${packet.address} ${packet.port}`, packet]));
  return [...unique.values()];
}

function destinations(zone: string, { family, address, netmask }: NetworkInterfaceInfo): string[] {
  if (family === 'IPv6') return /^fe[89ab]/i.test(address) ? [`ff02::1%${zone}`] : [];
  const directed = broadcastAddress(address, netmask);
  return directed === null ? ['255.255.255.255'] : [directed, '255.255.255.255'];
}

/** An IPv6 link-local address needs its interface as the zone. */
function sourceOf(zone: string, { family, address }: NetworkInterfaceInfo): string {
  return family === 'IPv6' ? `${address.split('%')[0]}%${zone}` : address;
}

/** The last address of the subnet; null in a /31 (RFC 3021) and a /32, which have no broadcast address. */
export function broadcastAddress(address: string, netmask: string): string | null {
  const own = parseIp(address);
  const mask = parseIp(netmask);
  if (own?.family !== 4 || mask?.family !== 4) return null;
  const hostBits = mask.value ^ 0xffffffffn;
  return hostBits <= 1n ? null : formatIp({ family: 4, value: own.value | hostBits, zone: null });
}

/** Returns null, or why it failed. The bound source address also selects the interface. */
function send(payload: Buffer, { source, address, port }: PlannedPacket): Promise<string | null> {
  return new Promise((resolve) => {
    const ipv6 = source.includes(':');
    const socket = createSocket(ipv6 ? 'udp6' : 'udp4');
    const end = (error: Error | null) => {
      clearTimeout(limit);
      try {
        socket.close();
      } catch {
        // Already closed: an error may be reported twice, by the callback and by the event.
      }
      resolve(error?.message ?? null);
    };
    // Sending to a local interface takes microseconds: after two seconds, the socket is stuck.
    const limit = setTimeout(() => end(new Error('the packet was not sent in time')), 2_000);
    socket.on('error', end);
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
