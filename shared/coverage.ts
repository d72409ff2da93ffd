/**
 * Whether somebody watches a device, so that its status is true now. A status is judged by agents alone: where no agent
 * watches any more, or none ever did, it is the last one known. Without schemas, so that a page in a browser can use it
 * without loading zod.
 * @promise Without an agent, devices keep their status, and answers say since when: `test/api/sites.test.ts`,
 *   `shared/coverage.test.ts`.
 */

/** What the agents of a site watch. A place is a network in CIDR notation, or the name of an agent. */
export interface Coverage {
  /** The networks that connected agents watch now, and the names of those agents. */
  readonly watched: readonly string[];
  /** Those that were watched before, and since when they are not (Unix, ms). */
  readonly ended: ReadonlyMap<string, number>;
}

export const NO_COVERAGE: Coverage = Object.freeze({ watched: [], ended: new Map() });

type WatchState = 'watched' | 'unwatched' | 'never-watched';

export interface Watch {
  readonly state: WatchState;
  /** Of `unwatched`: since when; null when that is not known any more. */
  readonly since: string | null;
}

/** What decides of a device. */
export interface Watchable {
  readonly devLastIP: string;
  /** Separated by commas. */
  readonly devAddresses: string;
  /** The names of the agents that have said something of it. */
  readonly agents: readonly string[];
}

const WATCHED: Watch = Object.freeze({ state: 'watched', since: null });
const NEVER_WATCHED: Watch = Object.freeze({ state: 'never-watched', since: null });

/** Tells networks from names of agents, which have no such character. */
const isNetwork = (place: string): boolean => place.includes('/');

/** The networks of a coverage: those that are watched, and those that were, with since when they are not. */
export function networksOf({ watched, ended }: Coverage): {
  watched: string[];
  unwatched: { network: string; since: string }[];
} {
  return {
    watched: watched.filter(isNetwork),
    unwatched: [...ended]
      .filter(([place]) => isNetwork(place))
      .map(([network, since]) => ({ network, since: timeOf(since) })),
  };
}

/**
 * How a device is watched. Its IPv4 addresses decide: in a network that is watched, or that was. One with no address in
 * any of these, such as a device that has IPv6 alone, is watched by the agents that have said something of it.
 */
export function watchIn({ watched, ended }: Coverage): (device: Watchable) => Watch {
  const now = watched.filter(isNetwork).flatMap((place) => parsed(place));
  const names = new Set(watched.filter((place) => !isNetwork(place)));
  const before = [...ended].flatMap(([place, since]) => parsed(place).map((part) => ({ ...part, since })));
  return ({ devLastIP, devAddresses, agents }) => {
    const addresses = ipv4In(devLastIP, devAddresses);
    if (addresses.some((address) => now.some((network) => has(network, address)))) return WATCHED;
    const left = before.filter((network) => addresses.some((address) => has(network, address)));
    if (left.length > 0) return unwatched(left.map(({ since }) => since));
    if (agents.some((name) => names.has(name))) return WATCHED;
    return agents.length === 0 ? NEVER_WATCHED : unwatched(agents.flatMap((name) => ended.get(name) ?? []));
  };
}

/** The last to end counts. */
function unwatched(times: readonly number[]): Watch {
  return { state: 'unwatched', since: times.length === 0 ? null : timeOf(Math.max(...times)) };
}

interface Network {
  /** The first address, divided by the number of addresses. */
  block: number;
  size: number;
}

function parsed(place: string): Network[] {
  const [address = '', prefix = ''] = place.split('/');
  const first = ipv4(address);
  if (first === null || !/^\d{1,2}$/.test(prefix)) return [];
  const size = 2 ** (32 - Number(prefix));
  return [{ block: Math.floor(first / size), size }];
}

const has = ({ block, size }: Network, address: number): boolean => Math.floor(address / size) === block;

function ipv4In(last: string, all: string): number[] {
  const texts = all === '' ? [last] : [last, ...all.split(',')];
  return texts.flatMap((text) => ipv4(text) ?? []);
}

/** An address in canonical form as a number; null for any other text. */
function ipv4(text: string): number | null {
  const octets = text.split('.');
  if (octets.length !== 4) return null;
  const value = octets.reduce((sum, octet) => sum * 256 + Number(octet), 0);
  return Number.isNaN(value) ? null : value;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
