/** The rules of IoT Core and the queue behind them: what agents publish comes to ingest as events of SQS. */
import { createHash, randomUUID } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Ingest } from '../../functions/ingest/ingest.ts';
import type { Queued } from '../../functions/ingest/queue.ts';
import { ConnectionEvent } from '../../shared/agent/messages.ts';
import { topics } from '../../shared/agent/topics.ts';
import type { DeployedFunction } from './function-process.ts';

const ATTEMPTS = 5;
/** The broker does not tell us the topic but what it read from it; ingest does not look at the instance either. */
const SOME_INSTANCE = 'lr-api-0000000000000000';

/** What the broker hands messages to. A message that ingest reports as failed comes again, as from the queue. */
export function rulesTo(ingest: () => DeployedFunction): Ingest {
  async function deliver(topic: string, payload: Uint8Array): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const event = queueEvent(topic, payload, attempt);
      const messageId = event.Records[0]?.messageId;
      const answered = await ingest().invoke(event);
      const pieces: Buffer[] = [];
      for await (const piece of answered.body) pieces.push(piece);
      const { batchItemFailures } = JSON.parse(Buffer.concat(pieces).toString()) as SQSBatchResponse;
      if (batchItemFailures.every(({ itemIdentifier }) => itemIdentifier !== messageId)) return;
    }
    throw new Error(`a message on ${topic} has become a dead letter`);
  }

  return {
    result: (agent, payload) => deliver(topics.result(SOME_INSTANCE, agent), payload),
    presence: (agent, payload) => deliver(topics.presence(agent), payload),
    sightings: (agent, payload) => deliver(topics.sightings(agent), payload),
    connection(agent, payload) {
      const { eventType } = ConnectionEvent.parse(JSON.parse(Buffer.from(payload).toString()));
      return deliver(topics.connection(eventType, agent), payload);
    },
  };
}

/** What a rule makes of a message, as the queue brings it to ingest. */
export function queueEvent(topic: string, payload: Uint8Array, attempt = 1): SQSEvent {
  const queued: Queued = { topic, payload: Buffer.from(payload).toString('base64') };
  const body = JSON.stringify(queued);
  const messageId = randomUUID();
  const now = String(Date.now());
  return {
    Records: [
      {
        messageId,
        receiptHandle: `AQEB${Buffer.from(messageId).toString('base64')}`,
        body,
        attributes: {
          ApproximateReceiveCount: String(attempt),
          SentTimestamp: now,
          SenderId: 'AROAEXAMPLEEXAMPLE:lanreach-rules',
          ApproximateFirstReceiveTimestamp: now,
        },
        messageAttributes: {},
        md5OfBody: createHash('md5').update(body).digest('hex'),
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:LanReach-prod-BrokerQueue',
        awsRegion: 'eu-central-1',
      },
    ],
  };
}
