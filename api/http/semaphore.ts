/**
 * A semaphore with a bounded queue: how many operations may run at once, and how many more may wait. Those that wait take
 * turns by site, and whoever wants much leaves room in the queue to others: see `shared/turns.ts`.
 */
import { ServiceError } from '../../shared/errors.ts';
import { type Holder, mayTakeMore, Turns } from '../../shared/turns.ts';

const RETRY_AFTER_S = 10; // Where no other time is given.

export interface SemaphoreOptions {
  atOnce: number;
  /** How many of one site may run at once, so that nobody can block all others. */
  each: number;
  /** How many may wait for a turn. Of one user a third, if nobody else waits. */
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
   * Runs `act` as soon as it is the turn of this holder.
   * @throws {ServiceError} `busy` when too many are waiting already, or the wait was too long
   */
  run<T>(holder: Holder, act: () => Promise<T>): Promise<T>;
}

interface Waiter {
  site: string;
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
  /** The sites of what runs; one with two is listed twice. */
  const running: string[] = [];
  const queue = new Turns<Waiter>();

  function mayRun(site: string): boolean {
    return running.length < atOnce && running.filter((other) => other === site).length < each;
  }

  function refuse(): ServiceError {
    return new ServiceError('busy', refusal, { retryAfter: retryAfterS });
  }

  async function begin(holder: Holder): Promise<void> {
    const { site } = holder;
    if (mayRun(site)) return void running.push(site);
    if (!mayTakeMore(queue.has(holder), waiting - queue.size)) throw refuse();
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        site,
        begin() {
          clearTimeout(patience);
          resolve();
        },
      };
      const patience = setTimeout(() => {
        queue.remove(holder, waiter);
        reject(refuse());
      }, waitMs);
      queue.add(holder, waiter);
    });
  }

  function end(site: string): void {
    running.splice(running.indexOf(site), 1);
    const next = queue.next(mayRun);
    if (next === undefined) return;
    running.push(next.site);
    next.begin();
  }

  return {
    async run(holder, act) {
      await begin(holder);
      try {
        return await act();
      } finally {
        end(holder.site);
      }
    },
  };
}
