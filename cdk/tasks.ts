/** What starts the worker: its own queue, and a clock. */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
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

export class Tasks extends Construct {
  /** Sites whose hooks are to be woken, turns of hooks, and turns of batches. */
  readonly queue: Queue;
  /** What could not be done. The journal still has all events of hooks. */
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
      visibilityTimeout: Duration.seconds(2 * background.worker.timeLimitS),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
  }

  start({ function: worker }: GroupFunction, { hookConcurrency, reservedConcurrency }: Settings): void {
    const instances = reservedConcurrency === undefined ? INSTANCES.ofNewAccount : INSTANCES.ofLargeAccount;
    worker.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: TASKS_AT_ONCE,
        reportBatchItemFailures: true,
        maxConcurrency: hookConcurrency ?? instances,
      }),
    );
    new Rule(this, 'Hourly', {
      description: 'What nobody asks for: roll-ups, digests, deleted sites',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaTarget(worker, { retryAttempts: 0 })],
    });
    // What has failed comes again with the next hour, and is in the log. Lambda would repeat all of it, twice.
    worker.configureAsyncInvoke({ retryAttempts: 0 });
  }
}
