/**
 * Whether an agent monitors a device, so that its status is current. Only agents determine a status: where none monitors
 * a device now, its status is the last one known. Without zod, for web pages.
 * @promise Without an agent, devices keep their status, and answers say since when: `test/api/sites.test.ts`,
 *   `shared/coverage.test.ts`.
 */

/** The networks that the agents of a site monitor. A place is a network in CIDR notation, or the name of an agent. */
export interface Coverage {
  /** The networks that connected agents monitor now, and the names of those agents. */
  readonly watched: readonly string[];
  /** The places that were monitored before, and since when they are not (Unix, ms). */
  readonly ended: ReadonlyMap<string, number>;
}

export const NO_COVERAGE: Coverage = Object.freeze({ watched: [], ended: new Map() });

type WatchState = 'watched' | 'unwatched' | 'never-watched';

export interface Watch {
  readonly state: WatchState;
  /** Of `unwatched`: since when; null when that is no longer known. */
  readonly since: string | null;
}

/** The fields of a device that decide. */
export interface Watchable {
  readonly devLastIP: string;
  /** Separated by commas. */
  readonly devAddresses: string;
  /** The names of the agents that have reported it. */
  readonly agents: readonly string[];
}

const WATCHED: Watch = Object.freeze({ state: 'watched', since: null });
const NEVER_WATCHED: Watch = Object.freeze({ state: 'never-watched', since: null });

/** Names of agents contain no slash. */
const isNetwork = (place: string): boolean => place.includes('/');

/** The networks of a coverage: those monitored now, and those monitored before, with the time at which that ended. */
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

/** How a device is monitored: by its IPv4 addresses in past and present networks, else by the agents reporting it. */
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

/** The latest end counts. */
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
