/** Limits unauthenticated connections to the broker, which every host can open: in time, and in number by address. */
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { networkOf } from '../functions/http/refusal-brake.ts';

interface HandshakeLimits {
  /** Limit of a TLS handshake, whatever the client sends. */
  withinMs: number;
  /** Simultaneous handshakes of one address; of the /64 for IPv6. */
  perAddress: number;
}

/**
 * Closes connections whose handshake times out, and the oldest of an address with too many: a handshake takes milliseconds,
 * so the oldest is a stalled one, and other clients of that address can still connect.
 */
export function boundHandshakes(server: Server, { withinMs, perAddress }: HandshakeLimits): void {
  /** By address, the oldest first. */
  const pending = new Map<string, Map<string, { socket: Socket; completed(): void }>>();
  server.on('connection', (socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const name = nameOf(socket);
    const own = pending.get(address) ?? new Map();
    pending.set(address, own);
    const late = setTimeout(() => socket.destroy(), withinMs);
    const completed = () => {
      clearTimeout(late);
      own.delete(name);
      if (own.size === 0 && pending.get(address) === own) pending.delete(address);
    };
    own.set(name, { socket, completed });
    socket.once('close', completed);
    if (own.size <= perAddress) return;
    const [oldest] = own.values();
    oldest?.completed();
    oldest?.socket.destroy();
  });
  server.on('secureConnection', (socket) => {
    const own = pending.get(networkOf(socket.remoteAddress ?? ''));
    own?.get(nameOf(socket))?.completed();
  });
}

/** Identifies a connection to one port; equal for the TCP socket and the TLS socket on it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
