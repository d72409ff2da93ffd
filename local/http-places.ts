/** Places for connections to the HTTP server: anybody can open them, so they are bounded in number, for each address as well. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../functions/http/refusal-brake.ts';

export interface PlaceLimits {
  /** All connections at a time. */
  maxConnections: number;
  /** Those of one address; of the /64 for IPv6. */
  perAddress: number;
  /** How long a new connection may say nothing. */
  firstByteMs: number;
  /** Whether an address is that of a proxy, behind which there are many clients. */
  isProxy(address: string): boolean;
}

/**
 * When an address, or all of them together, have too many connections, the oldest one without a request under way makes room;
 * a new one is refused only where each of them has one. One that says nothing at all is closed soon.
 */
export function boundPlaces(server: Server, { maxConnections, perAddress, firstByteMs, isProxy }: PlaceLimits): void {
  /** The oldest first, with how many requests of each are under way. */
  const places = new Map<Socket, number>();
  const byAddress = new Map<string, Set<Socket>>();

  server.on('connection', (socket) => {
    const from = socket.remoteAddress ?? '';
    const address = networkOf(from);
    const own = byAddress.get(address) ?? new Set();
    byAddress.set(address, own.add(socket));
    places.set(socket, 0);
    const silent = setTimeout(() => socket.bytesRead === 0 && socket.destroy(), firstByteMs).unref();
    socket.once('close', () => {
      clearTimeout(silent);
      places.delete(socket);
      own.delete(socket);
      if (own.size === 0) byAddress.delete(address);
    });
    if (own.size > perAddress && !isProxy(from)) makeRoom(own, socket);
    else if (places.size > maxConnections) makeRoom(places.keys(), socket);
  });
  const count = ({ socket }: IncomingMessage, response: ServerResponse) => {
    places.set(socket, (places.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const underWay = places.get(socket);
      if (underWay !== undefined) places.set(socket, underWay - 1);
    });
  };
  server.on('request', count);
  server.on('checkExpectation', count);

  function makeRoom(among: Iterable<Socket>, latest: Socket): void {
    for (const socket of among) {
      if (places.get(socket) !== 0 && socket !== latest) continue;
      // Its place is free at once, and not only when the system has closed it.
      places.delete(socket);
      byAddress.get(networkOf(socket.remoteAddress ?? ''))?.delete(socket);
      return void socket.destroy();
    }
  }
}
