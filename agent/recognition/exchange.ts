/** A socket from which a question goes to all hosts of a link, and to which a bounded number of answers come. */
import { createSocket } from 'node:dgram';

/** What is looked at, in one exchange. The rest is dropped unread. */
const MOST = { packets: 4_000, bytes: 4_000_000 };
/** Of one address. */
const MOST_OF_ONE = { packets: 128, bytes: 256_000 };
/** Nobody has so many neighbours: beyond this, nothing more is received. */
const MOST_RECEIVED = 20_000;

interface ExchangeOptions {
  /** The address of this host on the link. */
  address: string;
  /** How far its packets to all hosts go. */
  hops: number;
  /** Whether packets of this address are looked at. */
  isWanted(address: string): boolean;
  /** Called with each packet that is looked at. Must not throw. */
  onPacket(address: string, datagram: Buffer): void;
}

interface Exchange {
  /** Never fails: what cannot be sent is not answered. */
  send(datagram: Buffer, to: { address: string; port: number }): Promise<void>;
  close(): void;
}

/** Null when this host does not have the address any more. */
export async function openExchange({ address, hops, isWanted, onPacket }: ExchangeOptions): Promise<Exchange | null> {
  const socket = createSocket('udp4');
  let isOpen = true;
  const close = () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  let received = 0;
  const all = { packets: 0, bytes: 0 };
  const byAddress = new Map<string, { packets: number; bytes: number }>();
  socket.on('message', (datagram, { address: from }) => {
    if (++received >= MOST_RECEIVED) close();
    if (!isOpen || !isWanted(from)) return;
    const one = byAddress.get(from) ?? { packets: 0, bytes: 0 };
    byAddress.set(from, one);
    for (const [count, most] of [
      [all, MOST],
      [one, MOST_OF_ONE],
    ] as const) {
      if (count.packets >= most.packets || count.bytes + datagram.length > most.bytes) return;
    }
    for (const count of [all, one]) {
      count.packets++;
      count.bytes += datagram.length;
    }
    onPacket(from, datagram);
  });
  const isBound = await new Promise<boolean>((resolve) => {
    // Also later: a network that goes down is no news here.
    socket.on('error', () => resolve(false));
    socket.bind({ address, port: 0 }, () => resolve(true));
  });
  try {
    if (!isBound) throw new Error('the address is not there');
    socket.setMulticastInterface(address);
    socket.setMulticastTTL(hops);
  } catch {
    close();
    return null;
  }
  socket.unref();
  return {
    close,
    send: (datagram, to) =>
      new Promise((resolve) => {
        if (isOpen) socket.send(datagram, to.port, to.address, () => resolve());
        else resolve();
      }),
  };
}
