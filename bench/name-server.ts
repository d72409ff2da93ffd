/** A name server on this host that answers at once, for measurements of look-ups. */
import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';

export const NAME = 'nas.bench.test';
const ADDRESS = [192, 0, 2, 20];
const HOST = '127.0.0.1';
const PORT = 53;

const TYPE_A = 1;
const HEADER_BYTES = 12;

/** @throws the error of the system when the port may not be used */
export async function startNameServer(): Promise<{ close(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => socket.send(answerTo(question), port, address));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(PORT, HOST, resolve);
  });
  return { close: () => socket.close() };
}

/** Sends the same two queries as the agent, without an agent. */
export async function lookUp(): Promise<void> {
  const resolver = new dns.Resolver();
  resolver.setServers([HOST]);
  await Promise.allSettled([resolver.resolve4(NAME), resolver.resolve6(NAME)]);
}

/** An address for every query of type A, and an empty answer for any other (RFC 1035, section 4.1). */
function answerTo(question: Buffer): Buffer {
  const nameEnds = question.indexOf(0, HEADER_BYTES);
  const type = question.readUInt16BE(nameEnds + 1);
  const asked = question.subarray(HEADER_BYTES, nameEnds + 5);
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2); // The id.
  header.writeUInt16BE(0x8580, 2); // A response, authoritative, with recursion.
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  // The name is a pointer to the question; then type A, class IN, an hour, four bytes.
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4, ...ADDRESS]);
  return Buffer.concat(type === TYPE_A ? [header, asked, record] : [header, asked]);
}
