/**
 * Questions of multicast DNS (RFC 6762) and what one responder answers. They are asked from a port of their own, so that
 * answers come back to it alone (section 6.7), and whatever else speaks mDNS on this host is not disturbed.
 */
import * as packet from 'dns-packet';
import { MAX_NAME_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToTell } from '../../shared/agent/fit-text.ts';
import type { Heard } from '../discovery/observations.ts';
import { SERVICE_TYPES, TEXT_KEYS } from './service-types.ts';

export const MDNS = { address: '224.0.0.251', port: 5353 };
const ENUMERATION = '_services._dns-sd._udp.local';

type QuestionType = 'PTR' | 'SRV' | 'TXT' | 'A';

interface MdnsQuestion {
  name: string;
  type: QuestionType;
}

/** Which services are there, and who offers those that are well known. */
export const FIRST_QUESTIONS: readonly MdnsQuestion[] = [ENUMERATION, ...SERVICE_TYPES.map(nameOfType)].map((name) => ({
  name,
  type: 'PTR',
}));

/** Who offers services of this type. */
export function typeQuestion(type: string): MdnsQuestion {
  return { name: nameOfType(type), type: 'PTR' };
}

/**
 * One question in each packet: Avahi repeats all questions in an answer of at most 512 bytes, and leaves out the records that
 * no longer fit.
 */
export function mdnsQuery(id: number, question: MdnsQuestion): Buffer {
  return packet.encode({ type: 'query', id, questions: [{ ...question, class: 'IN' }] });
}

/** Longest packet of mDNS (RFC 6762 section 17). */
const MAX_PACKET_BYTES = 9_000;
const MAX_RECORDS = 300;
const MAX_TYPES = 64;
const MAX_INSTANCES = 64;
const MAX_HOSTS = 32;
const MAX_HOST_ADDRESSES = 16;
const MAX_TEXTS = 128;
const MAX_TEXT_CHARACTERS = 160;
/** What is told of one device. */
const TOLD = { types: 12, instances: 10, instancesOfType: 2, texts: 16 };
/** Questions about one device beyond those to all. */
const MOST_FOLLOWING = 8;

interface Instance {
  type: string;
  label: string;
  full: string;
  /** The host name of its SRV record; null without one. */
  target: string | null;
  /** By the key of TEXT_KEYS; null when it has told no TXT record. */
  texts: Map<string, string> | null;
}

/** What one address has answered. Its size is bounded, however much that is. */
export class MdnsResponder {
  readonly #types = new Set<string>();
  readonly #instances = new Map<string, Instance>();
  readonly #hosts = new Map<string, Set<string>>();
  readonly #asked = new Set<string>();

  /** Takes a packet; of one that is malformed, the records that can be read. */
  take(datagram: Buffer): void {
    if (datagram.length > MAX_PACKET_BYTES) return;
    for (const record of recordsIn(datagram)) this.#takeRecord(record);
  }

  /** The types of services that it says to have. */
  get types(): ReadonlySet<string> {
    return this.#types;
  }

  /** What is still to be asked of it: each is given once. */
  following(): MdnsQuestion[] {
    const wanted = this.#sorted().flatMap((instance): MdnsQuestion[] => {
      const { type, full, target, texts, label } = instance;
      const questions: MdnsQuestion[] = [];
      if (type !== DEVICE_INFO && target === null) questions.push({ name: full, type: 'SRV' });
      if (target !== null && !this.#hosts.has(target.toLowerCase())) questions.push({ name: target, type: 'A' });
      if (texts === null) questions.push({ name: full, type: 'TXT' });
      // Nobody offers it, and so it is in no list.
      const information = `${label}.${nameOfType(DEVICE_INFO)}`;
      if (!this.#instances.has(information.toLowerCase())) questions.push({ name: information, type: 'TXT' });
      return questions;
    });
    const questions: MdnsQuestion[] = [];
    for (const question of wanted) {
      const key = `${question.type} ${question.name.toLowerCase()}`;
      if (this.#asked.has(key) || this.#asked.size >= MOST_FOLLOWING) continue;
      this.#asked.add(key);
      questions.push(question);
    }
    return questions;
  }

  /**
   * What the device says of itself, and its host name. What it says of others, as a proxy or a reflector does, is left out.
   * @param own the addresses of the device
   */
  said(own: ReadonlySet<string>): { heard: Heard[]; host: string | null } {
    const all = this.#sorted();
    const ofItself = all.filter(({ target }) => target !== null && this.#isOwn(target, own));
    const labels = new Set(ofItself.map(({ label }) => label));
    const speaksForOthers = [...this.#hosts.keys()].some((host) => !this.#isOwn(host, own));
    const believed = all.filter(
      (each) => ofItself.includes(each) || (each.type === DEVICE_INFO && (labels.has(each.label) || !speaksForOthers)),
    );
    const types = [...new Set(believed.map(({ type }) => type))].slice(0, TOLD.types);
    const instances = types
      .flatMap((type) => believed.filter((each) => each.type === type).slice(0, TOLD.instancesOfType))
      .slice(0, TOLD.instances);
    const texts = TEXT_KEYS.flatMap((key) =>
      types.flatMap((type) => {
        const text = believed.find((each) => each.type === type && each.texts !== null)?.texts?.get(key);
        return text === undefined ? [] : [{ type, key, text }];
      }),
    );
    // A printer says the same with each of its protocols.
    const isFirst = ({ key, text }: (typeof texts)[number], i: number) =>
      texts.findIndex((other) => other.key === key && other.text === text) === i;
    return {
      heard: [
        ...types.map((type) => ({ source: 'mdns-service' as const, value: type })),
        ...instances.map(({ type, label }) => ({ source: 'mdns-instance' as const, value: `${type} ${label}` })),
        ...texts
          .filter(isFirst)
          .slice(0, TOLD.texts)
          .map(({ type, key, text }) => ({ source: 'mdns-text' as const, value: `${type} ${key}=${text}` })),
      ],
      host: hostName(ofItself[0]?.target),
    };
  }

  #takeRecord(record: packet.Answer): void {
    if (record.type === 'PTR') {
      if (record.name.toLowerCase() === ENUMERATION) {
        const type = TYPE.exec(record.data)?.[1]?.toLowerCase();
        if (type !== undefined && this.#types.size < MAX_TYPES) this.#types.add(type);
      } else if (TYPE.test(record.name)) this.#instance(record.data);
      return;
    }
    if (record.type === 'SRV') {
      const instance = this.#instance(record.name);
      if (instance !== null) instance.target = record.data.target;
      return;
    }
    if (record.type === 'TXT') {
      const instance = this.#instance(record.name);
      if (instance !== null) instance.texts ??= textsOf(record.data);
      return;
    }
    if (record.type !== 'A' && record.type !== 'AAAA') return;
    const name = record.name.toLowerCase();
    const addresses = this.#hosts.get(name) ?? new Set();
    if (!this.#hosts.has(name) && this.#hosts.size >= MAX_HOSTS) return;
    this.#hosts.set(name, addresses);
    if (addresses.size < MAX_HOST_ADDRESSES) addresses.add(record.data.toLowerCase());
  }

  #instance(full: string): Instance | null {
    const key = full.toLowerCase();
    const known = this.#instances.get(key);
    if (known !== undefined) return known;
    const [, label, type] = INSTANCE.exec(full) ?? [];
    if (label === undefined || type === undefined || this.#instances.size >= MAX_INSTANCES) return null;
    const instance = { type: type.toLowerCase(), label, full, target: null, texts: null };
    this.#instances.set(key, instance);
    return instance;
  }

  /** Whether a host is the device itself, by all that is known: one whose address it does not tell is taken for it. */
  #isOwn(host: string, own: ReadonlySet<string>): boolean {
    const addresses = this.#hosts.get(host.toLowerCase());
    return addresses === undefined || [...addresses].some((address) => own.has(address));
  }

  /** The most telling first, in an order that does not depend on what came when. */
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

/**
 * The records of an answer. Each says how long it is, so that one which cannot be read costs only itself, and one that leads
 * beyond the end only what follows.
 */
function* recordsIn(datagram: Buffer): Generator<packet.Answer> {
  if (datagram.length < HEADER_BYTES || (datagram.readUInt8(2) & 0x80) === 0) return;
  const count = (at: number) => datagram.readUInt16BE(at);
  let at = HEADER_BYTES;
  for (let i = 0; i < count(4); i++) {
    const end = endOfName(datagram, at);
    if (end === null) return;
    at = end + 4;
  }
  const all = Math.min(count(6) + count(8) + count(10), MAX_RECORDS);
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
      // Such as a name that leads to itself.
    }
    at = next;
  }
}

/** Where a name ends that begins here, whatever it leads to; null when it never does. */
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
    const text = key === undefined ? null : fitToTell(value, MAX_TEXT_CHARACTERS);
    if (key !== undefined && text !== null && !texts.has(key)) texts.set(key, text);
  }
  return texts;
}

function hostName(target: string | null | undefined): string | null {
  const name = target?.replace(/\.$/, '') ?? '';
  return /^[^.].*\.local$/is.test(name) ? fitToTell(name, MAX_NAME_CHARACTERS) : null;
}
