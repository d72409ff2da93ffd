/** A semaphore with a bounded queue: how many operations of a process may run at once, and how many more may wait. */
import { ServiceError } from '../../shared/errors.ts';
import { yieldToEventLoop } from '../table/slices.ts';

const RETRY_AFTER_S = 10;

interface SemaphoreOptions {
  atOnce: number;
  /** How many may wait for a turn. */
  waiting: number;
  /** How long each may wait. */
  waitMs: number;
  /** The error message when there is no turn. */
  refusal: string;
}

interface Semaphore {
  /**
   * Runs `act` as soon as fewer than `atOnce` others run, in the order of the calls. One that waited begins after the event
   * loop has turned: an embedded database answers at once, and all of them would run in one turn.
   * @throws {ServiceError} `busy` when too many are waiting already, or the wait was too long
   */
  run<T>(act: () => Promise<T>): Promise<T>;
}

export function openSemaphore({ atOnce, waiting, waitMs, refusal }: SemaphoreOptions): Semaphore {
  let running = 0;
  const queue = new Set<() => void>();

  function refuse(): ServiceError {
    return new ServiceError('busy', refusal, { retryAfter: RETRY_AFTER_S });
  }

  async function begin(): Promise<void> {
    if (running < atOnce) return void running++;
    if (queue.size >= waiting) throw refuse();
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        queue.delete(next);
        reject(refuse());
      }, waitMs);
      queue.add(next);
    });
    await yieldToEventLoop();
  }

  /** Whoever waits takes the place over. */
  function end(): void {
    const [next] = queue;
    if (next === undefined) return void running--;
    queue.delete(next);
    next();
  }

  return {
    async run(act) {
      await begin();
      try {
        return await act();
      } finally {
        end();
      }
    },
  };
}
