/** Asks the devices of each watched link what they are: once an hour, and soon when some are new. */
import type { Observer } from '../discovery/cycle.ts';
import type { ScanContext } from '../discovery/evidence.ts';
import type { KnownDevices } from '../discovery/known-devices.ts';
import { isIn, type WatchedNetwork } from '../discovery/watched-networks.ts';
import { type Askable, askLink } from './ask-link.ts';

const EVERY_MS = 60 * 60_000;
/** From one asking to the next, however many devices are new. */
const LEAST_PAUSE_MS = 50_000;
/** A device that has just got its address may not answer yet, and an answer may be lost. */
const TIMES_WHEN_NEW = 2;
/** Links that are asked in one cycle. The others have their turn in those that follow. */
const LINKS_AT_ONCE = 4;

/** What is remembered of a link. */
interface Link {
  askedAt: number;
  /** When all of its devices were last asked because it was time. */
  wholeAt: number;
  /** How often each device was asked, by MAC. */
  times: Map<string, number>;
  /** Who has given its description since `wholeAt`. */
  described: Set<string>;
}

export class Inquiry implements Observer {
  readonly #ask: typeof askLink;
  /** By the interface and the address of this host on it. */
  readonly #links = new Map<string, Link>();
  #asking: Promise<unknown> | null = null;

  /** @param ask the real one, unless a test has another */
  constructor(ask = askLink) {
    this.#ask = ask;
  }

  /** Never fails, and takes five seconds at most. */
  async look(
    context: ScanContext,
    known: KnownDevices,
    networks: readonly WatchedNetwork[],
    now: () => number,
  ): Promise<void> {
    this.#asking ??= this.#askDue(context, known, networks, now).finally(() => {
      this.#asking = null;
    });
    await this.#asking;
  }

  async #askDue(
    { signal }: ScanContext,
    known: KnownDevices,
    networks: readonly WatchedNetwork[],
    now: () => number,
  ): Promise<void> {
    // Parts of one network that are watched apart are one link.
    const byLink = new Map<string, WatchedNetwork[]>();
    for (const network of networks) {
      const key = `${network.interface} ${network.address}`;
      byLink.set(key, [...(byLink.get(key) ?? []), network]);
    }
    for (const key of this.#links.keys()) if (!byLink.has(key)) this.#links.delete(key);
    const at = now();
    const due = [...byLink].flatMap(([key, parts]) => {
      const devices = devicesOf(known, parts);
      const former = this.#links.get(key);
      return isDue(former, devices, at) ? [{ key, parts, devices, former }] : [];
    });
    due.sort((a, b) => (a.former?.askedAt ?? 0) - (b.former?.askedAt ?? 0));
    await Promise.all(
      due.slice(0, LINKS_AT_ONCE).map(async ({ key, parts, devices, former }) => {
        const link = nextOf(former, devices, at, (mac) => known.get(mac) !== undefined);
        this.#links.set(key, link);
        const asked = devices.map((each) => ({ ...each, describe: !link.described.has(each.mac) }));
        const said = await this.#ask({
          address: parts[0]?.address ?? '',
          networks: parts.map(({ range }) => range),
          devices: byAddress(asked),
          signal,
        });
        if (signal.aborted) return;
        for (const [mac, { heard, host, isDescribed }] of said) {
          if (isDescribed) link.described.add(mac);
          const device = known.get(mac);
          // In the meantime this host may have come to another network.
          if (device === undefined || known.isStrange(device.network)) continue;
          known.recordHeard(mac, heard, now());
          if (host !== null && device.name === null && device.ip !== null) {
            known.recordName(mac, device.ip, { name: { text: host, source: 'mdns' }, dnsKnowsNone: false }, now());
          }
        }
      }),
    );
  }
}

type Asked = Omit<Askable, 'describe'>;

/** The devices that are online in networks of one link. */
function devicesOf(known: KnownDevices, parts: readonly WatchedNetwork[]): Asked[] {
  return known.all().flatMap(({ mac, presence, ip, addresses }) => {
    const all = new Set([...addresses.map((each) => each.ip), ...(ip === null ? [] : [ip])]);
    const isHere = [...all].some((each) => parts.some(({ range }) => isIn(each, range)));
    return presence.online && isHere ? [{ mac, addresses: all }] : [];
  });
}

/** Where two have one address, nobody can tell which of them has answered. */
function byAddress<Each extends Asked>(devices: readonly Each[]): Map<string, Each> {
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

function isDue(link: Link | undefined, devices: readonly Asked[], at: number): boolean {
  if (link === undefined || at < link.askedAt || at - link.wholeAt >= EVERY_MS) return true;
  const isAnyNew = devices.some(({ mac }) => (link.times.get(mac) ?? 0) < TIMES_WHEN_NEW);
  return isAnyNew && at - link.askedAt >= LEAST_PAUSE_MS;
}

function nextOf(
  former: Link | undefined,
  devices: readonly Asked[],
  at: number,
  isKnown: (mac: string) => boolean,
): Link {
  const isWhole = former === undefined || at < former.askedAt || at - former.wholeAt >= EVERY_MS;
  // One that sleeps and wakes is not new each time.
  const times = new Map([...(former?.times ?? [])].filter(([mac]) => isKnown(mac)));
  for (const { mac } of devices) times.set(mac, (times.get(mac) ?? 0) + 1);
  return {
    askedAt: at,
    wholeAt: isWhole ? at : former.wholeAt,
    times,
    described: isWhole ? new Set() : former.described,
  };
}
