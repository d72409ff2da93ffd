/** Answers mDNS questions (RFC 6762, RFC 6763) about one host and its services, and announces them. */
import { createSocket } from 'node:dgram';
import * as packet from 'dns-packet';
import type { HomeHost } from './terms.ts';

const GROUP = '224.0.0.251';
const PORT = 5353;
const TTL = 120;
const ANNOUNCE_AGAIN_MS = 1_000;

export async function answerMdns({ ipv4, mdns }: HomeHost): Promise<void> {
  if (mdns === undefined) return;
  const records = recordsOf(ipv4, mdns);
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(PORT, resolve));
  socket.addMembership(GROUP, ipv4);
  socket.setMulticastInterface(ipv4);
  socket.setMulticastTTL(255);
  socket.on('message', (datagram, from) => {
    const query = decode(datagram);
    if (query === null || query.type === 'response') return;
    const questions = query.questions ?? [];
    const answers = records.filter((record) => questions.some((question) => isAbout(record, question)));
    if (answers.length === 0) return;
    const additionals = withThem(records, answers);
    const isLegacy = from.port !== PORT;
    // The top bit of the class asks for an answer to the asker alone; the decoder has no other name for it.
    const wantsUnicast = questions.some((question) => String(question.class).startsWith('UNKNOWN_'));
    const answer = packet.encode({
      type: 'response',
      id: isLegacy ? (query.id ?? 0) : 0,
      flags: packet.AUTHORITATIVE_ANSWER,
      ...(isLegacy ? { questions } : {}),
      answers,
      additionals,
    });
    if (isLegacy || wantsUnicast) socket.send(answer, from.port, from.address);
    else socket.send(answer, PORT, GROUP);
  });
  const announce = () =>
    socket.send(packet.encode({ type: 'response', flags: packet.AUTHORITATIVE_ANSWER, answers: records }), PORT, GROUP);
  announce();
  setTimeout(announce, ANNOUNCE_AGAIN_MS);
}

function recordsOf(ipv4: string, { host, services }: NonNullable<HomeHost['mdns']>): packet.Answer[] {
  const name = `${host}.local`;
  const reverse = `${ipv4.split('.').reverse().join('.')}.in-addr.arpa`;
  return [
    { type: 'A', name, ttl: TTL, data: ipv4 },
    { type: 'PTR', name: reverse, ttl: TTL, data: name },
    ...services.flatMap(({ type, instance, port, text }): packet.Answer[] => {
      const full = `${instance}.${type}.local`;
      return [
        { type: 'PTR', name: '_services._dns-sd._udp.local', ttl: TTL, data: `${type}.local` },
        { type: 'PTR', name: `${type}.local`, ttl: TTL, data: full },
        // `_device-info` is a record of its own, without a service.
        ...(port === 0
          ? []
          : [{ type: 'SRV', name: full, ttl: TTL, data: { port, target: name } } as packet.SrvAnswer]),
        { type: 'TXT', name: full, ttl: TTL, data: text.length === 0 ? [''] : [...text] },
      ];
    }),
  ];
}

function isAbout(record: packet.Answer, question: packet.Question): boolean {
  const sameType = record.type === question.type || (question.type as string) === 'ANY';
  return sameType && 'name' in record && record.name.toLowerCase() === question.name.toLowerCase();
}

/** What else is told unasked (RFC 6763 section 12): the records of an instance with its name, the address of its host. */
function withThem(records: readonly packet.Answer[], answers: readonly packet.Answer[]): packet.Answer[] {
  const instances = answers.flatMap((answer) =>
    answer.type === 'PTR' && answer.name.startsWith('_') ? [answer.data] : [],
  );
  const told = records.filter((record) => 'name' in record && record.type !== 'PTR' && instances.includes(record.name));
  const needsHost = [...answers, ...told].some(({ type }) => type === 'SRV');
  const all = [...told, ...(needsHost ? records.filter(({ type }) => type === 'A') : [])];
  return all.filter((record) => !answers.includes(record));
}

function decode(datagram: Buffer): packet.DecodedPacket | null {
  try {
    return packet.decode(datagram);
  } catch {
    return null;
  }
}
