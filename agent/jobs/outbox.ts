/** Resends each result until the service confirms that it has stored it. */
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import * as z from 'zod';
import { PROTOCOL_VERSION, type ProtocolVersion, Result } from '../../shared/agent/messages.ts';
import { InstanceId, topics } from '../../shared/agent/topics.ts';
import { backOffMs, deadline } from '../../shared/async.ts';
import type { ClientId, JobId } from '../../shared/identity.ts';
import { HOUR_MS } from '../../shared/time.ts';
import type { UpstreamLog } from '../upstream/upstream-log.ts';
import { fitResult } from './fit-result.ts';

/** With QoS 1: resolves when the broker acknowledges, rejects when the connection fails first. */
type Publish = (topic: string, payload: Buffer) => Promise<void>;

const RESEND = { firstMs: 30_000, longestMs: 4 * HOUR_MS };

/** Results in flight to the broker: 4 × 128 KB keeps a slow uplink usable. */
const WINDOW = 4;

/** A record of the upstream log. Another version of the agent may have written it, so `v` is replaced by ours. */
const Kept = z.object({
  replyTo: InstanceId,
  result: Result.extend({ v: z.number().transform((): ProtocolVersion => PROTOCOL_VERSION) }),
});
export type Kept = z.infer<typeof Kept>;

/** Appends a result to the log, unless it is there. @returns its record number, and whether it is on disk */
export async function keepResult(upstream: UpstreamLog, kept: Kept): Promise<{ n: number; isKept: boolean }> {
  const { id } = kept.result;
  const known = upstream.waiting('result').find(({ about }) => about === id);
  const n = known?.n ?? upstream.takeNumber();
  return { n, isKept: known !== undefined || (await upstream.append('result', n, id, kept)) };
}

interface Pending {
  /** Its number in the log. */
  n: number;
  /** Attempts so far. */
  sent: number;
  dueAt: number;
  /** Instances that wait for it and have not received it, as far as the agent knows. */
  recipients: Set<InstanceId>;
  sending: boolean;
}

/** Bound of `recipients`; beyond it the oldest are evicted. */
const MAX_RECIPIENTS = 8;

function unsent(n: number, recipients: readonly InstanceId[] = []): Pending {
  return { n, sent: 0, dueAt: 0, recipients: new Set(recipients), sending: false };
}

interface OutboxOptions {
  client: ClientId;
  upstream: UpstreamLog;
  publish: Publish;
  log: Logger;
  resend?: typeof RESEND;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #upstream: UpstreamLog;
  readonly #pending = new Map<JobId, Pending>();
  readonly #sending = new Set<Promise<void>>();
  readonly #window = pLimit(WINDOW);
  #connected = false;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#upstream = options.upstream;
    for (const { n, about } of this.#upstream.waiting('result')) this.#pending.set(about, unsent(n));
  }

  /** Whether the result of this request is unconfirmed. */
  has(id: JobId): boolean {
    return this.#pending.has(id);
  }

  /**
   * Shortens a result to one packet, persists it and publishes it to each waiting instance. When this resolves, the
   * result survives a crash. One that cannot be written to disk is published once.
   * @param replyTo the instance that sent the command; receives the result until the service confirms it
   * @param watchers other instances that follow the command
   * @throws {TypeError} when the result cannot be encoded
   */
  async deliver(whole: Result, replyTo: InstanceId, watchers: readonly InstanceId[] = []): Promise<void> {
    const { result, payload } = fitResult(whole);
    const { n, isKept } = await keepResult(this.#upstream, { replyTo, result });
    const pending = unsent(n, [replyTo, ...watchers]);
    if (isKept) this.#pending.set(result.id, pending);
    else this.#upstream.confirm(n);
    this.#track(this.#send(result.id, pending, payload));
  }

  /** Resends a result to an instance that requests it. Returns whether it is there. Does not wait for the broker. */
  resend(id: JobId, to: InstanceId): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    addRecipients(pending, [to]);
    if (!pending.sending) this.#track(this.#sendFromLog(id, pending));
    return true;
  }

  stored(id: JobId): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) this.#upstream.confirm(pending.n);
  }

  /** Resends all unconfirmed results on the new connection, oldest first. */
  connected(): void {
    this.#connected = true;
    for (const pending of this.#pending.values()) pending.dueAt = 0;
    this.#wakeUp();
  }

  disconnected(): void {
    this.#connected = false;
    clearTimeout(this.#timer);
  }

  /** Waits until the broker has the results in flight, or the time is over. */
  async flush(withinMs: number): Promise<void> {
    await deadline(Promise.allSettled([...this.#sending]), withinMs, () => {});
  }

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
    ).unref();
  }

  /** Sequentially, so that a full log neither fills the memory nor delays new results. */
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
      this.#options.log.error({ jobId: id }, 'a result was dropped, or cannot be read');
      return this.stored(id);
    }
    // Without a newer request, the result goes to the instance that sent the command.
    if (pending.recipients.size === 0) pending.recipients.add(kept.replyTo);
    await this.#send(id, pending, fitResult(kept.result).payload);
  }

  async #send(id: JobId, pending: Pending, payload: Buffer): Promise<void> {
    const instances = [...pending.recipients];
    pending.recipients.clear();
    pending.sending = true;
    const { resend = RESEND } = this.#options;
    pending.dueAt = Date.now() + backOffMs(pending.sent++, { ...resend, least: 0.9 });
    const reached = await Promise.all(instances.map((instance) => this.#publishTo(instance, id, payload)));
    const missed = instances.filter((_, i) => !reached[i]);
    pending.sending = false;
    const requestedMeanwhile = pending.recipients.size > 0;
    addRecipients(pending, missed);
    if (requestedMeanwhile && missed.length === 0 && this.#pending.has(id)) this.#track(this.#sendFromLog(id, pending));
    this.#wakeUp();
  }

  /** Returns whether the broker acknowledged the message. */
  async #publishTo(instance: InstanceId, id: JobId, payload: Buffer): Promise<boolean> {
    const topic = topics.result(instance, this.#options.client);
    try {
      await this.#window(() => this.#options.publish(topic, payload));
      this.#options.log.debug({ jobId: id, bytes: payload.length }, 'result published');
      return true;
    } catch (error) {
      this.#options.log.info({ jobId: id, err: error }, 'a result could not be published; the agent retries later');
      return false;
    }
  }

  #track(sending: Promise<void>): void {
    const tracked = sending
      .catch((error) => this.#options.log.error({ err: error }, 'a result cannot be sent'))
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
