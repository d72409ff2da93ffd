/** How commands are waited for: executions that it takes, and the price of other ways. */
import { CLOUD_WAITING } from '../../api/context/config.ts';
import { costOfMillionReads } from '../costs/month.ts';
import { DAYS_A_MONTH, PRICES } from '../costs/prices.ts';

export const SECONDS_A_MONTH = DAYS_A_MONTH * 86_400;
/** The busiest hour of the month has this many times as much as the mean. */
export const BUSY_HOUR = 4;
/** Reads of a request for a job: its token and its row. */
const JOB_READ_UNITS = 2;
/** For which a call waits at most, before the caller follows the job. */
export const LONGEST_WAIT_SECONDS = CLOUD_WAITING.longestWaitS;
/** How often a caller asks then. */
const ASKS_EVERY_SECONDS = 10;

/** Of commands that take so long. */
export interface Commands {
  perMonth: number;
  seconds: number;
}

/**
 * Concurrent executions that waiting takes in the busiest hour: the number that is exceeded in one moment of a thousand,
 * when commands begin independently of each other (Poisson, by Little's law).
 */
export function executionsOfWaiting({ perMonth, seconds }: Commands): number {
  const mean = (perMonth / SECONDS_A_MONTH) * BUSY_HOUR * seconds;
  if (mean === 0) return 0;
  // In logarithms, because the probability of none is too small for a number when the mean is large.
  let logOfCount = -mean;
  let sum = Math.exp(logOfCount);
  let count = 0;
  while (sum < 0.999 && count < mean + 10 * Math.sqrt(mean) + 10) {
    count++;
    logOfCount += Math.log(mean / count);
    sum += Math.exp(logOfCount);
  }
  return count;
}

/** US dollars a month beside what a command costs in any case. */
export interface WaysToWait {
  /** One function waits to the end, in one call or in several. */
  toTheEnd: number;
  /** One function waits for `LONGEST_WAIT_SECONDS`; then the caller asks now and then. */
  thenAsking: number;
  /** A notice over MQTT to the caller, who then reads the job once. */
  notice: number;
  /** One process that waits for all callers. */
  oneWaiter: number;
}

/** @param memoryGb of the function that waits */
export function costOfWaiting({ perMonth, seconds }: Commands, memoryGb: number): WaysToWait {
  const waitedMillion = (perMonth * memoryGb * PRICES.million.gbSecond) / 1e6;
  const read = (costOfMillionReads(memoryGb) + JOB_READ_UNITS * PRICES.million.readUnit) / 1e6;
  const asks = Math.ceil(Math.max(0, seconds - LONGEST_WAIT_SECONDS) / ASKS_EVERY_SECONDS);
  return {
    toTheEnd: waitedMillion * seconds,
    thenAsking: waitedMillion * Math.min(seconds, LONGEST_WAIT_SECONDS) + perMonth * asks * read,
    notice: perMonth * (costOfNotice(seconds) + read),
    oneWaiter: WAITER_HOUR * DAYS_A_MONTH * 24,
  };
}

/** Waited seconds in a month from which one process is cheaper than functions. */
export function breakEvenSeconds(memoryGb: number): number {
  return (WAITER_HOUR * DAYS_A_MONTH * 24 * 1e6) / (memoryGb * PRICES.million.gbSecond);
}

/**
 * Of one command whose caller connects for it alone, as the command line does: an authorizer with 256 MB for 0.1 s, the
 * connection, and four messages (subscription, notice in, notice out, its confirmation).
 */
function costOfNotice(seconds: number): number {
  const { invocation, gbSecond, connectedMinute, iotMessage } = PRICES.million;
  return (invocation + 0.25 * 0.1 * gbSecond + (Math.ceil(seconds / 60) + 1) * connectedMinute + 4 * iotMessage) / 1e6;
}

/**
 * By the hour: two tasks of Fargate on arm64 with a quarter of a processor and half a gigabyte, so that one may fail; a
 * public IPv4 address for each; a load balancer with one unit of capacity.
 */
const WAITER_HOUR = 2 * (0.25 * 0.03238 + 0.5 * 0.00356 + 0.005) + 0.0225 + 0.006;
