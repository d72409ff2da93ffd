/**
 * Finds devices without any right: a datagram to each address makes the kernel ask for its MAC, and the neighbour table
 * shows who has answered. What the device does with the datagram does not matter.
 */
import { createSocket, type Socket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence, ScanContext } from './evidence.ts';
import { isSign, isUndecided, type Neighbour, readNeighbours } from './neighbours.ts';

/** Discard, RFC 863. */
const PORT = 9;
/** More at once overflow the neighbour table, which has room for 1,024 entries. */
const ADDRESSES_IN_A_ROUND = 512;
/** A socket's buffer holds about 256 datagrams that wait for the MAC of their destination. */
const ADDRESSES_OF_A_SOCKET = 192;
/** The kernel asks three times, a second apart, before it gives up. */
const RESOLVED_AFTER_MS = 3_200;
/** What was known before is used for five seconds, and then asked for three times. */
const DECIDED_AFTER_MS = 8_500;
const SEND_WITHIN_MS = 2_000;

/** @throws {ToolFailure} when the neighbour table cannot be read */
export async function pokeAddresses(
  context: ScanContext,
  interfaceName: string,
  addresses: readonly string[],
  startedAt: number,
): Promise<Evidence[]> {
  const poked = new Set(addresses);
  const found = new Map<string, Evidence>();
  const read = async (): Promise<Neighbour[]> => {
    const families = [4, 6] as const;
    const wanted = families.filter((family) => addresses.some((ip) => ip.includes(':') === (family === 6)));
    const tables = await Promise.all(wanted.map((family) => readNeighbours(context, family, interfaceName, startedAt)));
    const neighbours = tables.flat().filter(({ ip }) => poked.has(ip));
    for (const neighbour of neighbours.filter(isSign)) found.set(`${neighbour.ip} ${neighbour.mac}`, neighbour);
    return neighbours;
  };
  let undecided: Neighbour[] = [];
  let pokedAt = performance.now();
  for (let from = 0; from < addresses.length; from += ADDRESSES_IN_A_ROUND) {
    if (context.signal.aborted) return [];
    await poke(addresses.slice(from, from + ADDRESSES_IN_A_ROUND), interfaceName);
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal, ref: false }).catch(() => {});
}

async function poke(addresses: readonly string[], interfaceName: string): Promise<void> {
  for (let from = 0; from < addresses.length; from += ADDRESSES_OF_A_SOCKET) {
    const some = addresses.slice(from, from + ADDRESSES_OF_A_SOCKET);
    await Promise.all([
      sendFrom(
        'udp4',
        some.filter((ip) => !ip.includes(':')),
      ),
      sendFrom(
        'udp6',
        some.filter((ip) => ip.includes(':')).map((ip) => withZone(ip, interfaceName)),
      ),
    ]);
  }
}

function withZone(ip: string, interfaceName: string): string {
  return /^fe[89ab]/i.test(ip) ? `${ip}%${interfaceName}` : ip;
}

/** One socket for these addresses. What cannot be sent is not found, and needs no further word. */
async function sendFrom(type: 'udp4' | 'udp6', addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  const socket = createSocket(type);
  socket.on('error', () => {});
  socket.unref();
  try {
    const sent = Promise.all(addresses.map((address) => send(socket, address)));
    await Promise.race([sent, sleep(SEND_WITHIN_MS, undefined, { ref: false })]);
    // Closed at once, datagrams that wait for a MAC are thrown away, and nobody is asked.
    setTimeout(() => socket.close(), RESOLVED_AFTER_MS).unref();
  } catch {
    socket.close();
  }
}

function send(socket: Socket, address: string): Promise<void> {
  return new Promise((resolve) => socket.send(Buffer.alloc(1), PORT, address, () => resolve()));
}
