/** Limits the number of connections to the HTTP server, which every host can open, in total and for each address. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../functions/http/refusal-brake.ts';

export interface PlaceLimits {
  /** All connections at a time. */
  maxConnections: number;
  /** Those of one address; of the /64 for IPv6. */
  perAddress: number;
  /** Limit for the first byte of a new connection. */
  firstByteMs: number;
  /** Whether an address is that of a proxy, with many clients. */
  isProxy(address: string): boolean;
}

/**
 * Beyond a limit, closes the oldest connection without a request in flight; the new one only if every other has one. Closes
 * connections that send nothing.
 */
export function boundPlaces(server: Server, { maxConnections, perAddress, firstByteMs, isProxy }: PlaceLimits): void {
  /** The oldest first, with the number of requests in flight of each. */
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
      const inFlight = places.get(socket);
      if (inFlight !== undefined) places.set(socket, inFlight - 1);
    });
  };
  server.on('request', count);
  server.on('checkExpectation', count);

  function makeRoom(among: Iterable<Socket>, latest: Socket): void {
    for (const socket of among) {
      if (places.get(socket) !== 0 && socket !== latest) continue;
      // Frees its place now, and not only when the system has closed it.
      places.delete(socket);
      byAddress.get(networkOf(socket.remoteAddress ?? ''))?.delete(socket);
      return void socket.destroy();
    }
  }
}
