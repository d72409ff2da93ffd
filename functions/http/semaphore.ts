/** A semaphore with a bounded queue: how many operations of a process may run at once, and how many may wait. */
import { ServiceError } from '../../shared/errors.ts';
import { yieldToEventLoop } from '../table/slices.ts';

interface SemaphoreOptions {
  atOnce: number;
  /** Places in the queue. */
  waiting: number;
  /** How long each may wait. Default: a minute. */
  waitMs?: number;
  /** The error message when the queue is full, or the wait times out. */
  refusal: string;
}

export function openSemaphore({ atOnce, waiting, waitMs = 60_000, refusal }: SemaphoreOptions) {
  let running = 0;
  const queue = new Set<() => void>();

  const refuse = (): ServiceError => new ServiceError('busy', refusal, { retryAfter: 10 });

  async function begin(): Promise<void> {
    if (running < atOnce) return void running++;
    if (queue.size >= waiting) throw refuse();
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.delete(next);
        reject(refuse());
      }, waitMs);
      queue.add(next);
    });
    await yieldToEventLoop();
  }

  /** Passes the slot on to the first in the queue. */
  function end(): void {
    const [next] = queue;
    if (next === undefined) return void running--;
    queue.delete(next);
    next();
  }

  return {
    /**
     * Runs `act` as soon as fewer than `atOnce` others run, in the order of the calls. One that waited begins in a later turn
     * of the event loop: an embedded database answers at once, and all of them would run in one turn.
     * @throws {ServiceError} `busy` when the queue is full, or the wait times out
     */
    async run<T>(act: () => Promise<T>): Promise<T> {
      await begin();
      try {
        return await act();
      } finally {
        end();
      }
    },
  };
}
