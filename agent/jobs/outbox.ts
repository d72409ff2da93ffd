/** Sends each result again and again until the service confirms that it has stored it. */
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import * as z from 'zod';
import { PROTOCOL_VERSION, type ProtocolVersion, Result } from '../../shared/agent/messages.ts';
import { InstanceId, topics } from '../../shared/agent/topics.ts';
import { backOffMs, deadline } from '../../shared/async.ts';
import type { ClientId, JobId } from '../../shared/identity.ts';
import type { UpstreamLog } from '../upstream/upstream-log.ts';
import { fitResult } from './fit-result.ts';

/** Publishes with QoS 1. Resolves when the broker has acknowledged, rejects when the connection fails first. */
type Publish = (topic: string, payload: Buffer) => Promise<void>;

/** How long to wait for the confirmation before a result is sent again. */
const RESEND = { firstMs: 30_000, longestMs: 4 * 3_600_000 };

/** Results that may be on their way to the broker at once: 4 × 128 KB keeps a slow uplink usable. */
const WINDOW = 4;

/** As the upstream log has it. Another version of the agent may have written it: it is sent like one of this version. */
const Kept = z.object({
  replyTo: InstanceId,
  result: Result.extend({ v: z.number().transform((): ProtocolVersion => PROTOCOL_VERSION) }),
});
export type Kept = z.infer<typeof Kept>;

/** Makes a result a record of the log, unless it is one. @returns its number, and whether it is on disk */
export async function keepResult(upstream: UpstreamLog, kept: Kept): Promise<{ n: number; isKept: boolean }> {
  const { id } = kept.result;
  const known = upstream.waiting('result').find(({ about }) => about === id);
  const n = known?.n ?? upstream.takeNumber();
  return { n, isKept: known !== undefined || (await upstream.append('result', n, id, kept)) };
}

interface Pending {
  /** Its number in the log. */
  n: number;
  /** How often it has been sent. */
  sent: number;
  dueAt: number;
  /** Instances that wait for it and, as far as is known, have not been sent it. */
  recipients: Set<InstanceId>;
  sending: boolean;
}

/** Bound of `recipients`; when more instances ask at once, the first ones are dropped. */
const MAX_RECIPIENTS = 8;

function unsent(n: number, recipients: readonly InstanceId[] = []): Pending {
  return { n, sent: 0, dueAt: 0, recipients: new Set(recipients), sending: false };
}

export class Outbox {
  readonly #client: ClientId;
  readonly #upstream: UpstreamLog;
  readonly #publish: Publish;
  readonly #log: Logger;
  readonly #resend: typeof RESEND;
  readonly #pending = new Map<JobId, Pending>();
  readonly #sending = new Set<Promise<void>>();
  readonly #window = pLimit(WINDOW);
  #connected = false;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;

  constructor(options: {
    client: ClientId;
    upstream: UpstreamLog;
    publish: Publish;
    log: Logger;
    resend?: typeof RESEND;
  }) {
    this.#client = options.client;
    this.#upstream = options.upstream;
    this.#publish = options.publish;
    this.#log = options.log;
    this.#resend = options.resend ?? RESEND;
    for (const { n, about } of this.#upstream.waiting('result')) this.#pending.set(about, unsent(n));
  }

  /** Whether the result of this request is not confirmed yet. */
  has(id: JobId): boolean {
    return this.#pending.has(id);
  }

  /**
   * Takes over a result, and shortens it if it does not fit into one packet. When this resolves the result survives a
   * crash, and is being published, once for each instance that waits for it. A result that cannot be written to disk is
   * published nevertheless, but only once.
   * @param replyTo the instance that sent the command; it is sent the result until it confirms
   * @param watchers other instances that follow the command
   * @throws {TypeError} when the result cannot be made into a message
   */
  async deliver(whole: Result, replyTo: InstanceId, watchers: readonly InstanceId[] = []): Promise<void> {
    const { result, payload } = fitResult(whole);
    const { n, isKept } = await keepResult(this.#upstream, { replyTo, result });
    const pending = unsent(n, [replyTo, ...watchers]);
    if (isKept) this.#pending.set(result.id, pending);
    else this.#upstream.confirm(n);
    this.#track(this.#send(result.id, pending, payload));
  }

  /**
   * Sends a result again to an instance that asks for it. Returns whether there is such a result. Does not wait for the
   * broker.
   */
  resend(id: JobId, to: InstanceId): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    addRecipients(pending, [to]);
    if (!pending.sending) this.#track(this.#sendFromLog(id, pending));
    return true;
  }

  /** The service has confirmed the result, so it is deleted here. */
  stored(id: JobId): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) this.#upstream.confirm(pending.n);
  }

  /** The agent has connected: all unconfirmed results are sent again, oldest first. */
  connected(): void {
    this.#connected = true;
    for (const pending of this.#pending.values()) pending.dueAt = 0;
    this.#wakeUp();
  }

  /** The connection has ended: nothing is sent until the next one. */
  disconnected(): void {
    this.#connected = false;
    clearTimeout(this.#timer);
  }

  /** Waits until the results being sent have reached the broker, or the time is over. */
  async flush(withinMs: number): Promise<void> {
    await deadline(Promise.allSettled([...this.#sending]), withinMs, () => {});
  }

  /** Sets the timer for the result that is due next. */
  #wakeUp(): void {
    clearTimeout(this.#timer);
    if (!this.#connected || this.#round !== null) return;
    const waiting = [...this.#pending.values()].filter(({ sending }) => !sending);
    if (waiting.length === 0) return;
    const dueAt = Math.min(...waiting.map((pending) => pending.dueAt));
    this.#timer = setTimeout(
      () => {
        this.#round = this.#sendDue().finally(() => {
          this.#round = null;
          this.#wakeUp();
        });
      },
      Math.max(0, dueAt - Date.now()),
    );
    this.#timer.unref();
  }

  /** In sequence, so that a full log neither fills the memory nor delays new results. */
  async #sendDue(): Promise<void> {
    this.#upstream.makeRoom('result');
    for (const [id, pending] of this.#pending) {
      if (!this.#connected) return;
      if (!this.#upstream.has(pending.n)) this.#pending.delete(id);
      else if (!pending.sending && pending.dueAt <= Date.now()) await this.#sendFromLog(id, pending);
    }
  }

  async #sendFromLog(id: JobId, pending: Pending): Promise<void> {
    const kept = Kept.safeParse(this.#upstream.read(pending.n)[0]).data;
    if (kept === undefined) {
      this.#log.error({ jobId: id }, 'a result was dropped, or cannot be read');
      return this.stored(id);
    }
    // Nobody has asked for it since: it goes to the one that sent the command.
    if (pending.recipients.size === 0) pending.recipients.add(kept.replyTo);
    await this.#send(id, pending, fitResult(kept.result).payload);
  }

  async #send(id: JobId, pending: Pending, payload: Buffer): Promise<void> {
    const instances = [...pending.recipients];
    pending.recipients.clear();
    pending.sending = true;
    pending.dueAt = Date.now() + backOffMs(pending.sent++, { ...this.#resend, least: 0.9 });
    const reached = await Promise.all(instances.map((instance) => this.#publishTo(instance, id, payload)));
    const missed = instances.filter((_, i) => !reached[i]);
    pending.sending = false;
    const askedMeanwhile = pending.recipients.size > 0;
    addRecipients(pending, missed);
    if (askedMeanwhile && missed.length === 0 && this.#pending.has(id)) this.#track(this.#sendFromLog(id, pending));
    this.#wakeUp();
  }

  /** Returns whether the broker has acknowledged the message. */
  async #publishTo(instance: InstanceId, id: JobId, payload: Buffer): Promise<boolean> {
    const topic = topics.result(instance, this.#client);
    try {
      await this.#window(() => this.#publish(topic, payload));
      this.#log.debug({ jobId: id, bytes: payload.length }, 'result published');
      return true;
    } catch (error) {
      this.#log.info({ jobId: id, err: error }, 'a result could not be published; it is kept and sent again later');
      return false;
    }
  }

  #track(sending: Promise<void>): void {
    const tracked = sending
      .catch((error) => this.#log.error({ err: error }, 'a result cannot be sent'))
      .finally(() => this.#sending.delete(tracked));
    this.#sending.add(tracked);
  }
}

function addRecipients({ recipients }: Pending, instances: readonly InstanceId[]): void {
  for (const instance of instances) recipients.add(instance);
  for (const first of recipients) {
    if (recipients.size <= MAX_RECIPIENTS) return;
    recipients.delete(first);
  }
}
