/** A standard queue of SQS as a function notices it: batches, visibility, receive counts. */
import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type DeployedFunction, THROTTLED } from './function-process.ts';
import { wholeOf } from './gateway.ts';
import { FunctionError } from './runtime-api.ts';

/** Most messages of a batch, of those that are sent as of those that are received. */
const MAX_BATCH = 10;
/** After a throttled call Lambda waits for a while. */
const THROTTLED_FOR_MS = 200;

interface QueueSettings {
  name: string;
  /** How long a received message is hidden. It is received again when it was not deleted until then. */
  visibilityMs: number;
  /** A message that was received so many times goes to the dead letters instead of being received once more. */
  maxReceives: number;
  /** The time (ms). */
  now?: () => number;
}

interface Message {
  body: string;
  groupId: string | undefined;
  sentAt: number;
  visibleAt: number;
  receives: number;
  firstReceivedAt: number;
  /** Of its latest receipt: with an earlier one it cannot be deleted. */
  receiptHandle: string;
}

export class MessageQueue {
  readonly settings: QueueSettings;
  readonly #now: () => number;
  /** By id, in the order of their arrival. */
  readonly #messages = new Map<string, Message>();
  readonly #sent = new EventEmitter();

  constructor(settings: QueueSettings) {
    this.settings = settings;
    this.#now = settings.now ?? Date.now;
  }

  /** Messages that are not deleted, visible or not. */
  get size(): number {
    return this.#messages.size;
  }

  send(body: string, { delayMs = 0, groupId }: { delayMs?: number; groupId?: string } = {}): void {
    const sentAt = this.#now();
    this.#messages.set(randomUUID(), {
      body,
      groupId,
      sentAt,
      visibleAt: sentAt + delayMs,
      receives: 0,
      firstReceivedAt: 0,
      receiptHandle: '',
    });
    this.#sent.emit('sent');
  }

  /** A batch of the messages that are visible, as the event with which Lambda calls a function; hides them. */
  receive(): SQSEvent {
    const now = this.#now();
    const Records: SQSEvent['Records'] = [];
    for (const [messageId, message] of this.#messages) {
      if (message.visibleAt > now || Records.length === MAX_BATCH) continue;
      if (message.receives === this.settings.maxReceives) {
        this.#messages.delete(messageId);
        continue;
      }
      message.receives++;
      message.firstReceivedAt ||= now;
      message.visibleAt = now + this.settings.visibilityMs;
      message.receiptHandle = `AQEB${Buffer.from(randomUUID()).toString('base64')}`;
      Records.push(recordOf(messageId, message, this.settings.name));
    }
    return { Records };
  }

  delete({ messageId, receiptHandle }: Pick<SQSEvent['Records'][number], 'messageId' | 'receiptHandle'>): void {
    if (this.#messages.get(messageId)?.receiptHandle === receiptHandle) this.#messages.delete(messageId);
  }

  /** Waits until a message is sent or becomes visible, or the signal is aborted. */
  async change(signal: AbortSignal): Promise<void> {
    const visibleAt = Math.min(...[...this.#messages.values()].map((message) => message.visibleAt));
    const limit = Number.isFinite(visibleAt) ? [AbortSignal.timeout(Math.max(0, visibleAt - this.#now()))] : [];
    await once(this.#sent, 'sent', { signal: AbortSignal.any([signal, ...limit]) }).catch(() => {});
  }
}

function recordOf(messageId: string, message: Message, queueName: string): SQSEvent['Records'][number] {
  const { body, groupId, receives, sentAt, firstReceivedAt, receiptHandle } = message;
  return {
    messageId,
    receiptHandle,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: 'AROAEXAMPLEEXAMPLE:lanreach',
      ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
      ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    },
    messageAttributes: {},
    md5OfBody: createHash('md5').update(body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-central-1:123456789012:${queueName}`,
    awsRegion: 'eu-central-1',
  };
}

/**
 * Calls a function with what is in a queue, with ReportBatchItemFailures: what it names as failed, and all of a batch
 * at which it fails, is left in the queue, hidden as before. While it is throttled, the batch is tried again until its
 * messages would be visible.
 * @param concurrency batches at a time
 */
export function follow(
  queue: MessageQueue,
  invoke: (event: SQSEvent) => Promise<SQSBatchResponse>,
  concurrency: number,
): AsyncDisposable {
  const ending = new AbortController();
  async function callWith(event: SQSEvent): Promise<SQSBatchResponse | null> {
    const giveUpAt = Date.now() + queue.settings.visibilityMs;
    for (;;) {
      try {
        return await invoke(event);
      } catch (error) {
        if (!(error instanceof FunctionError)) throw error;
        if (error.type !== THROTTLED || Date.now() >= giveUpAt || ending.signal.aborted) return null;
        await sleep(THROTTLED_FOR_MS);
      }
    }
  }
  async function work(): Promise<void> {
    while (!ending.signal.aborted) {
      const event = queue.receive();
      if (event.Records.length === 0) {
        await queue.change(ending.signal);
        continue;
      }
      const response = await callWith(event);
      if (response === null) continue;
      const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const record of event.Records) if (!failed.has(record.messageId)) queue.delete(record);
    }
  }
  const workers = Array.from({ length: concurrency }, work);
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.allSettled(workers);
    },
  };
}

/** The answer of a function that works on a queue. @throws {FunctionError} */
export async function invokeForQueue(
  deployed: Pick<DeployedFunction, 'invoke'>,
  event: SQSEvent,
): Promise<SQSBatchResponse> {
  const { body } = await deployed.invoke(event);
  return JSON.parse((await wholeOf(body)).toString());
}
