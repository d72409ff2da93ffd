/**
 * Keeps the agent's certificate valid: requests the next one in time, with a proof by the current key, and reconnects with
 * it when no command runs. The broker notifies the service of that connection, and the service revokes the certificate
 * before. None of this delays a command.
 *
 * The next certificate is on disk before its use, and the current one stays until the agent has connected with the next.
 * An agent that is killed in between finds both, at least one of which is valid.
 */
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { renewalText } from '../../shared/agent/proof.ts';
import { admin } from '../../shared/api/admin.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time.ts';
import { ApiError, callApi } from './api-client.ts';
import { certificateRequest } from './certificate-request.ts';
import { faultOfCertificate, type Identities, type Identity, writeIdentities } from './identity.ts';

export interface RenewedAgent {
  /** Whether no command runs or waits. */
  isIdle(): boolean;
  isConnected(): boolean;
  /** Ends the connection, if there is one, and connects again at once. */
  reconnect(): void;
}

const RETRY = { firstMs: MINUTE_MS, mostMs: 6 * HOUR_MS };
/** A broker may not know a new certificate at once. After these attempts the agent requests another certificate. */
const MAX_MOVES = 3;

export class Renewal {
  readonly #directory: string;
  readonly #api: string | null;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #identities: Identities;
  /** The certificate of the present or the last connection. */
  #connectedWith: string | null = null;
  #connections = 0;
  /** Failed attempts since the last connection. */
  #attempts = 0;
  #failedMoves = 0;
  #pausedUntil = 0;
  /** Aborted when the next step is due at once. */
  #woken = new AbortController();

  /**
   * @param identities of the state directory, which no other process writes while the agent runs
   * @param api overrides the API that the enrolment stored
   */
  constructor(directory: string, identities: Identities, api: string | null, log: Logger) {
    this.#directory = directory;
    this.#identities = identities;
    this.#api = api;
    this.#log = log;
  }

  /**
   * The identity for the next attempt to connect: the next one first, then alternately. Only the broker knows which one
   * works: it may not know the next one yet, and the current one is revoked already if the agent was killed right after its
   * first connection with the next one.
   */
  identityToUse(): Identity {
    const { current, next } = this.#identities;
    const isNextDue = this.#attempts++ % 2 === 0;
    return next !== null && isNextDue ? next : current;
  }

  identityInUse(): Identity {
    const { current, next } = this.#identities;
    return next !== null && next.certificate === this.#connectedWith ? next : current;
  }

  /** To be called when the agent has connected with this certificate. */
  connected(certificate: string): void {
    this.#connections++;
    this.#attempts = 0;
    this.#connectedWith = certificate;
    if (certificate === this.#identities.next?.certificate) this.#woken.abort();
  }

  /** Monitors the certificate until `stop`. */
  async start(agent: RenewedAgent): Promise<void> {
    let failures = 0;
    await this.#wait(3 * SECOND_MS * (1 + Math.random()));
    while (!this.#stopping.signal.aborted) {
      try {
        const waitMs = await this.#step(agent);
        if (waitMs > 0) failures = 0;
        await this.#wait(waitMs);
      } catch (error) {
        await this.#wait(this.#report(error, ++failures));
      }
    }
  }

  /** May interrupt a renewal at any point. */
  stop(): void {
    this.#stopping.abort();
    this.#woken.abort();
  }

  /** Takes the step that is due. @returns how long to wait before the next one */
  async #step(agent: RenewedAgent): Promise<number> {
    this.#woken = new AbortController();
    const { current, next } = this.#identities;
    if (next === null) {
      const dueInMs = Math.max(renewalDue(current.certificate), this.#pausedUntil) - Date.now();
      // Hourly at least, because clocks are set, hosts sleep, and timers cannot run for months.
      if (dueInMs > 0) return Math.min(dueInMs, HOUR_MS);
      await this.#renew();
    } else if (this.#connectedWith === next.certificate) {
      await this.#store({ current: next, next: null });
      this.#log.info({ validUntil: validUntil(next.certificate) }, 'the certificate has been renewed');
    } else if (this.#failedMoves >= MAX_MOVES || expiryOf(next.certificate) < Date.now()) {
      await this.#renew();
    } else if (!agent.isConnected() || !(await this.#move(agent, next))) {
      return MINUTE_MS;
    }
    return 0;
  }

  /** Requests the next certificate. The service revokes any earlier one that was never used. */
  async #renew(): Promise<void> {
    const { current, next } = this.#identities;
    try {
      await this.#renewAs(current);
    } catch (error) {
      // The service may know of a connection with the next one that the agent does not.
      if (next === null || !isRefusal(error)) throw error;
      await this.#renewAs(next);
    }
  }

  async #renewAs(identity: Identity): Promise<void> {
    const api = this.#api ?? identity.api;
    const { key, csr } = await certificateRequest();
    const at = Date.now();
    const { agent } = identity;
    const proof = sign('sha256', Buffer.from(renewalText(agent, at, csr)), createPrivateKey(identity.key));
    const answer = await callApi(admin.renewAgent, api, { agent, at, csr, signature: proof.toString('base64') });
    const { certificate } = answer;
    const fault = faultOfCertificate({ certificate, key });
    if (fault !== null) throw new Error(`the API answered with ${fault}`);
    // A response over plain HTTP could be forged, so it must not change the broker or its certificate authority.
    const trusted = api.startsWith('https:') ? { broker: answer.broker, authority: answer.authority } : {};
    await this.#store({ current: identity, next: { ...identity, ...trusted, key, certificate } });
    this.#attempts = 0;
    this.#failedMoves = 0;
    // A certificate with a very short lifetime may be due at once: pause between renewals.
    this.#pausedUntil = at + Math.min(Math.max(expiryOf(certificate) - at, 0) / 10, DAY_MS);
    this.#log.info({ validUntil: validUntil(certificate) }, 'the next certificate has been issued');
  }

  /** Reconnects with the next certificate, else the current one. @returns false when the broker is unreachable */
  async #move(agent: RenewedAgent, next: Identity): Promise<boolean> {
    await this.#until(() => agent.isIdle() || !agent.isConnected(), 10 * MINUTE_MS);
    const before = this.#connections;
    this.#attempts = 0;
    agent.reconnect();
    // Time for an attempt with the next certificate and, if that fails, one with the current certificate.
    await this.#until(() => this.#connections > before, 30 * SECOND_MS);
    if (this.#connectedWith === next.certificate) return true;
    if (this.#connections === before) return false;
    this.#failedMoves++;
    throw new Error('the broker cannot be reached with the next certificate');
  }

  async #store(identities: Identities): Promise<void> {
    await writeIdentities(this.#directory, identities);
    this.#identities = identities;
  }

  /** Logs a failure, with a higher level when the certificate is about to expire. @returns when to retry */
  #report(error: unknown, failures: number): number {
    if (this.#stopping.signal.aborted) return 0;
    const { certificate } = this.#identities.next ?? this.#identities.current;
    const leftMs = expiryOf(certificate) - Date.now();
    const waitMs = retryAfterMs(failures, leftMs, isRefusal(error));
    this.#log[leftMs < lifeOf(certificate) / 6 ? 'error' : 'warn'](
      { err: error, validUntil: validUntil(certificate), retryInS: Math.round(waitMs / SECOND_MS) },
      leftMs < 0 ? 'the certificate has expired and cannot be renewed' : 'the certificate cannot be renewed',
    );
    return waitMs;
  }

  async #until(isSo: () => boolean, withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (!isSo() && performance.now() < giveUpAt) await sleep(100, undefined, { signal: this.#stopping.signal });
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#woken.signal, ref: false }).catch(() => {});
  }
}

/**
 * When to renew a certificate (Unix, ms): after two thirds of its lifetime, or a year, because those of IoT Core are valid
 * until 2049. Up to a tenth earlier, by a hash of the certificate, so that agents enrolled together do not renew together.
 */
export function renewalDue(certificatePem: string): number {
  const certificate = new X509Certificate(certificatePem);
  const from = Date.parse(certificate.validFrom);
  const spread = createHash('sha256').update(certificate.raw).digest().readUInt32BE() / 2 ** 32;
  return from + Math.min((lifeOf(certificatePem) * 2) / 3, 365 * DAY_MS) * (1 - spread / 10);
}

/** Exponential back-off, but at most a tenth of the remaining lifetime. */
export function retryAfterMs(failures: number, leftMs: number, isRefused: boolean, random = Math.random()): number {
  const doubled = isRefused ? RETRY.mostMs : Math.min(RETRY.firstMs * 2 ** (failures - 1), RETRY.mostMs);
  // After the expiry the agent can do nothing else: retry often.
  const bound = leftMs > 0 ? Math.max(leftMs / 10, SECOND_MS) : 5 * MINUTE_MS;
  return Math.min(doubled, bound) * (0.5 + random / 2);
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
