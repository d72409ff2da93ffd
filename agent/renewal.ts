/**
 * Sees to it that the agent always has a certificate that is good: gets a further one in time, moves the agent's
 * connection to it, and tells the API, which retires the one before. None of this holds up a command.
 *
 * Every step is on disk before the next, so that an agent that was killed goes on where it was. What a step needs may
 * fail for days; it is tried again, and what is old stays good until what is new has been used.
 */
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { confirmationText, renewalText } from '../shared/agent/proof.ts';
import { admin } from '../shared/api/admin.ts';
import type { AgentId } from '../shared/identity.ts';
import type { Agent } from './agent.ts';
import { ApiError, askApi } from './api.ts';
import { certificateRequest } from './certificate-request.ts';
import {
  advanceNextIdentity,
  faultOfCertificate,
  type Identities,
  type Identity,
  readIdentities,
  writeNextIdentity,
} from './identity.ts';

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
export type RenewedAgent = Pick<Agent, 'isIdle' | 'isConnected' | 'reconnect'>;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A certificate that was made to last until 2049 is renewed nevertheless. */
const OLDEST_MS = 365 * DAY_MS;
/** Clocks are set, hosts sleep, and somebody may have enrolled the agent again. Timers cannot wait for months anyway. */
const LOOK_EVERY_MS = HOUR_MS;
const FIRST_LOOK_MS = 3 * SECOND_MS;
/** The connection is replaced when no command runs, or after this time. */
const IDLE_WITHIN_MS = 10 * MINUTE_MS;
const LOOK_FOR_IDLE_MS = SECOND_MS;
const RETRY = { firstMs: MINUTE_MS, mostMs: 6 * HOUR_MS };
/** A broker that has just been told of a certificate may not know it at once. After so many tries it is thrown away. */
const MOVES = 3;

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
  /** Whether the next attempt to connect is to be made with a certificate that was never used. */
  #tryNext = true;
  #failedMoves = 0;
  #restsUntil = 0;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /**
   * With which identity to connect now. A new one that was never used is tried in turn with the one before.
   * @throws {Error} when there is none of this agent
   */
  async identityToUse(): Promise<Identity> {
    const { present, next } = await this.#read();
    if (next === null) return present;
    if (next.stage === 'connected') return next.identity;
    const turn = this.#tryNext;
    this.#tryNext = !turn;
    return turn ? next.identity : present;
  }

  /** The agent can be reached, over a connection with this certificate. */
  connected(certificate: string): void {
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
    const { present } = await this.#read().catch(() => ({ present: null }));
    if (present === null || this.#options.api !== null || present.api !== null) return;
    const { certificate } = present;
    const dueAt = new Date(renewalDue(certificate)).toISOString();
    this.#log.warn({ dueAt, validUntil: validUntil(certificate) }, `the certificate will not be renewed: ${NO_API}`);
  }

  /** Does what is to be done next. @returns how long to wait for what comes after it */
  async #step(agent: RenewedAgent): Promise<number> {
    const { present, next } = await this.#read();
    const wanted = next?.identity ?? present;
    if (next?.stage === 'issued' && this.#connectedWith === next.identity.certificate) {
      await this.#advance(next.identity, 'connected');
      return 0;
    }
    if (next?.stage === 'connected') {
      await this.#confirm(agent, next.identity);
      return 0;
    }
    if (agent.isConnected() && this.#connectedWith !== wanted.certificate) return this.#move(agent, wanted);
    if (next !== null) return MINUTE_MS; // A connection will come.
    const dueInMs = Math.max(renewalDue(present.certificate), this.#restsUntil) - Date.now();
    if (dueInMs > 0) return Math.min(dueInMs, LOOK_EVERY_MS);
    await this.#renew(present);
    return 0;
  }

  async #renew(present: Identity): Promise<void> {
    const api = this.#apiOf(present);
    const { key, csr } = await certificateRequest();
    const at = Date.now();
    const { agent } = present;
    const answer = await askApi(admin.renewAgent, api, {
      agent,
      at,
      csr,
      signature: signature(present, renewalText(agent, at, csr)),
    });
    const { certificate } = answer;
    const fault = faultOfCertificate({ certificate, key });
    if (fault !== null) throw new Error(`the API answered with ${fault}`);
    // Who can change what travels in clear text must not become our broker.
    const trusted = api.startsWith('https:') ? { broker: answer.broker, authority: answer.authority } : {};
    await writeNextIdentity(this.#options.stateDirectory, { ...present, ...trusted, key, certificate });
    this.#tryNext = true;
    this.#failedMoves = 0;
    // A certificate of which two thirds have passed as soon as it is made must not be renewed without a pause.
    this.#restsUntil = at + Math.min(Math.max(expiryOf(certificate) - at, 0) / 10, DAY_MS);
    this.#log.info({ validUntil: validUntil(certificate) }, 'a further certificate has been issued');
  }

  async #move(agent: RenewedAgent, wanted: Identity): Promise<number> {
    const giveUpAt = performance.now() + IDLE_WITHIN_MS;
    while (!agent.isIdle() && performance.now() < giveUpAt) {
      await sleep(LOOK_FOR_IDLE_MS, undefined, { signal: this.#stopping.signal });
      if (!agent.isConnected()) return MINUTE_MS; // It is dialled anew anyway.
    }
    this.#tryNext = true;
    const endpoint = await agent.reconnect();
    if (endpoint?.cert === wanted.certificate) {
      this.#connectedWith = wanted.certificate;
      return 0;
    }
    if (++this.#failedMoves >= MOVES) await this.#advance(wanted, 'dropped');
    throw new Error('the broker cannot be reached with the further certificate');
  }

  /** The end of a renewal: the certificate before is retired by it. */
  async #confirm(agent: RenewedAgent, identity: Identity): Promise<void> {
    const at = Date.now();
    try {
      await askApi(admin.confirmAgent, this.#apiOf(identity), {
        agent: identity.agent,
        at,
        signature: signature(identity, confirmationText(identity.agent, at)),
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Another renewal has come in between; by the certificate before the agent is still known.
      await this.#advance(identity, 'dropped');
      if (agent.isConnected()) await agent.reconnect();
      throw new Error('the API does not know the further certificate', { cause: error });
    }
    await this.#advance(identity, 'current');
    this.#log.info({ validUntil: validUntil(identity.certificate) }, 'the certificate has been renewed');
  }

  async #advance(identity: Identity, to: 'connected' | 'current' | 'dropped'): Promise<void> {
    await advanceNextIdentity(this.#options.stateDirectory, identity.certificate, to);
  }

  /** @throws {Error} also when the identity is another agent's */
  async #read(): Promise<Identities> {
    const identities = await readIdentities(this.#options.stateDirectory);
    const { agent } = identities.present;
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
    const certificate = identities === null ? null : (identities.next?.identity ?? identities.present).certificate;
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
