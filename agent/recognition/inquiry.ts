/** Queries the devices of each watched link about what they are: once an hour, and soon after some are new. */
import { HOUR_MS } from '../../shared/time.ts';
import type { Observer, ObserverContext } from '../discovery/cycle.ts';
import { isDue, multimap } from '../discovery/evidence.ts';
import type { KnownDevices } from '../discovery/known-devices.ts';
import { isIn, type WatchedNetwork } from '../discovery/watched-networks.ts';
import { type QueriedDevice, queryLink } from './query-link.ts';

/** From one query of a link to the next, however many devices are new. */
const LEAST_PAUSE_MS = 50_000;
/** A device that has just got its address may not respond yet, and a response may be lost. */
const TIMES_WHEN_NEW = 2;
/** Links queried in one cycle. The others follow in later cycles. */
const CONCURRENT_LINKS = 4;

/** The queries of a link so far. */
interface Link {
  queriedAt: number;
  /** When the hourly query last ran. */
  wholeAt: number;
  /** How often each device was queried, by MAC. */
  times: Map<string, number>;
  /** The devices that returned their description since `wholeAt`. */
  described: Set<string>;
}

const NEVER_QUERIED: Link = { queriedAt: 0, wholeAt: Number.NEGATIVE_INFINITY, times: new Map(), described: new Set() };

export class Inquiry implements Observer {
  readonly #query: typeof queryLink;
  /** By the interface and the address of this host on it. */
  readonly #links = new Map<string, Link>();
  #querying: Promise<unknown> | null = null;

  /** @param query a stub in tests */
  constructor(query = queryLink) {
    this.#query = query;
  }

  /** Never fails, and takes five seconds at most. */
  async observe(context: ObserverContext): Promise<void> {
    this.#querying ??= this.#queryDue(context).finally(() => {
      this.#querying = null;
    });
    await this.#querying;
  }

  async #queryDue({ signal, known, networks, now }: ObserverContext): Promise<void> {
    // Parts of one network that are watched separately are one link.
    const byLink = multimap(networks.map((network) => [`${network.interface} ${network.address}`, network]));
    for (const key of this.#links.keys()) if (!byLink.has(key)) this.#links.delete(key);
    const at = now();
    const due = [...byLink].flatMap(([key, all]) => {
      const parts = [...all];
      const devices = devicesOf(known, parts);
      const former = this.#links.get(key) ?? NEVER_QUERIED;
      return isLinkDue(former, devices, at) ? [{ key, parts, devices, former }] : [];
    });
    due.sort((a, b) => a.former.queriedAt - b.former.queriedAt);
    await Promise.all(
      due.slice(0, CONCURRENT_LINKS).map(async ({ key, parts, devices, former }) => {
        const link = nextOf(former, devices, at, (mac) => known.get(mac) !== undefined);
        this.#links.set(key, link);
        const queried = devices.map((each) => ({ ...each, describe: !link.described.has(each.mac) }));
        const replies = await this.#query({
          address: parts[0]?.address ?? '',
          networks: parts.map(({ range }) => range),
          devices: byAddress(queried),
          signal,
        });
        if (signal.aborted) return;
        for (const [mac, { heard, host, isDescribed }] of replies) {
          if (isDescribed) link.described.add(mac);
          const device = known.get(mac);
          // Meanwhile this host may have moved to another network.
          if (device === undefined || known.isForeign(device.network)) continue;
          known.recordObservations(mac, heard, now());
          if (host !== null && device.name === null && device.ip !== null) {
            known.recordName(mac, device.ip, { name: { text: host, source: 'mdns' }, dnsKnowsNone: false }, now());
          }
        }
      }),
    );
  }
}

type Addressed = Omit<QueriedDevice, 'describe'>;

/** The devices that are online in networks of one link. */
function devicesOf(known: KnownDevices, parts: readonly WatchedNetwork[]): Addressed[] {
  return known.all().flatMap(({ mac, presence, ip, addresses }) => {
    const all = new Set([...addresses.map((each) => each.ip), ...(ip === null ? [] : [ip])]);
    const isHere = [...all].some((each) => parts.some(({ range }) => isIn(each, range)));
    return presence.online && isHere ? [{ mac, addresses: all }] : [];
  });
}

/** Leaves out addresses that two devices have: the sender of a response would be ambiguous. */
function byAddress<Each extends Addressed>(devices: readonly Each[]): Map<string, Each> {
  const all = new Map<string, Each>();
  const twice = new Set<string>();
  for (const device of devices) {
    for (const ip of device.addresses) {
      if (all.has(ip)) twice.add(ip);
      all.set(ip, device);
    }
  }
  for (const ip of twice) all.delete(ip);
  return all;
}

/** Whether the hourly query is due. */
function isWholeDue({ queriedAt, wholeAt }: Link, at: number): boolean {
  return at < queriedAt || isDue(wholeAt, HOUR_MS, at);
}

function isLinkDue(link: Link, devices: readonly Addressed[], at: number): boolean {
  if (isWholeDue(link, at)) return true;
  const isAnyNew = devices.some(({ mac }) => (link.times.get(mac) ?? 0) < TIMES_WHEN_NEW);
  return isAnyNew && at - link.queriedAt >= LEAST_PAUSE_MS;
}

function nextOf(former: Link, devices: readonly Addressed[], at: number, isKnown: (mac: string) => boolean): Link {
  const isWhole = isWholeDue(former, at);
  // A device that sleeps and wakes is not new each time.
  const times = new Map([...former.times].filter(([mac]) => isKnown(mac)));
  for (const { mac } of devices) times.set(mac, (times.get(mac) ?? 0) + 1);
  const { wholeAt, described } = isWhole ? { wholeAt: at, described: new Set<string>() } : former;
  return { queriedAt: at, wholeAt, times, described };
}
