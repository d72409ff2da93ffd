/** What starts the function that works at batches: its own queue. */
import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { background } from '../functions/groups/background.ts';
import type { GroupFunction } from './functions.ts';

/** Each works at one batch at a time. */
const INSTANCES = 2;

export class BatchQueue extends Construct {
  /** The turns of batches that are due, or will be. */
  readonly queue: Queue;

  /** @param deadLetters for turns that have failed again and again */
  constructor(scope: Construct, id: string, deadLetters: IQueue) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(1),
      visibilityTimeout: Duration.seconds(2 * background.batches.timeLimitS),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
    });
  }

  start({ function: lambda }: GroupFunction): void {
    lambda.addEventSource(new SqsEventSource(this.queue, { batchSize: 1, maxConcurrency: INSTANCES }));
  }
}
