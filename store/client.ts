/**
 * The client of DynamoDB: signed calls over HTTP, with deadlines, retries, and a bound on how many are under way.
 *
 * It makes the same requests as the client of the AWS SDK, and treats errors as that does, for a fifth to a third of
 * its processor time: see docs/decisions/043-a-client-of-our-own.md.
 */
import { type Agent, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { openSemaphore, type Semaphore } from '../api/http/semaphore.ts';
import { deadline } from '../shared/async.ts';
import { DynamoDBError, noAnswer, outputOf } from './dynamodb-error.ts';
import { type Answer, type Peer, post } from './http-exchange.ts';
import type { Input, Operation, Output } from './operations.ts';
import { openRetries } from './retries.ts';
import { type Credentials, openSigner } from './signature.ts';

export interface ClientSettings {
  region: string;
  /** Another DynamoDB than the one of the region, such as the embedded engine. */
  endpoint?: string;
  /** Opens the connections, if the endpoint cannot be reached over the network of this process. */
  httpAgent?: Agent;
  /** Called for each attempt, because those of a role are replaced before they expire. */
  credentials(): Credentials | Promise<Credentials>;
}

/** Connections, and calls on them. Others wait for their turn. */
export const AT_ONCE = 50;
/** How many may wait, and how long. One after the other, so many are answered in about a second. */
const WAITING = 4_000;
const WAIT_MS = 5_000;
const RETRY_AFTER_S = 2;

const CONNECT_MS = 1_000;
/** Through another process, which takes longer. */
const CONNECT_MS_OF_AGENT = 3_000;
/** How long it may take to find credentials, such as those of a role. */
const CREDENTIALS_MS = 5_000;

/** DynamoDB refuses signatures of a clock that is wrong by five minutes. */
const LEAST_SKEW_MS = 4 * 60_000;

/** The end of the names of DynamoDB's hosts, by the beginning of the names of regions; else amazonaws.com. */
const SUFFIXES: readonly (readonly [region: RegExp, suffix: string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
];

export class Client {
  readonly endpoint: URL;
  readonly #peer: Peer;
  readonly #credentials: ClientSettings['credentials'];
  readonly #sign: ReturnType<typeof openSigner>;
  readonly #turns: Semaphore;
  readonly #withRetries = openRetries();
  /** Added to the time of this host for signatures. */
  #clockOffsetMs = 0;

  constructor({ region, endpoint, httpAgent, credentials }: ClientSettings) {
    const url = new URL(endpoint ?? regionalEndpoint(region));
    const OwnAgent = url.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.endpoint = url;
    this.#peer = {
      url,
      agent: httpAgent ?? new OwnAgent({ keepAlive: true, maxSockets: AT_ONCE }),
      connectMs: httpAgent === undefined ? CONNECT_MS : CONNECT_MS_OF_AGENT,
    };
    this.#credentials = credentials;
    this.#sign = openSigner({ region, host: url.host, path: url.pathname });
    this.#turns = openSemaphore({
      atOnce: AT_ONCE,
      each: AT_ONCE,
      waiting: WAITING,
      waitMs: WAIT_MS,
      retryAfterS: RETRY_AFTER_S,
      refusal: 'The database does not answer as fast as it is asked, or not at all; try again later',
    });
  }

  /**
   * Makes a call. A write may have been carried out although this rejects, unless DynamoDB has refused it.
   * @param onDoubt called for each attempt of which is not known whether it was carried out, or will still be
   * @throws {DynamoDBError} after the last attempt
   * @throws {ServiceError} `busy`, before the first attempt
   */
  async call<Name extends Operation>(
    operation: Name,
    input: Input<Name>,
    onDoubt: () => void = () => {},
  ): Promise<Output<Name>> {
    const body = JSON.stringify(input);
    const attempt = () =>
      this.#attempt(operation, body).catch((error: unknown) => {
        if (error instanceof DynamoDBError && error.isInDoubt) onDoubt();
        throw error;
      });
    return this.#turns.run('', () => this.#withRetries(attempt)) as Promise<Output<Name>>;
  }

  /** One request, whatever its answer says. */
  async exchange(operation: Operation, body: string): Promise<Answer> {
    const at = new Date(Date.now() + this.#clockOffsetMs);
    const credentials = await this.#credentialsInTime();
    return post(this.#peer, this.#sign(credentials, { target: `DynamoDB_20120810.${operation}`, body, at }), body);
  }

  /** Closes the connections. */
  destroy(): void {
    this.#peer.agent.destroy();
  }

  #credentialsInTime(): Credentials | Promise<Credentials> {
    const credentials = this.#credentials();
    if (!(credentials instanceof Promise)) return credentials;
    return deadline(credentials, CREDENTIALS_MS, () => {
      throw noAnswer(`no credentials within ${CREDENTIALS_MS} ms`, { isInDoubt: false });
    });
  }

  async #attempt(operation: Operation, body: string): Promise<object> {
    const signedWith = this.#clockOffsetMs;
    const answer = await this.exchange(operation, body);
    try {
      return outputOf(answer);
    } catch (error) {
      const isSignature = error instanceof DynamoDBError && error.name === 'InvalidSignatureException';
      if (!isSignature || !this.#hasSetClock(answer.date, signedWith)) throw error;
      return outputOf(await this.exchange(operation, body));
    }
  }

  /**
   * Takes the time of DynamoDB for signatures if the clock of this host is so wrong that they are refused.
   * @param signedWith offset of the clock in the call that was refused: others may have set it since
   */
  #hasSetClock(date: string, signedWith: number): boolean {
    const offset = Date.parse(date) - Date.now();
    const isWrong = Math.abs(offset - signedWith) >= LEAST_SKEW_MS; // False without a date.
    if (isWrong) this.#clockOffsetMs = offset;
    return isWrong;
  }
}

export function regionalEndpoint(region: string): string {
  const [, suffix] = SUFFIXES.find(([pattern]) => pattern.test(region)) ?? ['', 'amazonaws.com'];
  return `https://dynamodb.${region}.${suffix}`;
}
