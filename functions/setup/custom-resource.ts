/**
 * How CloudFormation asks for a resource that it does not know itself: it invokes the function and forgets about it.
 * The answer goes to an address in the request, which whoever knows it may write to: it stands in no log.
 *
 * Without an answer a deployment waits until its time is up, and cannot be taken back meanwhile. So there is always
 * one, before the function is stopped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ServiceError } from '../../shared/errors.ts';
import { backOff } from '../back-off.ts';
import { ConfigError } from '../config.ts';
import type { Log } from '../log.ts';
import { UnsettledError } from './first-token.ts';
import { SecretError } from './token-secret.ts';

const Request = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url({ protocol: /^https?$/ }),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
});
type Request = z.infer<typeof Request>;

export interface Patience {
  /** Until when the resource may be tried for; then it has failed. */
  until: number;
  /** Until when the answer may be tried for. */
  answerUntil: number;
}

/** Another name would make CloudFormation delete the resource of the former name. */
const PHYSICAL_ID = 'first-token';
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Carries out a request and answers it. What fails is tried again: the rights of a role that has just been made may take
 * some seconds to be known everywhere.
 * @param provide makes the resource, or finds that it is there; several may run at once, also after this has returned
 * @throws {Error} when the request cannot be read or the answer does not arrive
 */
export async function serveRequest(
  event: unknown,
  provide: (requestId: string) => Promise<unknown>,
  patience: Patience,
  log: Log,
): Promise<void> {
  const parsed = Request.safeParse(event);
  if (!parsed.success) throw new Error('this is not a request of CloudFormation for a custom resource');
  const request = parsed.data;
  // Table and secret go, or stay, by what the stack says of them.
  const failure = request.RequestType === 'Delete' ? null : await failureOf(provide, request, patience, log);
  await answer(request, failure, patience, log);
}

/** @returns why it has failed, for the person who deploys; null when it has not */
async function failureOf(
  provide: (requestId: string) => Promise<unknown>,
  { RequestId }: Request,
  { until }: Patience,
  log: Log,
): Promise<string | null> {
  let problem: unknown = null;
  for (let attempt = 0; ; attempt++) {
    try {
      await within(until, provide(RequestId));
      return null;
    } catch (error) {
      // What failed before the last try was cut off says more than that.
      if (!(error instanceof TimeUpError) || attempt === 0) problem = error;
      const isOver = Date.now() >= until || error instanceof ConfigError || error instanceof UnsettledError;
      log[isOver ? 'error' : 'warn']({ err: error, requestId: RequestId, attempt }, 'cannot provide the first token');
      if (isOver) return told(problem);
    }
    await backOff(attempt);
  }
}

class TimeUpError extends Error {
  override name = 'TimeUpError';

  constructor() {
    super('it has taken too long; the log of the function says more');
  }
}

/** Rejects when the time is up, whatever comes of the work then. */
async function within<T>(until: number, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const timeUp = sleep(Math.max(0, until - Date.now()), null, { signal: ended.signal }).then(
    () => {
      throw new TimeUpError();
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    ended.abort();
  }
}

/** Sentences of our own. Of other errors only the name: nobody knows what is quoted in them. */
function told(error: unknown): string {
  const ours = [ServiceError, ConfigError, UnsettledError, SecretError, TimeUpError];
  if (error instanceof Error && ours.some((kind) => error instanceof kind)) return error.message;
  return `${error instanceof Error ? error.name : 'unknown error'}; the log of the function says more`;
}

async function answer(request: Request, failure: string | null, { answerUntil }: Patience, log: Log): Promise<void> {
  const { StackId, RequestId, LogicalResourceId, ResponseURL } = request;
  const body = {
    Status: failure === null ? 'SUCCESS' : 'FAILED',
    Reason: failure === null ? 'The first token is provided for' : `First token: ${failure}`,
    PhysicalResourceId: PHYSICAL_ID,
    StackId,
    RequestId,
    LogicalResourceId,
  };
  for (let attempt = 0; ; attempt++) {
    const problem = await put(ResponseURL, JSON.stringify(body));
    if (problem === null) return;
    log.error({ problem, requestId: RequestId, attempt }, 'cannot answer CloudFormation');
    if (Date.now() >= answerUntil) throw new Error(`cannot answer CloudFormation: ${problem}`);
    await backOff(attempt);
  }
}

/** @returns what went wrong, without the address */
async function put(url: string, body: string): Promise<string | null> {
  try {
    // The address is signed for a request without a type; text would be sent with one.
    const bytes = new TextEncoder().encode(body);
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(url, { method: 'PUT', body: bytes, redirect: 'error', signal });
    await response.arrayBuffer();
    return response.ok ? null : `HTTP status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown error';
  }
}
