/** The jobs that have not ended, and cancellations that overtook their request. */
import { deadline } from '../../shared/async.ts';
import type { JobId } from '../../shared/identity.ts';
import type { Job } from './job.ts';
import { type CommandKind, kindOf } from './policy.ts';

/** Bound of the remembered cancellations that overtook their request. */
const EARLY_CANCELLATIONS = 1_000;

export class JobList extends Map<JobId, Job> {
  readonly #cancelledEarly = new Set<JobId>();
  #whenEmpty: (() => void)[] = [];

  /** The oldest first; planned jobs, for which no caller waits, last. */
  in(state: Job['state']): Job[] {
    const jobs = [...this.values()].filter((job) => job.state === state);
    return jobs.sort((one, other) => Number(one.planned !== null) - Number(other.planned !== null));
  }

  cancelEarly(id: JobId): void {
    this.#cancelledEarly.add(id);
    const [oldest] = this.#cancelledEarly;
    if (this.#cancelledEarly.size > EARLY_CANCELLATIONS && oldest !== undefined) this.#cancelledEarly.delete(oldest);
  }

  /** Whether the request was cancelled before it arrived. Removes the cancellation. */
  takeCancelled(id: JobId): boolean {
    return this.#cancelledEarly.delete(id);
  }

  override delete(id: JobId): boolean {
    const wasThere = super.delete(id);
    if (this.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
    return wasThere;
  }

  async ended(withinMs: number): Promise<void> {
    if (this.size === 0) return;
    const empty = new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    await deadline(empty, withinMs, () => {});
  }
}

export function kindsOf(jobs: readonly Job[]): CommandKind[] {
  return jobs.map(({ request }) => kindOf(request.command));
}
