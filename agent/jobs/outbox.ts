/** Sends each result again and again until the cloud confirms that it has stored it. */
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Result } from '../../shared/agent/messages.ts';
import { type InstanceId, topics } from '../../shared/agent/topics.ts';
import { deadline } from '../../shared/async.ts';
import type { ClientId, JobId } from '../../shared/identity.ts';
import { fitResult } from './fit-result.ts';
import type { Spool } from './spool.ts';

/** Publishes with QoS 1. Resolves when the broker has acknowledged, rejects when the connection fails first. */
type Publish = (topic: string, payload: Buffer) => Promise<void>;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export interface Schedule {
  /** How long to wait for the confirmation before the result is sent again; the last value repeats. */
  resendAfterMs: readonly number[];
  giveUpAfterMs: number;
}

const SCHEDULE: Schedule = {
  resendAfterMs: [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS],
  // As long as a site may be cut off: what it has run by itself meanwhile is delivered with its own time.
  giveUpAfterMs: 7 * 24 * HOUR_MS,
};

/** Results that may be on their way to the broker at once: 4 × 128 KB keeps a slow uplink usable. */
const WINDOW = 4;

interface Pending {
  /** How often it has been sent. */
  sent: number;
  dueAt: number;
  /** Instances that asked for it and, as far as is known, have not been sent it. */
  recipients: Set<InstanceId>;
  sending: boolean;
}

/** Bound of `recipients`; when more instances ask at once, the first ones are dropped. */
const MAX_RECIPIENTS = 8;

function unsent(): Pending {
  return { sent: 0, dueAt: 0, recipients: new Set(), sending: false };
}

export class Outbox {
  readonly #client: ClientId;
  readonly #spool: Spool;
  readonly #publish: Publish;
  readonly #log: Logger;
  readonly #schedule: Schedule;
  readonly #pending = new Map<JobId, Pending>();
  readonly #sending = new Set<Promise<void>>();
  readonly #window = pLimit(WINDOW);
  #connected = false;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;

  constructor(options: { client: ClientId; spool: Spool; publish: Publish; log: Logger; schedule?: Schedule }) {
    this.#client = options.client;
    this.#spool = options.spool;
    this.#publish = options.publish;
    this.#log = options.log;
    this.#schedule = options.schedule ?? SCHEDULE;
    for (const id of this.#spool.ids()) this.#pending.set(id, unsent());
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
    try {
      await this.#spool.put({ replyTo, result });
      this.#pending.set(result.id, unsent());
    } catch (error) {
      this.#log.error({ jobId: result.id, err: error }, 'a result cannot be written to the spool');
    }
    this.#track(this.#send(result.id, new Set([replyTo, ...watchers]), payload));
  }

  /**
   * Sends a result again to an instance that asks for it. Returns whether there is such a result. Does not wait for the
   * broker.
   */
  resend(id: JobId, to: InstanceId): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    addRecipients(pending, [to]);
    if (!pending.sending) this.#track(this.#sendFromSpool(id, pending));
    return true;
  }

  /** The cloud has confirmed the result, so it is deleted here. */
  async stored(id: JobId): Promise<void> {
    this.#pending.delete(id);
    await this.#spool.remove(id);
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

  /** In sequence, so that a full spool neither fills the memory nor delays new results. */
  async #sendDue(): Promise<void> {
    for (const [id, pending] of this.#pending) {
      if (!this.#connected) return;
      if (pending.sending || pending.dueAt > Date.now()) continue;
      const since = this.#spool.since(id);
      if (since !== null && Date.now() - since > this.#schedule.giveUpAfterMs) {
        this.#log.error(
          { jobId: id },
          'a result is dropped: the cloud has not confirmed it within the time that results are kept',
        );
        await this.stored(id);
        continue;
      }
      await this.#sendFromSpool(id, pending);
    }
  }

  async #sendFromSpool(id: JobId, pending: Pending): Promise<void> {
    pending.sending = true; // Set before the file is read, so that many duplicate requests read it only once.
    const spooled = await this.#spool.get(id);
    if (spooled === null) {
      this.#pending.delete(id);
      return;
    }
    const { payload } = fitResult(spooled.result);
    await this.#send(id, takeRecipients(pending, spooled.replyTo), payload);
  }

  async #send(id: JobId, to: ReadonlySet<InstanceId>, payload: Buffer): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending !== undefined) {
      const { resendAfterMs } = this.#schedule;
      const after = resendAfterMs[Math.min(pending.sent, resendAfterMs.length - 1)]!;
      pending.sent++;
      pending.sending = true;
      // Jittered, so that agents that lost the cloud at the same moment do not all send at the same moment again.
      pending.dueAt = Date.now() + after * (0.9 + 0.2 * Math.random());
    }
    const instances = [...to];
    const reached = await Promise.all(instances.map((instance) => this.#publishTo(instance, id, payload)));
    const missed = instances.filter((_, i) => !reached[i]);
    if (pending === undefined) return;
    pending.sending = false;
    const askedMeanwhile = pending.recipients.size > 0;
    addRecipients(pending, missed);
    if (askedMeanwhile && missed.length === 0 && this.#pending.has(id)) this.#track(this.#sendFromSpool(id, pending));
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

/** The recipients this time: the instances that asked for it, otherwise the one that sent the command. */
function takeRecipients(pending: Pending, replyTo: InstanceId): Set<InstanceId> {
  const to = pending.recipients.size > 0 ? pending.recipients : new Set([replyTo]);
  pending.recipients = new Set();
  return to;
}
