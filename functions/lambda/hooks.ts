/** The hooks function in Lambda, which tells the receivers of hooks what has happened. */
import type { DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consoleUrl } from '../../shared/console-link.ts';
import { readHooksConfig } from '../config.ts';
import { openOutbox } from '../hooks/outbox.ts';
import { systemResolver } from '../hooks/send.ts';
import { openStream, takeQueued } from '../hooks/triggers.ts';
import { consoleLog } from '../http/log.ts';
import { deliveries, devices, hooks, sites } from '../store-openers.ts';
import { storesInLambda } from './context.ts';
import { openSqsQueue } from './hook-queue.ts';

const config = readHooksConfig();
const stores = storesInLambda(config, { deliveries, devices, hooks, sites });
const queue = openSqsQueue(config.hookQueueUrl, stores.now);
const console = config.apiUrl === null ? null : consoleUrl(config.apiUrl);
const settings = { allowPrivate: false, resolve: systemResolver, console };
const takeStream = openStream({ ...stores, queue });
const outbox = openOutbox({ ...stores, queue, settings, log: consoleLog });

export async function handler(event: DynamoDBStreamEvent | SQSEvent): Promise<SQSBatchResponse> {
  if (isFromQueue(event)) return takeQueued(event, outbox, consoleLog);
  await takeStream(event);
  return { batchItemFailures: [] };
}

function isFromQueue(event: DynamoDBStreamEvent | SQSEvent): event is SQSEvent {
  return event.Records.some((record) => 'body' in record);
}
