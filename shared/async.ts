/** Deadlines and retries. */

/** A promise, and the functions that settle it: `Promise.withResolvers`, which Node.js 20 does not have. */
export function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** The value of a promise, or, when it is late, what `late` returns or throws; its work is not stopped. */
export async function deadline<T, Late>(promise: Promise<T>, ms: number, late: () => Late): Promise<T | Late> {
  const { promise: over, resolve, reject } = deferred<Late>();
  const timer = setTimeout(() => {
    try {
      resolve(late());
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  }, ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Exponential back-off with jitter: a random part of a delay that doubles with each attempt, up to `longestMs`.
 * @param attempt counts from 0
 * @param least the smallest part: 0 spreads competing callers best, ½ never retries at once, 0.9 only breaks lockstep
 */
export function backOffMs(
  attempt: number,
  { firstMs, longestMs, least }: { firstMs: number; longestMs: number; least: 0 | 0.5 | 0.9 },
): number {
  return Math.min(longestMs, firstMs * 2 ** attempt) * (least + (1 - least) * Math.random());
}
