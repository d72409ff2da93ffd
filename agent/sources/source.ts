/**
 * A source: something in the LAN that already knows its devices, such as a DHCP server or a controller. Each kind of it is one
 * file in `kinds/`; `kinds.ts` lists them.
 */
import type * as z from 'zod';

/** One host as a source knows it. */
export interface SourceObservation {
  /** In canonical form, AA:BB:CC:DD:EE:FF: see `parseMac`. */
  mac: string;
  /** IPv4 and IPv6 literals, the main one first. */
  addresses: readonly string[];
  /** Given by a person in the product. */
  givenName?: string | undefined;
  /** By DHCP or DNS. */
  hostName?: string | undefined;
  vendor?: string | undefined;
  model?: string | undefined;
  /** As the device sent it: option 60, and the numbers of option 55 in its order, `1,3,6,15`. */
  dhcp?: { vendorClass?: string | undefined; parameters?: string | undefined } | undefined;
  /** When the source last had a sign of it (Unix, ms). Absent where it has none: a lease is no sign of presence. */
  lastSeen?: number | undefined;
  link?: SourceLink | undefined;
}

/** Where a device is attached. */
export interface SourceLink {
  medium: 'wired' | 'wireless';
  ssid?: string | undefined;
  /** MAC of the access point. */
  accessPoint?: string | undefined;
  /** MAC of the switch, or of the router with a switch in it. */
  switch?: string | undefined;
  /** The name of its port: `Port 4`, `ether2`. */
  port?: string | undefined;
}

export interface SourceHttpRequest {
  url: string | URL;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** For HTTP Basic. */
  basic?: { user: string; password: string } | undefined;
  /** Whether redirects are followed. Default: true */
  redirects?: boolean | undefined;
}

export interface SourceHttpAnswer {
  status: number;
  /** Names in lower case; several of one name are joined by ", ". */
  headers: Readonly<Record<string, string>>;
  /** The `Set-Cookie` headers. */
  cookies: readonly string[];
  /** UTF-8. */
  body: string;
}

/** The way of a source to its product, within the policy of this host. */
export interface SourceRequest {
  readonly signal: AbortSignal;
  /**
   * Sends one request and reads the answer: within 10 s, at most 8 MiB, and only to an address that the policy of this host
   * allows. A self-signed certificate is accepted at the first request, and no other one after it. It follows redirects within
   * one host and port. Any status is an answer, except 429.
   * @throws {SourceFailure}
   */
  http(options: SourceHttpRequest): Promise<SourceHttpAnswer>;
  /** Reads a text file of this host as a whole, at most 8 MiB. @throws {SourceFailure} */
  readFile(path: string): Promise<string>;
  now(): number;
  /**
   * Survives from one reading to the next while the agent runs, never on disk: a session, or which of several interfaces the
   * product has.
   */
  readonly memory: Map<string, string>;
}

/** Why a source could not be read. The message is one sentence for its operator, without a secret. */
export class SourceFailure extends Error {
  override name = 'SourceFailure';
  /** The least time until the next attempt, where the product demands one: after 429, or a rejected login. */
  readonly waitMs: number;

  constructor(message: string, options: ErrorOptions & { waitMs?: number } = {}) {
    super(message, options);
    this.waitMs = options.waitMs ?? 0;
  }
}

/** The least wait after 429 or a rejected login: several products lock out an address that logs in too often. */
export const LOCKOUT_MS = 15 * 60_000;

/** Rows that are read of one source; further ones are ignored, and the agent reports that. */
export const MAX_ROWS = 10_000;

export interface SourceKind<Settings extends z.ZodObject = z.ZodObject> {
  /** The word of the command line: `opnsense`. */
  readonly kind: string;
  /** The product: `OPNsense`. */
  readonly title: string;
  /**
   * Its settings. Each comes as text from the command line (`--user` is `user`, `--lease-file` is `leaseFile`), and is kept so.
   * The description of a field (`.describe()`) is its help. A URL is `HttpUrl` of `agent/config.ts`.
   */
  readonly settings: Settings;
  /** The settings that are secret: read from a prompt or standard input, and shown nowhere. */
  readonly secrets: readonly (keyof z.input<Settings> & string)[];
  /** The least rights that suffice in the product, in a sentence or two. */
  readonly rights: string;
  /**
   * Reads all hosts once. Bad rows are skipped; a bad answer as a whole is a {@link SourceFailure}. The same MAC may come
   * several times, and what comes later adds to it.
   */
  read(settings: z.output<Settings>, request: SourceRequest): AsyncIterable<SourceObservation>;
}

/** Infers the type of the settings. */
export function defineSource<Settings extends z.ZodObject>(kind: SourceKind<Settings>): SourceKind<Settings> {
  return kind;
}
