/** What starts the hooks function: its own queue. */
import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { background } from '../functions/groups/background.ts';
import type { GroupFunction } from './functions.ts';
import type { Settings } from './settings.ts';

/** Tasks of one call. All of them wait for the slowest receiver among them, so they are few. */
const TASKS_AT_ONCE = 5;
/**
 * How many instances follow the queue, unless the setting says it: as many as a new account can spare, of ten executions
 * for everything; where executions are reserved, so many that one hook alone can have 30 tasks under way, from which on
 * SQS puts others before it.
 */
const INSTANCES = { ofNewAccount: 2, ofLargeAccount: 10 };

function hookInstances({ hookConcurrency, reservedConcurrency }: Settings): number {
  return hookConcurrency ?? (reservedConcurrency === undefined ? INSTANCES.ofNewAccount : INSTANCES.ofLargeAccount);
}

export class HookQueues extends Construct {
  /** Sites whose hooks are to be woken, and turns of hooks. */
  readonly queue: Queue;
  /** What could not be done. The journal still has all of it. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(6 * background.hooks.timeLimitS),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
  }

  start({ function: lambda }: GroupFunction, settings: Settings): void {
    lambda.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: TASKS_AT_ONCE,
        reportBatchItemFailures: true,
        maxConcurrency: hookInstances(settings),
      }),
    );
  }
}
