/** How many executions wait for commands at the same time. */
import { CLOUD_LONGEST_WAIT_S } from '../../api/context/config.ts';
import { DAYS_A_MONTH } from '../costs/prices.ts';

export const SECONDS_A_MONTH = DAYS_A_MONTH * 86_400;
/** The busiest hour of the month has this many times as much as the mean. */
export const BUSY_HOUR = 4;

/**
 * Concurrent executions that waiting takes in the busiest hour: the number that is exceeded in one moment of a thousand,
 * when commands begin independently of each other (Poisson, by Little's law).
 */
export function executionsOfWaiting({ perMonth, seconds }: { perMonth: number; seconds: number }): number {
  const mean = (perMonth / SECONDS_A_MONTH) * BUSY_HOUR * Math.min(seconds, CLOUD_LONGEST_WAIT_S);
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
