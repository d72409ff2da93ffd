/**
 * Keeps the agent's certificate valid: requests the next one in time, reconnects with it when no command runs, and
 * confirms it to the API, which then retires the previous one. None of this delays a command.
 *
 * The next certificate is on disk before it is used, and the previous one stays there until the API has confirmed. An
 * agent that is killed in between finds both after its next start, at least one of which is valid, and continues.
 */
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { confirmationText, renewalText } from '../../shared/agent/proof.ts';
import { admin } from '../../shared/api/admin.ts';
import { type ClientId, clientIdOf } from '../../shared/identity.ts';
import { ApiError, askApi } from './api-client.ts';
import { certificateRequest } from './certificate-request.ts';
import {
  adoptNextIdentity,
  faultOfCertificate,
  type Identities,
  type Identity,
  readIdentities,
  writeNextIdentity,
} from './identity.ts';

export interface RenewalOptions {
  client: ClientId;
  stateDirectory: string;
  /** URL of the API to use instead of the one that the enrolment stored. */
  api: string | null;
  /** Called when the state directory holds the identity of another agent, so that this one cannot continue. */
  onOtherAgent(other: ClientId): void;
  log: Logger;
}

/** What a renewal needs of the agent whose certificate it renews. */
export interface RenewedAgent {
  /** Whether no command runs or waits to run. */
  isIdle(): boolean;
  isConnected(): boolean;
  /** Ends the connection, if there is one, and connects again at once. */
  reconnect(): void;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** IoT Core issues certificates that are valid until 2049; they are renewed after this time nevertheless. */
const OLDEST_MS = 365 * DAY_MS;
/**
 * Checked this often because clocks are set, hosts sleep, the agent may be enrolled again, and timers cannot run for
 * months.
 */
const CHECK_INTERVAL_MS = HOUR_MS;
const FIRST_LOOK_MS = 3 * SECOND_MS;
/** How long to wait for a moment without commands before the connection is changed all the same. */
const IDLE_WITHIN_MS = 10 * MINUTE_MS;
const LOOK_FOR_IDLE_MS = SECOND_MS;
/** Time for an attempt with the next certificate and, if that fails, one with the current certificate. */
const CONNECTED_WITHIN_MS = 30 * SECOND_MS;
const LOOK_FOR_CONNECTION_MS = 50;
const RETRY = { firstMs: MINUTE_MS, mostMs: 6 * HOUR_MS };
/** A broker may not know a new certificate at once. After so many attempts another certificate is requested. */
const MAX_MOVES = 3;

const NO_API =
  'the agent does not know the API, because an early version enrolled it. Set LANREACH_API to its URL, or enrol it again';

export class Renewal {
  readonly #options: RenewalOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};
  #isWoken = false;
  /** The certificate of the present or the last connection. */
  #connectedWith: string | null = null;
  /** Number of connections so far. */
  #connections = 0;
  /** Failed attempts since the last connection. */
  #attempts = 0;
  #failedMoves = 0;
  #pausedUntil = 0;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /**
   * The identity for the next connection attempt: the next one first, then in turn with the current one. Only the
   * broker can tell which one works: it may not know the next one yet, and the current one is already retired if the
   * agent was killed after the API had confirmed the next one.
   * @throws {Error} when the state directory holds no identity of this agent
   */
  async identityToUse(): Promise<Identity> {
    const { current, next } = await this.#read();
    const isNextDue = this.#attempts++ % 2 === 0;
    return next !== null && isNextDue ? next : current;
  }

  /** To be called when the agent has connected with this certificate. */
  connected(certificate: string): void {
    this.#connections++;
    this.#attempts = 0;
    if (certificate === this.#connectedWith) return;
    this.#connectedWith = certificate;
    this.#isWoken = true;
    this.#wake();
  }

  /** Watches the certificate until `stop`. */
  start(agent: RenewedAgent): void {
    void this.#live(agent);
  }

  /** Starts nothing more. A renewal that is under way may be interrupted at any point. */
  stop(): void {
    this.#stopping.abort();
    this.#wake();
  }

  async #live(agent: RenewedAgent): Promise<void> {
    await sleep(FIRST_LOOK_MS * (1 + Math.random()), undefined, { signal: this.#stopping.signal }).catch(() => {});
    await this.#warnIfImpossible();
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      this.#isWoken = false;
      let waitMs: number;
      try {
        waitMs = await this.#step(agent);
        if (waitMs > 0) failures = 0;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        failures++;
        waitMs = await this.#report(error, failures);
      }
      await this.#pause(waitMs);
    }
  }

  /**
   * Warns at every start when the renewal is impossible, because a person has to change something while there is time.
   */
  async #warnIfImpossible(): Promise<void> {
    const { current } = await this.#read().catch(() => ({ current: null }));
    if (current === null || this.#options.api !== null || current.api !== null) return;
    const { certificate } = current;
    const dueAt = new Date(renewalDue(certificate)).toISOString();
    this.#log.warn({ dueAt, validUntil: validUntil(certificate) }, `the certificate will not be renewed: ${NO_API}`);
  }

  /** Does what is due. @returns how long to wait before the next step */
  async #step(agent: RenewedAgent): Promise<number> {
    const { current, next } = await this.#read();
    if (next !== null && this.#isToBeConfirmed(current, next)) {
      await this.#confirm(current, next);
      return 0;
    }
    const wanted = next ?? current;
    if (this.#failedMoves < MAX_MOVES) {
      if (agent.isConnected() && this.#connectedWith !== wanted.certificate) return this.#move(agent, wanted);
      if (next !== null) return MINUTE_MS; // Wait for a connection.
    }
    if (next === null) {
      const dueInMs = Math.max(renewalDue(current.certificate), this.#pausedUntil) - Date.now();
      if (dueInMs > 0) return Math.min(dueInMs, CHECK_INTERVAL_MS);
    }
    await this.#renew(current);
    return 0;
  }

  /**
   * Whether the agent has connected with the next certificate. If both have expired, it is confirmed without a
   * connection, because the API checks only the key.
   */
  #isToBeConfirmed(current: Identity, next: Identity): boolean {
    if (this.#connectedWith === next.certificate) return true;
    return [current, next].every(({ certificate }) => expiryOf(certificate) < Date.now());
  }

  /**
   * Requests the next certificate, signed with the current key. The API retires any earlier one that was never
   * confirmed.
   */
  async #renew(current: Identity): Promise<void> {
    const api = this.#apiOf(current);
    const { key, csr } = await certificateRequest();
    const at = Date.now();
    const { agent } = current;
    const answer = await askApi(admin.renewAgent, api, {
      agent,
      at,
      csr,
      signature: signature(current, renewalText(agent, at, csr)),
    });
    const { certificate } = answer;
    const fault = faultOfCertificate({ certificate, key });
    if (fault !== null) throw new Error(`the API answered with ${fault}`);
    // An answer over plain HTTP could be forged, so it must not change the broker or its certificate authority.
    const trusted = api.startsWith('https:') ? { broker: answer.broker, authority: answer.authority } : {};
    await writeNextIdentity(this.#options.stateDirectory, current, { ...current, ...trusted, key, certificate });
    this.#attempts = 0;
    this.#failedMoves = 0;
    // A new certificate may already be due, for instance when its lifetime is very short: pause between renewals.
    this.#pausedUntil = at + Math.min(Math.max(expiryOf(certificate) - at, 0) / 10, DAY_MS);
    this.#log.info({ validUntil: validUntil(certificate) }, 'the next certificate has been issued');
  }

  /** Reconnects with another certificate; if that does not work, the agent connects with the current one again. */
  async #move(agent: RenewedAgent, wanted: Identity): Promise<number> {
    await this.#until(() => agent.isIdle() || !agent.isConnected(), LOOK_FOR_IDLE_MS, IDLE_WITHIN_MS);
    const before = this.#connections;
    this.#attempts = 0;
    agent.reconnect();
    await this.#until(() => this.#connections > before, LOOK_FOR_CONNECTION_MS, CONNECTED_WITHIN_MS);
    if (this.#connectedWith === wanted.certificate) return 0;
    if (this.#connections === before) return MINUTE_MS; // The broker cannot be reached at all.
    this.#failedMoves++;
    throw new Error('the broker cannot be reached with the next certificate');
  }

  /** Completes a renewal: the API retires the previous certificate. */
  async #confirm(current: Identity, next: Identity): Promise<void> {
    const at = Date.now();
    try {
      await askApi(admin.confirmAgent, this.#apiOf(next), {
        agent: next.agent,
        at,
        signature: signature(next, confirmationText(next.agent, at)),
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Another renewal has come in between. The API still accepts the current certificate.
      await this.#renew(current);
      throw new Error('the API does not know the next certificate, and has issued another one', { cause: error });
    }
    await adoptNextIdentity(this.#options.stateDirectory, next);
    this.#log.info({ validUntil: validUntil(next.certificate) }, 'the certificate has been renewed');
  }

  /** Waits until `isSo` returns true, or the time is over. */
  async #until(isSo: () => boolean, everyMs: number, withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (!isSo() && performance.now() < giveUpAt) {
      await sleep(everyMs, undefined, { signal: this.#stopping.signal });
    }
  }

  /** @throws {Error} also when the identity belongs to another agent */
  async #read(): Promise<Identities> {
    const identities = await readIdentities(this.#options.stateDirectory);
    const { stage, agent } = identities.current;
    const client = clientIdOf(stage, agent);
    if (client !== this.#options.client) {
      this.#options.onOtherAgent(client);
      throw new Error(`the state directory holds the identity of another agent, ${client}`);
    }
    return identities;
  }

  #apiOf(identity: Identity): string {
    const api = this.#options.api ?? identity.api;
    if (api !== null) return api;
    throw new Error(NO_API);
  }

  /** Logs a failure, with a higher level when the certificate is about to expire. @returns when to try again */
  async #report(error: unknown, failures: number): Promise<number> {
    const identities = await this.#read().catch(() => null);
    const certificate = identities === null ? null : (identities.next ?? identities.current).certificate;
    const leftMs = certificate === null ? Number.POSITIVE_INFINITY : expiryOf(certificate) - Date.now();
    const waitMs = retryAfterMs(failures, leftMs, isRefusal(error));
    const isNear = certificate !== null && leftMs < lifeOf(certificate) / 6;
    this.#log[isNear ? 'error' : 'warn'](
      {
        err: error,
        ...(certificate === null ? {} : { validUntil: validUntil(certificate) }),
        againInS: Math.round(waitMs / SECOND_MS),
      },
      leftMs < 0 ? 'the certificate has expired and cannot be renewed' : 'the certificate cannot be renewed',
    );
    return waitMs;
  }

  /** Waits, but ends early when the agent connects with another certificate. */
  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#isWoken || this.#stopping.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    this.#wake = () => {};
    clearTimeout(timer);
  }
}

/**
 * When to renew a certificate (Unix, ms): after two thirds of its lifetime, or after a year. Up to a tenth earlier, by
 * an amount that depends on the certificate, so that agents that were enrolled together do not renew together.
 */
export function renewalDue(certificatePem: string): number {
  const certificate = new X509Certificate(certificatePem);
  const from = Date.parse(certificate.validFrom);
  const spread = createHash('sha256').update(certificate.raw).digest().readUInt32BE() / 2 ** 32;
  return from + Math.min((lifeOf(certificatePem) * 2) / 3, OLDEST_MS) * (1 - spread / 10);
}

/**
 * How long to wait after so many failures in a row: longer each time, but at most a tenth of the remaining lifetime.
 */
export function retryAfterMs(failures: number, leftMs: number, isRefused: boolean, random = Math.random()): number {
  const doubled = isRefused ? RETRY.mostMs : Math.min(RETRY.firstMs * 2 ** (failures - 1), RETRY.mostMs);
  // After the expiry, and without an identity, the agent can do nothing else: try often.
  const bound = leftMs > 0 ? Math.max(leftMs / 10, SECOND_MS) : 5 * MINUTE_MS;
  return Math.min(doubled, bound) * (0.5 + random / 2);
}

function signature({ key }: Identity, text: string): string {
  return sign('sha256', Buffer.from(text), createPrivateKey(key)).toString('base64');
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'enrolment_refused';
}

function expiryOf(certificatePem: string): number {
  return Date.parse(new X509Certificate(certificatePem).validTo);
}

function validUntil(certificatePem: string): string {
  return new Date(expiryOf(certificatePem)).toISOString();
}

function lifeOf(certificatePem: string): number {
  return expiryOf(certificatePem) - Date.parse(new X509Certificate(certificatePem).validFrom);
}
