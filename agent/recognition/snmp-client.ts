/** Queries one device by SNMP. Whatever it responds, a query ends in time and what is kept of the responses is bounded. */
import type { RemoteInfo } from 'node:dgram';
import {
  Authentication,
  AuthProtocols,
  ObjectType,
  PrivProtocols,
  SecurityLevel,
  Session,
  type User,
  type Varbind,
  Version2c,
  Version3,
} from 'net-snmp';
import type { SnmpCredentials } from './snmp-file.ts';
import type { Row, SnmpValue } from './switch-tables.ts';

const SNMP_PORT = 161;
/** With SNMPv3 the client first requests the engine id and time of the device. */
const QUERY_TIMEOUT_MS = 3_000;
const REPETITIONS = 25;
const MAX_ROWS = 4_096;
/** Of a value. */
const MAX_VALUE_BYTES = 255;
const MAX_OID_CHARACTERS = 128;

/** Larger than any response to a query here. */
const MAX_DATAGRAM_BYTES = 16 * 1024;
/** A query takes three, with SNMPv3 and a clock to synchronize. */
const MAX_DATAGRAMS = 8;
/** The library keeps the keys of every engine id, which a device may vary, for ever. */
const MAX_KEYS = 1_000;

/** The library throws out of its socket's handler when a message is malformed in some ways, which would end the agent. */
class GuardedSession extends Session {
  /** Datagrams that are still accepted. */
  left = 0;

  /** The library accepts an unauthenticated response for a user with authentication. */
  wantAuthentic(): void {
    const take = this.onSimpleGetResponse;
    this.onSimpleGetResponse = (request, message) => {
      if (message.hasAuthentication()) take.call(this, request, message);
      else request.responseCb(null);
    };
  }

  override onMsg(buffer: Buffer, from?: RemoteInfo): void {
    const { target, port } = this as unknown as { target: string; port: number };
    if (from !== undefined && (from.address !== target || from.port !== port)) return;
    if (buffer.length > MAX_DATAGRAM_BYTES || this.left-- <= 0) return;
    try {
      super.onMsg(buffer);
    } catch {
      // As if there were no response.
    }
  }
}

export class SnmpClient {
  readonly #session: GuardedSession;
  readonly #signal: AbortSignal;
  readonly #closed = new AbortController();

  /** @param signal ends queries in flight @param retries after a second without a response */
  constructor(ip: string, credentials: SnmpCredentials, signal: AbortSignal, { port = SNMP_PORT, retries = 0 } = {}) {
    const options = { port, retries, timeout: 1_000 };
    this.#session =
      credentials.version === '2c'
        ? new GuardedSession(ip, credentials.community, { ...options, version: Version2c })
        : new GuardedSession(ip, userOf(credentials), { ...options, version: Version3 });
    if (credentials.version === '3' && credentials.level !== 'noAuthNoPriv') this.#session.wantAuthentic();
    // Errors of the socket and the decoder: the query times out.
    this.#session.on('error', () => {});
    this.#signal = AbortSignal.any([signal, this.#closed.signal]);
  }

  /** The values of these objects, null for each that the device does not have; null when it does not respond. */
  async get(oids: readonly string[]): Promise<(SnmpValue | null)[] | null> {
    const response = await this.#query((callback) => {
      this.#session.get([...oids], (error, varbinds) => callback(error, varbinds));
    });
    const rows = (response as Varbind[] | null)?.map(rowOf) ?? null;
    return rows && oids.map((oid) => rows.find((row) => row?.oid === oid)?.value ?? null);
  }

  /** The subtree of an object, in the order of the device, as far as it responds properly and within the bounds. */
  async walk(base: string): Promise<Row[]> {
    const rows: Row[] = [];
    const until = performance.now() + 10_000; // The deadline of a walk.
    let last = base;
    while (rows.length < MAX_ROWS && performance.now() < until && !this.#signal.aborted) {
      const response = await this.#query((callback) => {
        this.#session.getBulk([last], 0, REPETITIONS, (error, varbinds) => callback(error, varbinds));
      });
      const varbinds = (response as Varbind[][] | null)?.[0] ?? [];
      if (varbinds.length === 0) return rows;
      for (const varbind of varbinds) {
        const { oid } = varbind;
        const isNext = typeof oid === 'string' && oid.length <= MAX_OID_CHARACTERS && oid.startsWith(`${base}.`);
        if (!isNext || !follows(oid, last) || rows.length >= MAX_ROWS) return rows;
        last = oid;
        const row = rowOf(varbind);
        if (row !== null) rows.push(row);
      }
    }
    return rows;
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    try {
      this.#session.close();
    } catch {
      // Its socket could not be opened.
    }
    const { authToKeyCache: keys } = Authentication;
    if (Object.keys(keys).length > MAX_KEYS) for (const key of Object.keys(keys)) delete keys[key];
  }

  /** Null for every error: callers cannot act on one, and its text may contain secrets. */
  #query(send: (callback: (error: Error | null, response?: unknown) => void) => void): Promise<unknown> {
    return new Promise((resolve) => {
      const end = (response: unknown) => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', abort);
        resolve(response);
      };
      // Also a device that sends on and on, but never the response.
      const abort = () => {
        end(null);
        this.close();
      };
      const timer = setTimeout(abort, QUERY_TIMEOUT_MS);
      if (this.#signal.aborted) return abort();
      this.#signal.addEventListener('abort', abort, { once: true });
      this.#session.left = MAX_DATAGRAMS;
      try {
        send((error, response) => {
          if (error === null && Array.isArray(response)) end(response);
          // Send a silent device nothing more.
          else if (error?.name === 'RequestTimedOutError') abort();
          else end(null);
        });
      } catch {
        end(null);
      }
    });
  }
}

function userOf(credentials: SnmpCredentials & { version: '3' }): User {
  const { user: name, level } = credentials;
  if (level === 'noAuthNoPriv') return { name, level: SecurityLevel.noAuthNoPriv };
  const { authProtocol, authKey } = credentials;
  const protocol = authProtocol.toLowerCase() as Lowercase<typeof authProtocol>;
  const authentication = { name, authProtocol: AuthProtocols[protocol], authKey };
  if (level === 'authNoPriv') return { ...authentication, level: SecurityLevel.authNoPriv };
  const { privProtocol, privKey } = credentials;
  const privacy = PrivProtocols[privProtocol.toLowerCase() as Lowercase<typeof privProtocol>];
  return { ...authentication, level: SecurityLevel.authPriv, privProtocol: privacy, privKey };
}

/** Null for exceptions such as noSuchObject, and unusable values. A copy, so that the datagram is not kept. */
function rowOf({ oid, type, value }: Varbind): Row | null {
  if (typeof oid !== 'string') return null;
  if (type === ObjectType.OctetString && Buffer.isBuffer(value)) {
    return { oid, value: Buffer.from(value.subarray(0, MAX_VALUE_BYTES)) };
  }
  if (type === ObjectType.OID && typeof value === 'string') return { oid, value: value.slice(0, MAX_OID_CHARACTERS) };
  return NUMBERS.has(type as ObjectType) && typeof value === 'number' ? { oid, value } : null;
}

const NUMBERS = new Set([ObjectType.Integer, ObjectType.Gauge, ObjectType.Counter, ObjectType.TimeTicks]);

/** Whether an OID comes after another in lexicographic order. */
function follows(oid: string, former: string): boolean {
  const [a, b] = [oid, former].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return a.length > b.length;
}
