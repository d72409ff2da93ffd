/** A semaphore with a bounded queue: how many operations may run at once, and how many more may wait. */
import { ServiceError } from '../../shared/errors.ts';

const RETRY_AFTER_S = 10; // Where no other time is given.

export interface SemaphoreOptions {
  atOnce: number;
  /** How many one holder may run at once, so that nobody can block all others. */
  each: number;
  /** How many may wait for a turn. */
  waiting: number;
  /** How long each may wait. */
  waitMs: number;
  /** The error message when there is no turn. */
  refusal: string;
  /** Seconds after which whoever was refused should try again. */
  retryAfterS?: number;
}

export interface Semaphore {
  /**
   * Runs `act` as soon as there is a turn for this holder; in the order of the calls, as far as `each` allows.
   * @throws {ServiceError} `busy` when too many are waiting already, or the wait was too long
   */
  run<T>(holder: string, act: () => Promise<T>): Promise<T>;
}

interface Waiter {
  holder: string;
  begin(): void;
}

export function openSemaphore({
  atOnce,
  each,
  waiting,
  waitMs,
  refusal,
  retryAfterS = RETRY_AFTER_S,
}: SemaphoreOptions): Semaphore {
  /** The holders of the current turns; one with two turns is listed twice. */
  const holders: string[] = [];
  const queue: Waiter[] = [];

  function isFree(holder: string): boolean {
    return holders.length < atOnce && holders.filter((other) => other === holder).length < each;
  }

  function refuse(): ServiceError {
    return new ServiceError('busy', refusal, { retryAfter: retryAfterS });
  }

  async function begin(holder: string): Promise<void> {
    if (isFree(holder)) return void holders.push(holder);
    if (queue.length >= waiting) throw refuse();
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        holder,
        begin() {
          clearTimeout(patience);
          resolve();
        },
      };
      const patience = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(refuse());
      }, waitMs);
      queue.push(waiter);
    });
  }

  function end(holder: string): void {
    holders.splice(holders.indexOf(holder), 1);
    const next = queue.find((waiter) => isFree(waiter.holder));
    if (next === undefined) return;
    queue.splice(queue.indexOf(next), 1);
    holders.push(next.holder);
    next.begin();
  }

  return {
    async run(holder, act) {
      await begin(holder);
      try {
        return await act();
      } finally {
        end(holder);
      }
    },
  };
}
