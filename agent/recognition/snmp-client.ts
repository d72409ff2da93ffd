/** Asks one device by SNMP. Whatever it answers, a question ends in time and what is kept of the answers is bounded. */
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
const TIMEOUT_MS = 1_000;
/** With SNMPv3 the device is first asked who it is, and at which time. */
const QUESTION_WITHIN_MS = 3_000;
const REPETITIONS = 25;
const MAX_ROWS = 4_096;
const WALK_WITHIN_MS = 10_000;
/** Of a value. */
const MAX_VALUE_BYTES = 255;
const MAX_OID_CHARACTERS = 128;

/** No answer to a question here is as large. */
const MAX_DATAGRAM_BYTES = 16 * 1024;
/** A question takes three, with SNMPv3 and a clock that has to be set first. */
const MAX_DATAGRAMS = 8;
/** Keys that the library keeps, for each engine id that a device has made up, for ever. */
const MAX_KEYS = 1_000;

/** The library throws out of the handler of its socket when a message is malformed in some ways, which would end the agent. */
class GuardedSession extends Session {
  /** Datagrams that are still heard. */
  left = 0;

  /** The library takes an answer that nobody has signed for that of a user who signs. */
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
      // As if it had not answered.
    }
  }
}

export class SnmpClient {
  readonly #session: GuardedSession;
  readonly #signal: AbortSignal;
  readonly #closed = new AbortController();

  /**
   * @param signal ends what is being asked
   * @param retries how often a question is asked again that has no answer after a second
   */
  constructor(ip: string, credentials: SnmpCredentials, signal: AbortSignal, { port = SNMP_PORT, retries = 0 } = {}) {
    const options = { port, retries, timeout: TIMEOUT_MS };
    this.#session =
      credentials.version === '2c'
        ? new GuardedSession(ip, credentials.community, { ...options, version: Version2c })
        : new GuardedSession(ip, userOf(credentials), { ...options, version: Version3 });
    if (credentials.version === '3' && credentials.level !== 'noAuthNoPriv') this.#session.wantAuthentic();
    // Errors of the socket and of the decoder: the question ends by its time.
    this.#session.on('error', () => {});
    this.#signal = AbortSignal.any([signal, this.#closed.signal]);
  }

  /** The values of these objects, null for each that the device does not have; null when it does not answer. */
  async get(oids: readonly string[]): Promise<(SnmpValue | null)[] | null> {
    const answer = await this.#ask((callback) => {
      this.#session.get([...oids], (error, varbinds) => callback(error, varbinds));
    });
    const rows = answer === null ? null : (answer as Varbind[]).map(rowOf);
    return rows === null ? null : oids.map((oid) => rows.find((row) => row?.oid === oid)?.value ?? null);
  }

  /** What lies below an object, in the order of the device, as far as it answers properly and within the bounds. */
  async walk(base: string): Promise<Row[]> {
    const rows: Row[] = [];
    const until = performance.now() + WALK_WITHIN_MS;
    let last = base;
    while (rows.length < MAX_ROWS && performance.now() < until && !this.#signal.aborted) {
      const answer = await this.#ask((callback) => {
        this.#session.getBulk([last], 0, REPETITIONS, (error, varbinds) => callback(error, varbinds));
      });
      const varbinds = answer === null ? [] : ((answer as Varbind[][])[0] ?? []);
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

  /** Null for every error, because nobody can do anything about them, and their texts may contain secrets. */
  #ask(send: (callback: (error: Error | null, answer?: unknown) => void) => void): Promise<unknown> {
    return new Promise((resolve) => {
      const end = (answer: unknown) => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', abort);
        resolve(answer);
      };
      // A device that answers on and on, but never the question, is not heard any more.
      const abort = () => {
        end(null);
        this.close();
      };
      const timer = setTimeout(abort, QUESTION_WITHIN_MS);
      if (this.#signal.aborted) return abort();
      this.#signal.addEventListener('abort', abort, { once: true });
      this.#session.left = MAX_DATAGRAMS;
      try {
        send((error, answer) => {
          if (error === null && Array.isArray(answer)) end(answer);
          // Who is gone is asked nothing else.
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
  const authentication = { name, authProtocol: AUTHENTICATION[authProtocol], authKey };
  if (level === 'authNoPriv') return { ...authentication, level: SecurityLevel.authNoPriv };
  const { privProtocol, privKey } = credentials;
  return { ...authentication, level: SecurityLevel.authPriv, privProtocol: PRIVACY[privProtocol], privKey };
}

const AUTHENTICATION = {
  MD5: AuthProtocols.md5,
  SHA: AuthProtocols.sha,
  SHA224: AuthProtocols.sha224,
  SHA256: AuthProtocols.sha256,
  SHA384: AuthProtocols.sha384,
  SHA512: AuthProtocols.sha512,
};
const PRIVACY = {
  AES: PrivProtocols.aes,
  AES256B: PrivProtocols.aes256b,
  AES256R: PrivProtocols.aes256r,
};

/** Null for exceptions such as noSuchObject, and for values of no use. A copy, so that the datagram is not kept. */
function rowOf({ oid, type, value }: Varbind): Row | null {
  if (typeof oid !== 'string') return null;
  if (type === ObjectType.OctetString && Buffer.isBuffer(value)) {
    return { oid, value: Buffer.from(value.subarray(0, MAX_VALUE_BYTES)) };
  }
  if (type === ObjectType.OID && typeof value === 'string') return { oid, value: value.slice(0, MAX_OID_CHARACTERS) };
  return NUMBERS.has(type as ObjectType) && typeof value === 'number' ? { oid, value } : null;
}

const NUMBERS = new Set([ObjectType.Integer, ObjectType.Gauge, ObjectType.Counter, ObjectType.TimeTicks]);

/** Whether an OID comes after another in the order in which agents tell theirs. */
function follows(oid: string, former: string): boolean {
  const [a, b] = [oid, former].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return a.length > b.length;
}
