/**
 * Finds devices without privileges: a datagram to each address makes the kernel resolve its MAC, and the neighbour table shows
 * which ones answered. How the device handles the datagram does not matter.
 */
import { createSocket, type Socket } from 'node:dgram';
import { type Evidence, isLinkLocal, pause, type ScanContext } from './evidence.ts';
import { isSign, isUndecided, type Neighbour, readNeighbours } from './neighbours.ts';

/** Discard, RFC 863. */
const PORT = 9;
/** More at once overflow the neighbour table, which has room for 1,024 entries. */
const ADDRESSES_IN_A_ROUND = 512;
/** A socket's buffer holds about 256 datagrams that wait for the MAC of their destination. */
const ADDRESSES_OF_A_SOCKET = 192;
/** The kernel sends three requests, a second apart, before it gives up. */
const RESOLVED_AFTER_MS = 3_200;
/** It uses a stale entry for five seconds, and then sends three requests. */
const DECIDED_AFTER_MS = 8_500;

/** @throws {ToolFailure} when the neighbour table cannot be read */
export async function pokeAddresses(context: ScanContext, name: string, ips: readonly string[], startedAt: number) {
  const poked = new Set(ips);
  const found = new Map<string, Evidence>();
  const read = async (): Promise<Neighbour[]> => {
    const families = [4, 6] as const;
    const wanted = families.filter((family) => ips.some((ip) => ip.includes(':') === (family === 6)));
    const tables = await Promise.all(wanted.map((family) => readNeighbours(context, family, name, startedAt)));
    const neighbours = tables.flat().filter(({ ip }) => poked.has(ip));
    for (const neighbour of neighbours.filter(isSign)) found.set(`${neighbour.ip} ${neighbour.mac}`, neighbour);
    return neighbours;
  };
  let undecided: Neighbour[] = [];
  let pokedAt = performance.now();
  for (let from = 0; from < ips.length; from += ADDRESSES_IN_A_ROUND) {
    if (context.signal.aborted) return [];
    await poke(ips.slice(from, from + ADDRESSES_IN_A_ROUND), name);
    pokedAt = performance.now();
    await pause(RESOLVED_AFTER_MS, context.signal);
    undecided = (await read()).filter(isUndecided);
  }
  if (undecided.length > 0) {
    await pause(pokedAt + DECIDED_AFTER_MS - performance.now(), context.signal);
    await read();
  }
  return [...found.values()];
}

async function poke(addresses: readonly string[], interfaceName: string): Promise<void> {
  for (let from = 0; from < addresses.length; from += ADDRESSES_OF_A_SOCKET) {
    const some = addresses.slice(from, from + ADDRESSES_OF_A_SOCKET);
    const [ipv4, ipv6] = [some.filter((ip) => !ip.includes(':')), some.filter((ip) => ip.includes(':'))];
    const withZones = ipv6.map((ip) => (isLinkLocal(ip) ? `${ip}%${interfaceName}` : ip));
    await Promise.all([sendFrom('udp4', ipv4), sendFrom('udp6', withZones)]);
  }
}

/** One socket for these addresses. Those to which it cannot send are simply not found. */
async function sendFrom(type: 'udp4' | 'udp6', addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  const socket = createSocket(type);
  socket.on('error', () => {});
  socket.unref();
  try {
    const sent = Promise.all(addresses.map((address) => send(socket, address)));
    await Promise.race([sent, pause(2_000)]); // The deadline of sending.
    // Closed at once, it would drop the datagrams that wait for a MAC, and the kernel would resolve nothing.
    setTimeout(() => socket.close(), RESOLVED_AFTER_MS).unref();
  } catch {
    socket.close();
  }
}

function send(socket: Socket, address: string): Promise<void> {
  return new Promise((resolve) => socket.send(Buffer.alloc(1), PORT, address, () => resolve()));
}
