/** Asks for an address by DHCP as a device does that has none yet (RFC 2131): discover, offer, request, acknowledgement. */
import { createSocket } from 'node:dgram';
import type { HomeHost } from './terms.ts';

const [DISCOVER, OFFER, REQUEST, ACK] = [1, 2, 3, 5];
const TRY_EVERY_MS = 1_000;

export async function askForAddress(host: HomeHost): Promise<string> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(68, '0.0.0.0', resolve));
  socket.setBroadcast(true);
  const id = Buffer.from(host.mac.replaceAll(':', ''), 'hex').subarray(2);
  let next = message(host, id, DISCOVER, []);
  const send = () => socket.send(next, 67, '255.255.255.255');
  return new Promise((resolve) => {
    const timer = setInterval(send, TRY_EVERY_MS);
    socket.on('message', (answer) => {
      if (answer[0] !== 2 || !answer.subarray(4, 8).equals(id)) return;
      const type = option(answer, 53)?.[0];
      const offered = answer.subarray(16, 20);
      if (type === OFFER) {
        const server = option(answer, 54) ?? Buffer.alloc(4);
        next = message(host, id, REQUEST, [50, 4, ...offered, 54, 4, ...server]);
        send();
      }
      if (type !== ACK) return;
      clearInterval(timer);
      socket.close();
      resolve(offered.join('.'));
    });
    send();
  });
}

function message({ mac, dhcp }: HomeHost, id: Buffer, type: number, more: readonly number[]): Buffer {
  const address = Buffer.from(mac.replaceAll(':', ''), 'hex');
  const text = (code: number, value: string | undefined) =>
    value === undefined ? [] : [code, Buffer.byteLength(value), ...Buffer.from(value)];
  const asked = dhcp?.options ?? [];
  // Answers are wanted as broadcasts: a socket without an address gets no others.
  const fixed = Buffer.concat([
    Buffer.from([1, 1, 6, 0, ...id, 0, 0, 0x80, 0]),
    Buffer.alloc(16),
    address,
    Buffer.alloc(202),
  ]);
  const options = [
    ...[53, 1, type],
    ...[61, 7, 1, ...address],
    ...more,
    ...text(12, dhcp?.name),
    ...text(60, dhcp?.class),
    ...[55, asked.length, ...asked],
    255,
  ];
  return Buffer.concat([fixed, Buffer.from([0x63, 0x82, 0x53, 0x63, ...options])]);
}

function option(message: Buffer, wanted: number): Buffer | null {
  for (let at = 240; at < message.length && message[at] !== 255; ) {
    if (message[at] === 0) at++;
    else {
      const length = message[at + 1] ?? 0;
      if (message[at] === wanted) return message.subarray(at + 2, at + 2 + length);
      at += 2 + length;
    }
  }
  return null;
}
