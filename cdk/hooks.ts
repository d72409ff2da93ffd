/** What starts the hooks function: new rows of the table, by way of its stream, and its own queue. */
import { Duration } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { background } from '../functions/groups/background.ts';
import { PARTITIONS, PREFIXES } from '../functions/table/rows.ts';
import type { GroupFunction } from './functions.ts';
import type { Settings } from './settings.ts';
import type { AnyTable } from './table.ts';

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
  /** Sites of which something is to be told, and deliveries that are to be attempted. */
  readonly queue: Queue;
  /** What could not be done. The journal and the table still have all of it. */
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

  /** Has the function called for new entries of journals, new deliveries and new hooks, and for what is in the queue. */
  start({ function: lambda }: GroupFunction, table: AnyTable, settings: Settings): void {
    const added = (keys: object) =>
      FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT'), dynamodb: { Keys: keys } });
    lambda.addEventSourceMapping('Stream', {
      eventSourceArn: streamOf(table),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(1),
      bisectBatchOnError: true,
      // Without retryAttempts: until the record expires, after a day. Nothing else says that a delivery was written.
      onFailure: new SqsDlq(this.deadLetters),
      filters: [
        added({ pk: { S: FilterRule.beginsWith(PARTITIONS.site) }, sk: { S: FilterRule.beginsWith(PREFIXES.change) } }),
        added({ pk: { S: FilterRule.beginsWith(PARTITIONS.deliveries) } }),
        // The function remembers for a minute that a site has no hooks.
        added({ pk: { S: FilterRule.beginsWith(PARTITIONS.hooks) } }),
      ],
    });
    lambda.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: TASKS_AT_ONCE,
        reportBatchItemFailures: true,
        maxConcurrency: hookInstances(settings),
      }),
    );
  }
}

/** A table of the stack has a stream, and `settings.ts` asks for that of another table. */
export function streamOf({ tableStreamArn }: AnyTable): string {
  if (tableStreamArn === undefined) throw new Error('the table has no stream');
  return tableStreamArn;
}
