/**
 * Connections to the broker that have shown no certificate yet. Anybody can open them, so they are bounded in time, and in
 * number by address.
 */
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { networkOf } from '../functions/http/refusal-brake.ts';

interface HandshakeLimits {
  /** How long a TLS handshake may take, whatever the client sends meanwhile. */
  withinMs: number;
  /** Handshakes of one address at a time; of the /64 for IPv6. */
  perAddress: number;
}

/**
 * Ends connections that do not complete their handshake in time, and the oldest of an address that has too many under way: a
 * handshake takes milliseconds, so that is one that says nothing, and others of that address still come in.
 */
export function boundHandshakes(server: Server, { withinMs, perAddress }: HandshakeLimits): void {
  /** By address, the oldest first. */
  const underWay = new Map<string, Map<string, { socket: Socket; completed(): void }>>();
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const name = nameOf(socket);
    const own = underWay.get(address) ?? new Map();
    underWay.set(address, own);
    const late = setTimeout(() => socket.destroy(), withinMs);
    const completed = () => {
      clearTimeout(late);
      own.delete(name);
      if (own.size === 0 && underWay.get(address) === own) underWay.delete(address);
    };
    own.set(name, { socket, completed });
    socket.once('close', completed);
    if (own.size <= perAddress) return;
    const [oldest] = own.values();
    oldest?.completed();
    oldest?.socket.destroy();
  });
  server.on('secureConnection', (socket) => {
    underWay
      .get(networkOf(socket.remoteAddress ?? ''))
      ?.get(nameOf(socket))
      ?.completed();
  });
}

/** Tells connections to one port apart; the same for the socket of TCP and that of TLS on it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
