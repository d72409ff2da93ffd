/** Why a call of DynamoDB failed, and whether another try makes sense. */
import type { Answer } from './http-exchange.ts';

export type RetryReason = 'throttled' | 'transient';

interface Details {
  cause?: unknown;
  retry?: RetryReason | null;
  isInDoubt?: boolean;
  cancellationReasons?: string[];
}

export class DynamoDBError extends Error {
  /** Whose fault it is, under the name that the AWS SDK uses for it. */
  readonly $fault: 'client' | 'server';
  /** Why another try may succeed; null if it cannot. What is not null is an outage: see `isOutage`. */
  readonly retry: RetryReason | null;
  /** Whether the call may have been carried out, or may still be: it may have been sent, and was not refused. */
  readonly isInDoubt: boolean;
  /** For each write of a transaction that was cancelled, why; `None` for those that were not the reason. */
  readonly cancellationReasons: string[];

  /** @param name as DynamoDB calls it, such as `ConditionalCheckFailedException`; or one of our own */
  constructor(name: string, message: string, fault: 'client' | 'server', details: Details = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : {});
    this.name = name;
    this.$fault = fault;
    this.retry = details.retry ?? null;
    this.isInDoubt = details.isInDoubt ?? fault === 'server';
    this.cancellationReasons = details.cancellationReasons ?? [];
  }
}

/** The errors with the status 400 that DynamoDB has when it is asked too much. */
const THROTTLED = new Set([
  'LimitExceededException', // Too many tables are being created or changed at once.
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionInProgressException', // The same transaction was sent before and is still being carried out.
]);

/** The same for the writes of a transaction. */
const THROTTLED_WRITES = new Set(['ProvisionedThroughputExceeded', 'ThrottlingError']);

/** @throws {DynamoDBError} if it is not a JSON object with a status of success */
export function outputOf(answer: Answer): object {
  const output = objectIn(answer);
  if (answer.status === 200) return output;
  throw errorOf(answer.status, output);
}

/**
 * There is no answer, or none that came from DynamoDB.
 * @param details.isInDoubt false if nothing of the call can have been sent; by default, it may have been carried out
 */
export function noAnswer(message: string, details: Pick<Details, 'cause' | 'isInDoubt'> = {}): DynamoDBError {
  return new DynamoDBError('NoAnswer', message, 'server', { ...details, retry: 'transient' });
}

function objectIn({ status, body }: Answer): object {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {
    // Said below.
  }
  // Without its text, which may be a part of a row that holds secrets: errors are logged.
  throw noAnswer(`the answer with the status ${status}, of ${body.length} characters, is not a JSON object`);
}

interface Failure {
  /** With the name of the API in front, and a `#`. */
  __type?: string;
  message?: string;
  Message?: string;
  CancellationReasons?: { Code?: string }[];
}

function errorOf(status: number, { __type = '', message, Message, CancellationReasons = [] }: Failure): DynamoDBError {
  const name = __type.split('#').pop() || `Status${status}`;
  const cancellationReasons = CancellationReasons.map(({ Code = '' }) => Code);
  const isThrottled = status === 429 || THROTTLED.has(name) || areThrottled(cancellationReasons);
  // The first line: those behind it may quote the request with its session token, if the signature is wrong.
  const [text = ''] = (message ?? Message ?? name).split('\n', 1);
  return new DynamoDBError(name, text, status >= 500 ? 'server' : 'client', {
    retry: isThrottled ? 'throttled' : status >= 500 ? 'transient' : null,
    cancellationReasons,
  });
}

/** Whether a transaction was cancelled for no other reason than that too much was asked. */
function areThrottled(cancellationReasons: string[]): boolean {
  const reasons = cancellationReasons.filter((reason) => reason !== 'None');
  return reasons.length > 0 && reasons.every((reason) => THROTTLED_WRITES.has(reason));
}
