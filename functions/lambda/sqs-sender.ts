/** Messages for a queue of SQS, each with the time before which nobody is to take it. */
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';

/** The longest delay that SQS takes. What comes before its time is sent again. */
const MAX_DELAY_S = 900;
/** Messages of one call. */
const BATCH = 10;

export interface QueuedMessage {
  /** Sent as JSON. */
  body: unknown;
  /** Makes the queue a fair one: when a group has much to do, the messages of others are handed out before its own. */
  group: string;
  notBefore: Date;
}

/** @returns sends messages. It throws when they could not be handed over; some of them may have been */
export function openSqsSender(url: string, now: () => Date): (messages: readonly QueuedMessage[]) => Promise<void> {
  const sqs = new SQSClient({ maxAttempts: 3 });
  return async (messages) => {
    const entries = messages.map(({ body, group, notBefore }, i) => ({
      Id: String(i),
      MessageBody: JSON.stringify(body),
      MessageGroupId: group,
      DelaySeconds: Math.max(0, Math.min(MAX_DELAY_S, Math.ceil((notBefore.getTime() - now().getTime()) / 1000))),
    }));
    for (let at = 0; at < entries.length; at += BATCH) {
      const command = new SendMessageBatchCommand({ QueueUrl: url, Entries: entries.slice(at, at + BATCH) });
      const { Failed = [] } = await sqs.send(command);
      if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} messages: ${Failed[0]?.Code}`);
    }
  };
}
