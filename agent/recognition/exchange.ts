/** A socket that sends queries to all hosts of a link and receives a bounded number of responses. */
import { createSocket } from 'node:dgram';

/** Packets and bytes read in one exchange; the rest is dropped unread. */
const MAX = { packets: 4_000, bytes: 4_000_000 };
/** The same for one address. */
const MAX_OF_ONE = { packets: 128, bytes: 256_000 };
/** More than the neighbours of any host send: beyond this, the socket closes. */
const MAX_RECEIVED = 20_000;

interface ExchangeOptions {
  /** The address of this host on the link. */
  address: string;
  /** The TTL of its multicasts. */
  hops: number;
  /** Whether to read packets of this address. */
  isWanted(address: string): boolean;
  /** Called with each packet that it reads. Must not throw. */
  onPacket(address: string, datagram: Buffer): void;
}

/** Null when this host no longer has the address. */
export async function openExchange({ address, hops, isWanted, onPacket }: ExchangeOptions) {
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
    if (++received >= MAX_RECEIVED) close();
    if (!isOpen || !isWanted(from)) return;
    const one = byAddress.get(from) ?? { packets: 0, bytes: 0 };
    byAddress.set(from, one);
    const isFull = (count: typeof all, max: typeof all) =>
      count.packets >= max.packets || count.bytes + datagram.length > max.bytes;
    if (isFull(all, MAX) || isFull(one, MAX_OF_ONE)) return;
    for (const count of [all, one]) {
      count.packets++;
      count.bytes += datagram.length;
    }
    onPacket(from, datagram);
  });
  const isBound = await new Promise<boolean>((resolve) => {
    // Later errors too: an interface that goes down needs no report here.
    socket.on('error', () => resolve(false));
    socket.bind({ address, port: 0 }, () => resolve(true));
  });
  try {
    if (!isBound) throw new Error('the address is gone');
    socket.setMulticastInterface(address);
    socket.setMulticastTTL(hops);
  } catch {
    close();
    return null;
  }
  socket.unref();
  return {
    close,
    /** Never fails: a packet that cannot be sent gets no response. */
    send: (datagram: Buffer, to: { address: string; port: number }) =>
      new Promise<void>((resolve) => {
        if (isOpen) socket.send(datagram, to.port, to.address, () => resolve());
        else resolve();
      }),
  };
}
