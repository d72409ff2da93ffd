/**
 * Sees to it that the agent always has a certificate that is good: gets a further one in time, changes the connection to
 * it when no command runs, and tells the API, which then retires the one before. None of this holds up a command.
 *
 * The further certificate is on disk before it is used, and the one before stays there until the API has been told. So
 * an agent that is killed finds both after its next start, of which one at least is good, and goes on from there.
 */
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { confirmationText, renewalText } from '../../shared/agent/proof.ts';
import { admin } from '../../shared/api/admin.ts';
import type { AgentId } from '../../shared/identity.ts';
import { certificateRequest } from '../identity/certificate-request.ts';
import {
  adoptNextIdentity,
  faultOfCertificate,
  type Identities,
  type Identity,
  readIdentities,
  writeNextIdentity,
} from '../identity/identity.ts';
import { ApiError, askApi } from './api-client.ts';

export interface RenewalOptions {
  agent: AgentId;
  stateDirectory: string;
  /** Where the API is found instead of where the enrolment found it. */
  api: string | null;
  /** The state directory holds the identity of another agent: this one cannot go on. */
  onOtherAgent(other: AgentId): void;
  log: Logger;
}

/** What a renewal does with the agent that it is for. */
export interface RenewedAgent {
  /** Whether no command runs or waits to run. */
  isIdle(): boolean;
  isConnected(): boolean;
  /** Ends the connection, if there is one, and dials anew at once. */
  reconnect(): void;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A certificate that was made to last until 2049 is renewed nevertheless. */
const OLDEST_MS = 365 * DAY_MS;
/** Clocks are set, hosts sleep, and somebody may have enrolled the agent again. Timers cannot wait for months anyway. */
const LOOK_EVERY_MS = HOUR_MS;
const FIRST_LOOK_MS = 3 * SECOND_MS;
/** The connection is changed when no command runs, or after this time. */
const IDLE_WITHIN_MS = 10 * MINUTE_MS;
const LOOK_FOR_IDLE_MS = SECOND_MS;
/** For an attempt with the further certificate, and where that fails one with the certificate before. */
const CONNECTED_WITHIN_MS = 30 * SECOND_MS;
const LOOK_FOR_CONNECTION_MS = 50;
const RETRY = { firstMs: MINUTE_MS, mostMs: 6 * HOUR_MS };
/** A broker that has just been told of a certificate may not know it at once. After so many tries another one is asked for. */
const MAX_MOVES = 3;

const NO_API =
  'the agent does not know the API, because an early version enrolled it. Set LANREACH_API to its URL, or enrol it again';

export class Renewal {
  readonly #options: RenewalOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};
  #isWoken = false;
  /** The certificate of the connection that there is, or was last. */
  #connectedWith: string | null = null;
  /** How many connections there have been. */
  #connections = 0;
  /** Attempts to connect since the last connection. */
  #attempts = 0;
  #failedMoves = 0;
  #restsUntil = 0;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /**
   * With which identity to connect now: with the next one first, and in turn with the current one. Which of them is good
   * only the broker can tell: the next one may not be yet, and the current one is not any more where the agent was killed
   * after it had told the API of the next one.
   * @throws {Error} when there is none of this agent
   */
  async identityToUse(): Promise<Identity> {
    const { current, next } = await this.#read();
    const isNextDue = this.#attempts++ % 2 === 0;
    return next !== null && isNextDue ? next : current;
  }

  /** The agent can be reached, over a connection with this certificate. */
  connected(certificate: string): void {
    this.#connections++;
    this.#attempts = 0;
    if (certificate === this.#connectedWith) return;
    this.#connectedWith = certificate;
    this.#isWoken = true;
    this.#wake();
  }

  /** Begins to look after the certificate, until `stop`. */
  start(agent: RenewedAgent): void {
    void this.#live(agent);
  }

  /** Begins nothing more. What is under way can be cut off at any point. */
  stop(): void {
    this.#stopping.abort();
    this.#wake();
  }

  async #live(agent: RenewedAgent): Promise<void> {
    await sleep(FIRST_LOOK_MS * (1 + Math.random()), undefined, { signal: this.#stopping.signal }).catch(() => {});
    await this.#sayIfItCannot();
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

  /** Said at every start, while there is time: somebody has to do something about it. */
  async #sayIfItCannot(): Promise<void> {
    const { current } = await this.#read().catch(() => ({ current: null }));
    if (current === null || this.#options.api !== null || current.api !== null) return;
    const { certificate } = current;
    const dueAt = new Date(renewalDue(certificate)).toISOString();
    this.#log.warn({ dueAt, validUntil: validUntil(certificate) }, `the certificate will not be renewed: ${NO_API}`);
  }

  /** Does what is to be done next. @returns how long to wait for what comes after it */
  async #step(agent: RenewedAgent): Promise<number> {
    const { current, next } = await this.#read();
    if (next !== null && this.#isToBeConfirmed(current, next)) {
      await this.#confirm(current, next);
      return 0;
    }
    const wanted = next ?? current;
    if (this.#failedMoves < MAX_MOVES) {
      if (agent.isConnected() && this.#connectedWith !== wanted.certificate) return this.#move(agent, wanted);
      if (next !== null) return MINUTE_MS; // A connection will come.
    }
    if (next === null) {
      const dueInMs = Math.max(renewalDue(current.certificate), this.#restsUntil) - Date.now();
      if (dueInMs > 0) return Math.min(dueInMs, LOOK_EVERY_MS);
    }
    await this.#renew(current);
    return 0;
  }

  /** Once the agent has connected with it; or without that, if both certificates have expired, because the API checks only the key. */
  #isToBeConfirmed(current: Identity, next: Identity): boolean {
    if (this.#connectedWith === next.certificate) return true;
    return [current, next].every(({ certificate }) => expiryOf(certificate) < Date.now());
  }

  /** Asks for a further certificate, with the key of the current one. The API retires one that was not confirmed. */
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
    // Who can change what travels in clear text must not become our broker.
    const trusted = api.startsWith('https:') ? { broker: answer.broker, authority: answer.authority } : {};
    await writeNextIdentity(this.#options.stateDirectory, current, { ...current, ...trusted, key, certificate });
    this.#attempts = 0;
    this.#failedMoves = 0;
    // A certificate of which two thirds have passed as soon as it is made must not be renewed without a pause.
    this.#restsUntil = at + Math.min(Math.max(expiryOf(certificate) - at, 0) / 10, DAY_MS);
    this.#log.info({ validUntil: validUntil(certificate) }, 'a further certificate has been issued');
  }

  /** Changes the connection to another certificate; where that cannot be used, it comes back with the one before. */
  async #move(agent: RenewedAgent, wanted: Identity): Promise<number> {
    await this.#until(() => agent.isIdle() || !agent.isConnected(), LOOK_FOR_IDLE_MS, IDLE_WITHIN_MS);
    const before = this.#connections;
    this.#attempts = 0;
    agent.reconnect();
    await this.#until(() => this.#connections > before, LOOK_FOR_CONNECTION_MS, CONNECTED_WITHIN_MS);
    if (this.#connectedWith === wanted.certificate) return 0;
    if (this.#connections === before) return MINUTE_MS; // The broker is away.
    this.#failedMoves++;
    throw new Error('the broker cannot be reached with the further certificate');
  }

  /** The end of a renewal: the certificate before is retired by it. */
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
      // Another renewal has come in between. By the current certificate the agent is still known.
      await this.#renew(current);
      throw new Error('the API does not know the further certificate, and has issued another one', { cause: error });
    }
    await adoptNextIdentity(this.#options.stateDirectory, next);
    this.#log.info({ validUntil: validUntil(next.certificate) }, 'the certificate has been renewed');
  }

  /** Waits until it is so, or the time is over. */
  async #until(isSo: () => boolean, everyMs: number, withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (!isSo() && performance.now() < giveUpAt) {
      await sleep(everyMs, undefined, { signal: this.#stopping.signal });
    }
  }

  /** @throws {Error} also when the identity is another agent's */
  async #read(): Promise<Identities> {
    const identities = await readIdentities(this.#options.stateDirectory);
    const { agent } = identities.current;
    if (agent !== this.#options.agent) {
      this.#options.onOtherAgent(agent);
      throw new Error(`the state directory holds the identity of ${agent}`);
    }
    return identities;
  }

  #apiOf(identity: Identity): string {
    const api = this.#options.api ?? identity.api;
    if (api !== null) return api;
    throw new Error(NO_API);
  }

  /** Says what has failed, the louder the nearer the end is. @returns when to try again */
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

  /** Ends early when there is a connection with another certificate. */
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
 * When a certificate is to be renewed (Unix, ms): when two thirds of its life have passed, or a year. Up to a tenth
 * sooner, which differs from one certificate to the next: agents that were enrolled together do not come together.
 */
export function renewalDue(certificatePem: string): number {
  const certificate = new X509Certificate(certificatePem);
  const from = Date.parse(certificate.validFrom);
  const spread = createHash('sha256').update(certificate.raw).digest().readUInt32BE() / 2 ** 32;
  return from + Math.min((lifeOf(certificatePem) * 2) / 3, OLDEST_MS) * (1 - spread / 10);
}

/** How long to wait after so many failures in a row: longer each time, but never more than a tenth of what is left. */
export function retryAfterMs(failures: number, leftMs: number, isRefused: boolean, random = Math.random()): number {
  const doubled = isRefused ? RETRY.mostMs : Math.min(RETRY.firstMs * 2 ** (failures - 1), RETRY.mostMs);
  // After the end nothing else works any more; so does nothing without an identity.
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
