/** Queries all hosts of a link by mDNS and SSDP about what they are, within five seconds. */
import pLimit from 'p-limit';
import type { IpRange } from '../../shared/network.ts';
import { pause } from '../discovery/evidence.ts';
import type { Heard } from '../discovery/observations.ts';
import { openExchange } from './exchange.ts';
import { FIRST_QUESTIONS, MDNS, MdnsResponder, mdnsQuery, typeQuestion } from './mdns.ts';
import { SERVICE_TYPES } from './service-types.ts';
import { SSDP, SSDP_SEARCH, SSDP_WAIT_S, SsdpResponder } from './ssdp.ts';
import { getDescription, observationsIn, ownUrl } from './upnp-description.ts';

/** A device from which responses are expected. */
export interface QueriedDevice {
  mac: string;
  /** All its known addresses. */
  addresses: ReadonlySet<string>;
  /** Whether to fetch its UPnP description. */
  describe: boolean;
}

export interface DeviceReply {
  heard: Heard[];
  /** Its host name by mDNS. */
  host: string | null;
  /** Whether it returned a UPnP description. */
  isDescribed: boolean;
}

export interface LinkQuery {
  /** The address of this host on the link. */
  address: string;
  networks: readonly IpRange[];
  /** The device at each address that exactly one has. Responses of others are ignored. */
  devices: ReadonlyMap<string, QueriedDevice>;
  /** Other destinations in tests. */
  mdns?: { address: string; port: number };
  ssdp?: { address: string; port: number };
  signal: AbortSignal;
}

/** Service types beyond the well-known ones. */
const MAX_FURTHER_TYPES = 24;
/** Queries to single devices. */
const MAX_FOLLOW_UPS = 256;
const CONCURRENT_DESCRIPTIONS = 8;
const MAX_DESCRIPTIONS_PER_DEVICE = 3;
/** Packets of mDNS have the highest TTL (RFC 6762 section 11), those of UPnP two by default. */
const HOPS = { mdns: 255, ssdp: 2 };

/** The replies of the devices of a link, by MAC. Never fails: empty where the link cannot be queried. */
export async function queryLink(link: LinkQuery): Promise<Map<string, DeviceReply>> {
  const [mdns, ssdp] = await Promise.all([queryMdns(link), querySsdp(link)]);
  const replies = new Map<string, DeviceReply>();
  for (const [mac, one] of [...mdns, ...ssdp]) {
    const before = replies.get(mac) ?? { heard: [], host: null, isDescribed: false };
    replies.set(mac, {
      heard: [...before.heard, ...one.heard],
      host: before.host ?? one.host,
      isDescribed: before.isDescribed || one.isDescribed,
    });
  }
  return replies;
}

async function queryMdns(link: LinkQuery): Promise<[mac: string, DeviceReply][]> {
  const { devices, signal, mdns: group = MDNS } = link;
  const responders = new Map<string, MdnsResponder>();
  const exchange = await openLinkExchange(link, HOPS.mdns, responders, () => new MdnsResponder());
  if (exchange === null) return [];
  // Responses repeat it: with one id they look alike.
  const id = Math.floor(Math.random() * 0x1_0000);
  try {
    for (const question of FIRST_QUESTIONS) {
      await exchange.send(mdnsQuery(id, question), group);
      await pause(10, signal); // Access points drop multicasts in a burst.
    }
    const queried = new Set(SERVICE_TYPES);
    let followUps = 0;
    // Follow-up queries to those that responded, so long after the queries before (ms).
    for (const afterMs of [900, 800]) {
      await pause(afterMs, signal);
      for (const type of new Set([...responders.values()].flatMap(({ types }) => [...types]))) {
        if (queried.has(type) || queried.size >= SERVICE_TYPES.length + MAX_FURTHER_TYPES) continue;
        queried.add(type);
        await exchange.send(mdnsQuery(id, typeQuestion(type)), group);
      }
      for (const [ip, responder] of responders) {
        for (const question of responder.followUps()) {
          if (followUps++ < MAX_FOLLOW_UPS) {
            await exchange.send(mdnsQuery(id, question), { address: ip, port: group.port });
          }
        }
      }
    }
    await pause(700, signal); // For responses to the last queries.
  } finally {
    exchange.close();
  }
  return [...responders].flatMap(([ip, responder]): [string, DeviceReply][] => {
    const device = devices.get(ip);
    if (device === undefined) return [];
    return [[device.mac, { ...responder.reply(new Set([ip, ...device.addresses])), isDescribed: false }]];
  });
}

async function querySsdp(link: LinkQuery): Promise<[mac: string, DeviceReply][]> {
  const { address, devices, networks, signal, ssdp: group = SSDP } = link;
  const responders = new Map<string, SsdpResponder>();
  const exchange = await openLinkExchange(link, HOPS.ssdp, responders, () => new SsdpResponder());
  if (exchange === null) return [];
  try {
    await exchange.send(SSDP_SEARCH, group);
    await pause(500, signal); // Twice: a search may be lost.
    await exchange.send(SSDP_SEARCH, group);
    await pause(SSDP_WAIT_S * 1_000 + 300, signal);
  } finally {
    exchange.close();
  }
  const within = AbortSignal.any([signal, AbortSignal.timeout(2_000)]); // For all descriptions together.
  const limit = pLimit(CONCURRENT_DESCRIPTIONS);
  const describe = async (ip: string, responder: SsdpResponder): Promise<Heard[]> => {
    const urls = responder.locations.flatMap((location) => ownUrl(location, ip, networks) ?? []);
    const texts = await Promise.all(
      urls.slice(0, MAX_DESCRIPTIONS_PER_DEVICE).map((url) => limit(() => getDescription(url, address, within))),
    );
    // The first with observations: a device with several descriptions has the same maker in all.
    return texts.map((text) => (text === null ? [] : observationsIn(text))).find((heard) => heard.length > 0) ?? [];
  };
  const replies = [...responders].map(async ([ip, responder]): Promise<[string, DeviceReply][]> => {
    const device = devices.get(ip);
    if (device === undefined) return [];
    const described = device.describe ? await describe(ip, responder) : [];
    const heard = [...responder.observations(), ...described];
    return [[device.mac, { heard, host: null, isDescribed: described.length > 0 }]];
  });
  return (await Promise.all(replies)).flat();
}

/** @param responders receives a responder for each device that sends a packet */
function openLinkExchange<Responder extends { read(datagram: Buffer): void }>(
  { address, devices }: LinkQuery,
  hops: number,
  responders: Map<string, Responder>,
  create: () => Responder,
) {
  const onPacket = (from: string, datagram: Buffer) => {
    const responder = responders.get(from) ?? create();
    responders.set(from, responder);
    responder.read(datagram);
  };
  return openExchange({ address, hops, isWanted: (from) => devices.has(from), onPacket });
}
