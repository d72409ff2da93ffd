/**
 * Queries of multicast DNS (RFC 6762) and the responses of one host. Queries have a source port of their own, so that only
 * their responses arrive there (section 6.7), and other users of mDNS on this host are not disturbed.
 */
import * as packet from 'dns-packet';
import { MAX_NAME_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import type { Heard } from '../discovery/observations.ts';
import { SERVICE_TYPES, TEXT_KEYS } from './service-types.ts';

export const MDNS = { address: '224.0.0.251', port: 5353 };
const ENUMERATION = '_services._dns-sd._udp.local';

type QuestionType = 'PTR' | 'SRV' | 'TXT' | 'A';

interface MdnsQuestion {
  name: string;
  type: QuestionType;
}

/** Queries the instances of this type. */
export const typeQuestion = (type: string): MdnsQuestion => ({ name: nameOfType(type), type: 'PTR' });

/** Queries the types of services, and the instances of the well-known types. */
export const FIRST_QUESTIONS: readonly MdnsQuestion[] = [
  { name: ENUMERATION, type: 'PTR' },
  ...SERVICE_TYPES.map(typeQuestion),
];

/** One question per packet: Avahi repeats all in a response of at most 512 bytes, and omits what does not fit. */
export function mdnsQuery(id: number, question: MdnsQuestion): Buffer {
  return packet.encode({ type: 'query', id, questions: [{ ...question, class: 'IN' }] });
}

/** Of one responder. The longest packet of mDNS has 9,000 bytes (RFC 6762 section 17). */
const MAX = { packetBytes: 9_000, records: 300, types: 64, instances: 64, hosts: 32, hostAddresses: 16 };
const MAX_TEXTS = 128;
const MAX_TEXT_CHARACTERS = 160;
/** Reported of one device. */
const REPORTED = { types: 12, instances: 10, instancesOfType: 2, texts: 16 };
/** Queries to one device beyond the multicasts. */
const MAX_FOLLOW_UPS = 8;

interface Instance {
  type: string;
  label: string;
  full: string;
  /** The host name of its SRV record; null without one. */
  target: string | null;
  /** By the key of TEXT_KEYS; null without a TXT record. */
  texts: Map<string, string> | null;
}

/** The responses of one address. Its size is bounded, however many there are. */
export class MdnsResponder {
  readonly #types = new Set<string>();
  readonly #instances = new Map<string, Instance>();
  readonly #hosts = new Map<string, Set<string>>();
  readonly #queried = new Set<string>();

  /** Reads a packet; of a malformed one, the records that can be read. */
  read(datagram: Buffer): void {
    if (datagram.length > MAX.packetBytes) return;
    for (const record of recordsIn(datagram)) this.#takeRecord(record);
  }

  /** The service types that it announces. */
  get types(): ReadonlySet<string> {
    return this.#types;
  }

  /** The queries that are still open: each is returned once. */
  followUps(): MdnsQuestion[] {
    const wanted = this.#sorted().flatMap((instance): MdnsQuestion[] => {
      const { type, full, target, texts, label } = instance;
      const questions: MdnsQuestion[] = [];
      if (type !== DEVICE_INFO && target === null) questions.push({ name: full, type: 'SRV' });
      if (target !== null && !this.#hosts.has(target.toLowerCase())) questions.push({ name: target, type: 'A' });
      if (texts === null) questions.push({ name: full, type: 'TXT' });
      // No list of instances contains it.
      const information = `${label}.${nameOfType(DEVICE_INFO)}`;
      if (!this.#instances.has(information.toLowerCase())) questions.push({ name: information, type: 'TXT' });
      return questions;
    });
    const questions: MdnsQuestion[] = [];
    for (const question of wanted) {
      const key = `${question.type} ${question.name.toLowerCase()}`;
      if (this.#queried.has(key) || this.#queried.size >= MAX_FOLLOW_UPS) continue;
      this.#queried.add(key);
      questions.push(question);
    }
    return questions;
  }

  /** The observations of the device with these addresses, and its host name; not those of others, as from a proxy. */
  reply(own: ReadonlySet<string>): { heard: Heard[]; host: string | null } {
    const all = this.#sorted();
    const ofItself = all.filter(({ target }) => target !== null && this.#isOwn(target, own));
    const labels = new Set(ofItself.map(({ label }) => label));
    const isProxy = [...this.#hosts.keys()].some((host) => !this.#isOwn(host, own));
    const trusted = all.filter(
      (each) => ofItself.includes(each) || (each.type === DEVICE_INFO && (labels.has(each.label) || !isProxy)),
    );
    const types = [...new Set(trusted.map(({ type }) => type))].slice(0, REPORTED.types);
    const instances = types
      .flatMap((type) => trusted.filter((each) => each.type === type).slice(0, REPORTED.instancesOfType))
      .slice(0, REPORTED.instances);
    const texts = TEXT_KEYS.flatMap((key) =>
      types.flatMap((type) => {
        const text = trusted.find((each) => each.type === type && each.texts !== null)?.texts?.get(key);
        return text === undefined ? [] : [{ type, key, text }];
      }),
    );
    // A printer repeats its texts for each of its protocols.
    const isFirst = ({ key, text }: (typeof texts)[number], i: number) =>
      texts.findIndex((other) => other.key === key && other.text === text) === i;
    return {
      heard: [
        ...types.map((type) => ({ source: 'mdns-service' as const, value: type })),
        ...instances.map(({ type, label }) => ({ source: 'mdns-instance' as const, value: `${type} ${label}` })),
        ...texts
          .filter(isFirst)
          .slice(0, REPORTED.texts)
          .map(({ type, key, text }) => ({ source: 'mdns-text' as const, value: `${type} ${key}=${text}` })),
      ],
      host: hostName(ofItself[0]?.target),
    };
  }

  #takeRecord(record: packet.Answer): void {
    if (record.type === 'PTR') {
      if (record.name.toLowerCase() === ENUMERATION) {
        const type = TYPE.exec(record.data)?.[1]?.toLowerCase();
        if (type !== undefined && this.#types.size < MAX.types) this.#types.add(type);
      } else if (TYPE.test(record.name)) this.#instance(record.data);
      return;
    }
    if (record.type === 'SRV' || record.type === 'TXT') {
      const instance = this.#instance(record.name);
      if (instance !== null && record.type === 'SRV') instance.target = record.data.target;
      if (instance !== null && record.type === 'TXT') instance.texts ??= textsOf(record.data);
      return;
    }
    if (record.type !== 'A' && record.type !== 'AAAA') return;
    const name = record.name.toLowerCase();
    const addresses = this.#hosts.get(name) ?? new Set();
    if (!this.#hosts.has(name) && this.#hosts.size >= MAX.hosts) return;
    this.#hosts.set(name, addresses);
    if (addresses.size < MAX.hostAddresses) addresses.add(record.data.toLowerCase());
  }

  #instance(full: string): Instance | null {
    const key = full.toLowerCase();
    const known = this.#instances.get(key);
    if (known !== undefined) return known;
    const [, label, type] = INSTANCE.exec(full) ?? [];
    if (label === undefined || type === undefined || this.#instances.size >= MAX.instances) return null;
    const instance = { type: type.toLowerCase(), label, full, target: null, texts: null };
    this.#instances.set(key, instance);
    return instance;
  }

  /** Whether a host name is the device's own, by all that is known: one without an address counts as its own. */
  #isOwn(host: string, own: ReadonlySet<string>): boolean {
    const addresses = this.#hosts.get(host.toLowerCase());
    return addresses === undefined || [...addresses].some((address) => own.has(address));
  }

  /** The most specific first, in an order that does not depend on the order of the packets. */
  #sorted(): Instance[] {
    const rank = ({ type }: Instance) => RANKS.get(type) ?? RANKS.size;
    return [...this.#instances.values()].sort((a, b) => rank(a) - rank(b) || (a.full < b.full ? -1 : 1));
  }
}

declare module 'dns-packet' {
  const answer: { decode(datagram: Buffer, at: number): Answer };
  const name: { decode(datagram: Buffer, at: number): string };
}

const HEADER_BYTES = 12;
/** Type, class, time to live and length of data, behind the name of a record. */
const FIELDS_BYTES = 10;
const TXT = 16;
/** A, PTR, AAAA and SRV. Records of other types are passed over: many hosts add an NSEC, and some a malformed one. */
const DECODED = new Set([1, 12, 28, 33]);

/** The records of a response. An unreadable one costs only itself; one beyond the packet, those after it. */
function* recordsIn(datagram: Buffer): Generator<packet.Answer> {
  if (datagram.length < HEADER_BYTES || (datagram.readUInt8(2) & 0x80) === 0) return;
  const count = (at: number) => datagram.readUInt16BE(at);
  let at = HEADER_BYTES;
  for (let i = 0; i < count(4); i++) {
    const end = endOfName(datagram, at);
    if (end === null) return;
    at = end + 4;
  }
  const all = Math.min(count(6) + count(8) + count(10), MAX.records);
  for (let i = 0; i < all; i++) {
    const end = endOfName(datagram, at);
    if (end === null || end + FIELDS_BYTES > datagram.length) return;
    const [type, next] = [count(end), end + FIELDS_BYTES + count(end + 8)];
    if (next > datagram.length) return;
    try {
      if (DECODED.has(type)) yield packet.answer.decode(datagram.subarray(0, next), at);
      const data = datagram.subarray(end + FIELDS_BYTES, next);
      if (type === TXT) yield { type: 'TXT', name: packet.name.decode(datagram, at), data: stringsIn(data) };
    } catch {
      // Such as a name that points at itself.
    }
    at = next;
  }
}

/** Where the name at this offset ends, whatever it points at; null when it never does. */
function endOfName(datagram: Buffer, at: number): number | null {
  for (let length = datagram[at]; length !== undefined; length = datagram[at]) {
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    if (length > 63) return null;
    at += length + 1;
  }
  return null;
}

/** Up to one that would be longer than its record. */
function stringsIn(data: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 0, length = data[0]; length !== undefined && at + length < data.length; length = data[at]) {
    strings.push(data.subarray(at + 1, at + 1 + length));
    at += length + 1;
  }
  return strings;
}

const DEVICE_INFO = '_device-info._tcp';
const RANKS = new Map(SERVICE_TYPES.map((type, i) => [type, i]));
const TYPE = /^(_[a-z0-9-]{1,40}\._(?:tcp|udp))\.local\.?$/i;
const INSTANCE = /^([^_].*)\.(_[a-z0-9-]{1,40}\._(?:tcp|udp))\.local\.?$/is;

function nameOfType(type: string): string {
  return `${type}.local`;
}

const KEYS = new Map(TEXT_KEYS.map((key) => [key.toLowerCase(), key]));

/** The first of each key counts (RFC 6763 section 6.4). */
function textsOf(data: packet.TxtData): Map<string, string> {
  const texts = new Map<string, string>();
  const all = Array.isArray(data) ? data : [data];
  for (const each of all.slice(0, MAX_TEXTS)) {
    const [, name = '', value = ''] = /^([^=]{1,40})=(.*)$/s.exec(each.toString('utf8')) ?? [];
    const key = KEYS.get(name.toLowerCase());
    const text = key === undefined ? null : fitToReport(value, MAX_TEXT_CHARACTERS);
    if (key !== undefined && text !== null && !texts.has(key)) texts.set(key, text);
  }
  return texts;
}

function hostName(target: string | null | undefined): string | null {
  const name = target?.replace(/\.$/, '') ?? '';
  return /^[^.].*\.local$/is.test(name) ? fitToReport(name, MAX_NAME_CHARACTERS) : null;
}
