/** Asks all hosts of a link what they are, by mDNS and SSDP, within five seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { IpRange } from '../../shared/network.ts';
import type { Heard } from '../discovery/observations.ts';
import { openExchange } from './exchange.ts';
import { FIRST_QUESTIONS, MDNS, MdnsResponder, mdnsQuery, typeQuestion } from './mdns.ts';
import { SERVICE_TYPES } from './service-types.ts';
import { SSDP, SSDP_SEARCH, SSDP_WAIT_S, SsdpResponder } from './ssdp.ts';
import { getDescription, ownUrl, saidIn } from './upnp-description.ts';

/** A device from which answers are expected. */
export interface Askable {
  mac: string;
  /** All addresses by which it is known. */
  addresses: ReadonlySet<string>;
  /** Whether the description of its UPnP is wanted. */
  describe: boolean;
}

/** What a device has said. */
export interface Said {
  heard: Heard[];
  /** Its host name by mDNS. */
  host: string | null;
  /** Whether it has given a description of UPnP. */
  isDescribed: boolean;
}

export interface LinkToAsk {
  /** The address of this host on the link. */
  address: string;
  networks: readonly IpRange[];
  /** The device at each address that exactly one has. Of nobody else anything is taken. */
  devices: ReadonlyMap<string, Askable>;
  /** Where hosts are reached; elsewhere in tests. */
  mdns?: { address: string; port: number };
  ssdp?: { address: string; port: number };
  signal: AbortSignal;
}

/** Packets to all hosts are not sent in one burst, which access points drop. */
const BETWEEN_QUESTIONS_MS = 10;
/** When those who have answered are asked for more, from the end of the questions before. */
const FOLLOWING_AFTER_MS = [900, 800];
const ANSWERED_WITHIN_MS = 700;
/** Types of services beyond those that are well known. */
const MOST_FURTHER_TYPES = 24;
/** Questions to single devices. */
const MOST_FOLLOWING = 256;
const SEARCH_AGAIN_AFTER_MS = 500;
const SSDP_ENDS_AFTER_MS = SSDP_WAIT_S * 1_000 + 300;
const DESCRIPTIONS_WITHIN_MS = 2_000;
const DESCRIPTIONS_AT_ONCE = 8;
/** Of one device. */
const MOST_DESCRIPTIONS = 3;
/** Packets of mDNS have the highest (RFC 6762 section 11), those of UPnP two by default. */
const HOPS = { mdns: 255, ssdp: 2 };

/** What the devices of a link have said, by MAC. Never fails: where nobody can be asked, nobody has said anything. */
export async function askLink(link: LinkToAsk): Promise<Map<string, Said>> {
  const [mdns, ssdp] = await Promise.all([askMdns(link), askSsdp(link)]);
  const said = new Map<string, Said>();
  for (const answers of [mdns, ssdp]) {
    for (const [mac, one] of answers) {
      const before = said.get(mac) ?? { heard: [], host: null, isDescribed: false };
      said.set(mac, {
        heard: [...before.heard, ...one.heard],
        host: before.host ?? one.host,
        isDescribed: before.isDescribed || one.isDescribed,
      });
    }
  }
  return said;
}

async function askMdns(link: LinkToAsk): Promise<Map<string, Said>> {
  const { address, devices, signal, mdns: everybody = MDNS } = link;
  const responders = new Map<string, MdnsResponder>();
  const exchange = await openExchange({
    address,
    hops: HOPS.mdns,
    isWanted: (from) => isWanted(link, from),
    onPacket: (from, datagram) => of(responders, from, () => new MdnsResponder()).take(datagram),
  });
  if (exchange === null) return new Map();
  // Answers repeat it, so that those to all questions look alike.
  const id = Math.floor(Math.random() * 0x1_0000);
  try {
    for (const question of FIRST_QUESTIONS) {
      await exchange.send(mdnsQuery(id, question), everybody);
      await pause(BETWEEN_QUESTIONS_MS, signal);
    }
    const asked = new Set(SERVICE_TYPES);
    let following = 0;
    for (const afterMs of FOLLOWING_AFTER_MS) {
      await pause(afterMs, signal);
      for (const type of new Set([...responders.values()].flatMap(({ types }) => [...types]))) {
        if (asked.has(type) || asked.size >= SERVICE_TYPES.length + MOST_FURTHER_TYPES) continue;
        asked.add(type);
        await exchange.send(mdnsQuery(id, typeQuestion(type)), everybody);
      }
      for (const [ip, responder] of responders) {
        for (const question of responder.following()) {
          if (following++ < MOST_FOLLOWING) {
            await exchange.send(mdnsQuery(id, question), { address: ip, port: everybody.port });
          }
        }
      }
    }
    await pause(ANSWERED_WITHIN_MS, signal);
  } finally {
    exchange.close();
  }
  return new Map(
    [...responders].flatMap(([ip, responder]) => {
      const device = devices.get(ip);
      return device === undefined
        ? []
        : [[device.mac, { ...responder.said(new Set([ip, ...device.addresses])), isDescribed: false }] as const];
    }),
  );
}

async function askSsdp(link: LinkToAsk): Promise<Map<string, Said>> {
  const { address, devices, networks, signal, ssdp: everybody = SSDP } = link;
  const responders = new Map<string, SsdpResponder>();
  const exchange = await openExchange({
    address,
    hops: HOPS.ssdp,
    isWanted: (from) => isWanted(link, from),
    onPacket: (from, datagram) => of(responders, from, () => new SsdpResponder()).take(datagram),
  });
  if (exchange === null) return new Map();
  try {
    await exchange.send(SSDP_SEARCH, everybody);
    await pause(SEARCH_AGAIN_AFTER_MS, signal);
    await exchange.send(SSDP_SEARCH, everybody);
    await pause(SSDP_ENDS_AFTER_MS, signal);
  } finally {
    exchange.close();
  }
  const within = AbortSignal.any([signal, AbortSignal.timeout(DESCRIPTIONS_WITHIN_MS)]);
  const limit = pLimit(DESCRIPTIONS_AT_ONCE);
  const describe = async (ip: string, responder: SsdpResponder): Promise<Heard[]> => {
    const urls = responder.locations.flatMap((location) => ownUrl(location, ip, networks) ?? []);
    const texts = await Promise.all(
      urls.slice(0, MOST_DESCRIPTIONS).map((url) => limit(() => getDescription(url, address, within))),
    );
    // The first that says something: a device with several has the same maker in all.
    return texts.map((text) => (text === null ? [] : saidIn(text))).find((heard) => heard.length > 0) ?? [];
  };
  const answers = [...responders].map(async ([ip, responder]) => {
    const device = devices.get(ip);
    if (device === undefined) return [];
    const described = device.describe ? await describe(ip, responder) : [];
    const said = { heard: [...responder.said(), ...described], host: null, isDescribed: described.length > 0 };
    return [[device.mac, said] as const];
  });
  return new Map((await Promise.all(answers)).flat());
}

function isWanted({ devices }: LinkToAsk, from: string): boolean {
  return devices.has(from);
}

function of<Value>(all: Map<string, Value>, key: string, make: () => Value): Value {
  const value = all.get(key) ?? make();
  all.set(key, value);
  return value;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
