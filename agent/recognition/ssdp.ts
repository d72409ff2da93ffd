/** SSDP searches and their responses (UPnP Device Architecture 2.0, section 1.3). */
import type { Heard } from '../discovery/observations.ts';

export const SSDP = { address: '239.255.255.250', port: 1900 };

/** Seconds over which devices spread their responses. */
export const SSDP_WAIT_S = 2;

const HEADERS = `HOST: ${SSDP.address}:${SSDP.port}\r\nMAN: "ssdp:discover"\r\nMX: ${SSDP_WAIT_S}\r\nST: ssdp:all`;
export const SSDP_SEARCH = Buffer.from(`M-SEARCH * HTTP/1.1\r\n${HEADERS}\r\n\r\n`);

const MAX_PACKET_BYTES = 8_192;
const MAX_CHARACTERS = 200;
const MAX_LOCATION_CHARACTERS = 500;
/** Kept per device. */
const KEPT = { types: 32, servers: 4, locations: 8 };
const REPORTED_TYPES = 8;
/** They show only that it speaks UPnP, and its id. */
const GENERIC_TYPES = /^(?:upnp:rootdevice|ssdp:all|uuid:.*)$/i;

/** The responses of one address. Its size is bounded, however many there are. */
export class SsdpResponder {
  readonly #types = new Set<string>();
  readonly #servers = new Set<string>();
  readonly #locations = new Map<string, boolean>();

  /** Reads a packet; ignores what is no response to a search. */
  read(datagram: Buffer): void {
    if (datagram.length > MAX_PACKET_BYTES) return;
    const text = datagram.toString('utf8');
    if (!/^HTTP\/1\.[01] 200\b/.test(text)) return;
    const header = (name: string) => new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'im').exec(text)?.[1]?.trim() ?? '';
    const [type, server, location] = [header('st'), header('server'), header('location')];
    const isSpecific = type !== '' && type.length <= MAX_CHARACTERS && !GENERIC_TYPES.test(type);
    if (isSpecific && this.#types.size < KEPT.types) this.#types.add(type);
    if (server !== '' && this.#servers.size < KEPT.servers) this.#servers.add(server.slice(0, MAX_CHARACTERS));
    if (location === '' || location.length > MAX_LOCATION_CHARACTERS) return;
    const isOfDevice = /^urn:schemas-upnp-org:device:/i.test(type);
    if (this.#locations.has(location) || this.#locations.size < KEPT.locations) {
      this.#locations.set(location, isOfDevice || this.#locations.get(location) === true);
    }
  }

  /** The URLs of its descriptions, those of standard devices first. Unchecked. */
  get locations(): string[] {
    return [...this.#locations]
      .sort(([a, isOfDevice], [b, isOtherOfDevice]) => Number(isOtherOfDevice) - Number(isOfDevice) || (a < b ? -1 : 1))
      .map(([location]) => location);
  }

  observations(): Heard[] {
    const isDevice = (type: string) => Number(/:device:/i.test(type));
    const types = [...this.#types]
      .sort((a, b) => isDevice(b) - isDevice(a) || (a < b ? -1 : 1))
      .slice(0, REPORTED_TYPES);
    const [server] = [...this.#servers].sort();
    return [
      ...(server === undefined ? [] : [{ source: 'ssdp-server' as const, value: server }]),
      ...types.map((type) => ({ source: 'ssdp-type' as const, value: type })),
    ];
  }
}
