/** Searches by SSDP, and what devices answer (UPnP Device Architecture 2.0, section 1.3). */
import type { Heard } from '../discovery/observations.ts';

export const SSDP = { address: '239.255.255.250', port: 1900 };

/** Within which devices choose a moment to answer, in seconds. */
export const SSDP_WAIT_S = 2;

export const SSDP_SEARCH = Buffer.from(
  [
    'M-SEARCH * HTTP/1.1',
    `HOST: ${SSDP.address}:${SSDP.port}`,
    'MAN: "ssdp:discover"',
    `MX: ${SSDP_WAIT_S}`,
    'ST: ssdp:all',
    '',
    '',
  ].join('\r\n'),
);

const MAX_PACKET_BYTES = 8_192;
const MAX_CHARACTERS = 200;
const MAX_LOCATION_CHARACTERS = 500;
/** What is kept of one device. */
const KEPT = { types: 32, servers: 4, locations: 8 };
const TOLD_TYPES = 8;
/** They say only that it speaks UPnP, and which one it is. */
const EVERYBODYS = /^(?:upnp:rootdevice|ssdp:all|uuid:.*)$/i;

/** What one address has answered. Its size is bounded, however much that is. */
export class SsdpResponder {
  readonly #types = new Set<string>();
  readonly #servers = new Set<string>();
  readonly #locations = new Map<string, boolean>();

  /** Takes a packet; one that is no answer to a search has no effect. */
  take(datagram: Buffer): void {
    if (datagram.length > MAX_PACKET_BYTES) return;
    const text = datagram.toString('utf8');
    if (!/^HTTP\/1\.[01] 200\b/.test(text)) return;
    const header = (name: string) => new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'im').exec(text)?.[1]?.trim() ?? '';
    const [type, server, location] = [header('st'), header('server'), header('location')];
    const isTelling = type !== '' && type.length <= MAX_CHARACTERS && !EVERYBODYS.test(type);
    if (isTelling && this.#types.size < KEPT.types) this.#types.add(type);
    if (server !== '' && this.#servers.size < KEPT.servers) this.#servers.add(server.slice(0, MAX_CHARACTERS));
    if (location === '' || location.length > MAX_LOCATION_CHARACTERS) return;
    const isOfDevice = /^urn:schemas-upnp-org:device:/i.test(type);
    if (this.#locations.has(location) || this.#locations.size < KEPT.locations) {
      this.#locations.set(location, isOfDevice || this.#locations.get(location) === true);
    }
  }

  /** Where it says its descriptions to be, those of standard devices first. Not checked in any way. */
  get locations(): string[] {
    return [...this.#locations]
      .sort(([a, isOfDevice], [b, isOtherOfDevice]) => Number(isOtherOfDevice) - Number(isOfDevice) || (a < b ? -1 : 1))
      .map(([location]) => location);
  }

  said(): Heard[] {
    const isDevice = (type: string) => Number(/:device:/i.test(type));
    const types = [...this.#types].sort((a, b) => isDevice(b) - isDevice(a) || (a < b ? -1 : 1)).slice(0, TOLD_TYPES);
    const [server] = [...this.#servers].sort();
    return [
      ...(server === undefined ? [] : [{ source: 'ssdp-server' as const, value: server }]),
      ...types.map((type) => ({ source: 'ssdp-type' as const, value: type })),
    ];
  }
}
