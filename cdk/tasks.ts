/** The triggers of the worker: its queue, and a schedule. */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { background } from '../functions/groups/background.ts';
import { makeQueue } from './broker.ts';
import type { GroupFunction } from './functions.ts';
import type { Settings } from './settings.ts';

/** Tasks of one invocation. They are few, because all of them wait for the slowest receiver. */
const TASKS_AT_ONCE = 5;
/**
 * The default number of instances that poll the queue: what a new account can spare of its ten executions; with reserved
 * executions, enough for 30 tasks of one hook in flight, beyond which SQS prefers others.
 */
const INSTANCES = { ofNewAccount: 2, ofLargeAccount: 10 };

export class Tasks extends Construct {
  /** Wake-ups of hooks of a site, and turns of hooks and batches. */
  readonly queue: Queue;
  /** Failed tasks. The journal still has all events of hooks. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = makeQueue(this, 'DeadLetters', 14);
    this.queue = makeQueue(this, 'Queue', 4, {
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
      description: 'Maintenance: roll-ups, digests, deleted sites',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaTarget(worker, { retryAttempts: 0 })],
    });
    // The next hour retries failures, which are in the log. Lambda would repeat all of it, twice.
    worker.configureAsyncInvoke({ retryAttempts: 0 });
  }
}
