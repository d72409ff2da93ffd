/**
 * What this agent is to do by itself, as it was last told. The plan is kept on disk, and its parts go on with it without
 * the cloud.
 */
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

/** Any other revision is greater. */
const OLDEST = 1;

/** What does a part of the plan. */
export interface PlanPart {
  /** Takes a plan: at the start the one on disk, later each one that is new. Does not wait, and does not throw. */
  apply(plan: Plan): void;
}

export class PlanKeeper {
  readonly #path: string;
  readonly #log: Logger;
  readonly #parts: readonly PlanPart[];
  #stored: Stored | null = null;

  private constructor(path: string, parts: readonly PlanPart[], log: Logger) {
    this.#path = path;
    this.#parts = parts;
    this.#log = log;
  }

  /** Begins with the plan on disk, if there is one that can be read. */
  static async open({
    path,
    parts,
    log,
  }: {
    path: string;
    parts: readonly PlanPart[];
    log: Logger;
  }): Promise<PlanKeeper> {
    const keeper = new PlanKeeper(path, parts, log);
    const problem = 'the plan cannot be read; nothing is done by it until the cloud sends it again';
    keeper.#stored = await readStored(path, Stored, log, problem);
    keeper.#apply();
    return keeper;
  }

  /** The revision of the plan; undefined when the agent was never told any. */
  get revision(): number | undefined {
    return this.#stored?.revision;
  }

  /** The plan holds until a restored server sends one, whatever the revision of that. */
  async askAnew(): Promise<void> {
    if (this.#stored === null) return;
    this.#stored = { ...this.#stored, revision: OLDEST };
    await writeAtomically(this.#path, JSON.stringify(this.#stored));
  }

  /** Takes a message of the cloud. */
  async control(message: Extract<PlanControl, { t: 'plan' }>): Promise<void> {
    if (this.#stored !== null && message.revision <= this.#stored.revision) return;
    this.#stored = { revision: message.revision, plan: unpackPlan(message.plan) };
    const { schedules, checks } = this.#stored.plan;
    const counts = { schedules: schedules.length, checks: checks.length };
    this.#log.info({ revision: message.revision, ...counts }, 'there is a new plan');
    this.#apply();
    // Last: it holds also when the disk is full.
    await writeAtomically(this.#path, JSON.stringify(this.#stored));
  }

  #apply(): void {
    const plan = this.#stored?.plan ?? EMPTY_PLAN;
    for (const part of this.#parts) part.apply(plan);
  }
}
