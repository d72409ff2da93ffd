/** The last plan that the service sent. It is on disk, so that its parts work by it without the service. */
import type { Logger } from 'pino';
import * as z from 'zod';
import type { PlanControl } from '../../shared/agent/messages.ts';
import { EMPTY_PLAN, Plan } from '../../shared/agent/plan.ts';
import { unpackPlan } from '../../shared/agent/wire.ts';
import { Millis } from '../../shared/time.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readStored } from '../state/optional-file.ts';

const Stored = z.object({ revision: Millis, plan: Plan });
type Stored = z.infer<typeof Stored>;

/** Less than any other revision. */
const OLDEST = 1;

export interface PlanPart {
  /** Called at the start with the plan on disk, then with each new one. Does not wait, and does not throw. */
  apply(plan: Plan): void;
}

type PlanKeeperOptions = { path: string; parts: readonly PlanPart[]; log: Logger };

export class PlanKeeper {
  readonly #options: PlanKeeperOptions;
  #stored: Stored | null = null;

  private constructor(options: PlanKeeperOptions) {
    this.#options = options;
  }

  /** Starts with the plan on disk, if there is a valid one. */
  static async open(options: PlanKeeperOptions): Promise<PlanKeeper> {
    const keeper = new PlanKeeper(options);
    const problem = 'the plan cannot be read; the agent runs no schedule and no check until the service resends it';
    keeper.#stored = await readStored(options.path, Stored, options.log, problem);
    keeper.#apply();
    return keeper;
  }

  get revision(): number | undefined {
    return this.#stored?.revision;
  }

  /** Makes any plan of a restored server newer than this one, which stays in effect until then. */
  async requestAgain(): Promise<void> {
    if (this.#stored === null) return;
    this.#stored = { ...this.#stored, revision: OLDEST };
    await writeAtomically(this.#options.path, JSON.stringify(this.#stored));
  }

  async control(message: Extract<PlanControl, { t: 'plan' }>): Promise<void> {
    if (this.#stored !== null && message.revision <= this.#stored.revision) return;
    this.#stored = { revision: message.revision, plan: unpackPlan(message.plan) };
    const { schedules, checks } = this.#stored.plan;
    const counts = { schedules: schedules.length, checks: checks.length };
    this.#options.log.info({ revision: message.revision, ...counts }, 'applying a new plan');
    this.#apply();
    // Last: the plan takes effect also when the disk is full.
    await writeAtomically(this.#options.path, JSON.stringify(this.#stored));
  }

  #apply(): void {
    const plan = this.#stored?.plan ?? EMPTY_PLAN;
    for (const part of this.#options.parts) part.apply(plan);
  }
}
