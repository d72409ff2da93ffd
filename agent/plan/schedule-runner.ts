/**
 * Takes the turns of the schedules in the plan, also without the cloud: each is begun at its time or missed, and never run
 * later. Which turn of a schedule was the last one is on disk before its command starts, so that no turn is run twice; one
 * that a crash has kept from being begun after that is missed.
 * @promise An agent runs each turn of a schedule once, never late, or reports it as missed:
 *   `agent/plan/schedule-runner.test.ts`.
 */
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Change } from '../../shared/agent/measurements.ts';
import { type Plan, PlanItemId, type PlannedRun, type PlannedSchedule } from '../../shared/agent/plan.ts';
import { jobOfTurn } from '../../shared/agent/planned-job.ts';
import type { JobId, SiteId } from '../../shared/identity.ts';
import { beginOfTurn, nextTurn, type Turns, turnsBetween } from '../../shared/schedule-turns.ts';
import { Millis } from '../../shared/time.ts';
import { Command } from '../../shared/tools/list.ts';
import type { PlannedEnd } from '../jobs/job.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readStored } from '../state/optional-file.ts';
import type { PlanPart } from './plan-keeper.ts';

export type Missed = Extract<Change, { t: 'missed' }>;

interface ScheduleRunnerOptions {
  /** Of the file with the turns. */
  path: string;
  site: SiteId;
  jobs: {
    has(id: JobId): boolean;
    planned(id: JobId, run: PlannedRun, command: Command, deadline: number): Promise<PlannedEnd | null>;
  };
  /** Takes what is to be told to the cloud; the same again after a crash. */
  tell(change: Missed): void;
  log: Logger;
  now?: () => number;
  /** Replaces the file. Default: `writeAtomically`. */
  write?(path: string, content: string): Promise<void>;
}

/**
 * By the id of the schedule: its last turn that was begun or missed (Unix, ms), or when it was new; and the turn that is under
 * way.
 */
const Handled = z.record(PlanItemId, z.object({ handled: Millis, begun: Millis.optional() }));

interface Entry {
  schedule: PlannedSchedule;
  turns: Turns;
  handled: number;
  /** When the next turn begins. */
  due: number;
}

interface Turn {
  schedule: PlannedSchedule;
  time: number;
  deadline: number;
}

/** How long the runner sleeps at most: the clock may be set, and the host may have slept. */
const LOOK_AGAIN_MS = 60_000;
/** Also after a failure, which would come again at once. */
const LEAST_SLEEP_MS = 20;
/** What was handled so long after now, was so before the clock was set back. */
const CLOCK_SET_BACK_MS = 5 * 60_000;
/** Turns before that are not counted: jobs are kept no longer. */
const COUNTED_MS = 30 * 86_400_000;
const MOST_COUNTED = 10_000;

export class ScheduleRunner implements PlanPart {
  readonly #options: ScheduleRunnerOptions;
  readonly #now: () => number;
  /** Of the run before, until there is a plan. */
  #handledBefore: z.infer<typeof Handled> | null;
  #entries = new Map<PlanItemId, Entry>();
  /** The turns that are under way. */
  readonly #running = new Map<PlanItemId, number>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #saving: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(options: ScheduleRunnerOptions, handled: z.infer<typeof Handled>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#handledBefore = handled;
  }

  /** Knows the turns of the run before. Begins when it is given a plan. */
  static async open(options: ScheduleRunnerOptions): Promise<ScheduleRunner> {
    const before = await readHandled(options);
    const runner = new ScheduleRunner(options, before);
    for (const [id, { begun }] of Object.entries(before)) {
      if (begun !== undefined && !options.jobs.has(jobOfTurn(options.site, id, begun)))
        runner.#miss(id, 'agent-away', [begun]);
    }
    return runner;
  }

  /** A schedule that is new, or has other times, has the turns from now on. */
  apply({ timeZone, schedules }: Plan): void {
    const now = this.#now();
    const before = this.#entries;
    this.#entries = new Map(
      schedules.map((schedule): [PlanItemId, Entry] => {
        const turns = { timing: schedule.timing, timeZone };
        const known = before.get(schedule.id);
        const goesOn = known !== undefined && JSON.stringify(known.turns) === JSON.stringify(turns);
        const handled = goesOn ? known.handled : (this.#handledBefore?.[schedule.id]?.handled ?? now);
        return [schedule.id, this.#entry(schedule, turns, handled)];
      }),
    );
    this.#handledBefore = null;
    void this.#save();
    this.#arm();
  }

  /** Begins no further turn. What runs goes on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#saving;
  }

  #entry(schedule: PlannedSchedule, turns: Turns, handled: number): Entry {
    const { site, log } = this.#options;
    try {
      const next = nextTurn(turns, handled);
      const due = next === null ? Number.POSITIVE_INFINITY : beginOfTurn(turns, { schedule: schedule.id, site }, next);
      return { schedule, turns, handled, due };
    } catch (error) {
      log.error({ schedule: schedule.id, err: error }, 'a schedule has times that cannot be understood');
      return { schedule, turns, handled, due: Number.POSITIVE_INFINITY };
    }
  }

  /** Never at once: whoever gives it a plan may not be ready for a command. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#entries.size === 0) return;
    const due = Math.min(...[...this.#entries.values()].map((entry) => entry.due));
    const inMs = Math.max(LEAST_SLEEP_MS, Math.min(due - this.#now(), LOOK_AGAIN_MS));
    this.#timer = setTimeout(() => {
      this.#looking ??= this.#look()
        .catch((error) => this.#options.log.error({ err: error }, 'the turns of schedules cannot be looked at'))
        .finally(() => {
          this.#looking = null;
          this.#arm();
        });
    }, inMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const begun: Turn[] = [];
    let isOther = false;
    for (const [id, entry] of this.#entries) {
      if (this.#entries.get(id) !== entry) continue; // There is another plan meanwhile.
      const { schedule, turns, handled, due } = entry;
      const now = this.#now();
      if (handled > now + CLOCK_SET_BACK_MS) this.#entries.set(id, this.#entry(schedule, turns, now));
      if (due > now) continue;
      isOther = true;
      const turn = this.#missAllButLast(schedule, turns, handled);
      if (turn !== null && this.#running.has(id)) this.#miss(id, 'still-running', [turn.time]);
      else if (turn !== null) {
        this.#running.set(id, turn.time);
        begun.push(turn);
      }
      await new Promise(setImmediate); // After a long time away there is much to count.
    }
    if (isOther) await this.#save();
    if (this.#stopped) return;
    for (const turn of begun) void this.#run(turn);
  }

  /** Goes on to the last turn whose time has come. @returns it, unless it is too late for it as well */
  #missAllButLast(schedule: PlannedSchedule, turns: Turns, handled: number): Turn | null {
    const { site } = this.#options;
    const { id, startWithinSeconds } = schedule;
    const now = this.#now();
    const beginOf = (turn: number) => beginOfTurn(turns, { schedule: id, site }, turn);
    const missed = turnsBetween(turns, Math.max(handled, now - COUNTED_MS), now, MOST_COUNTED);
    // Each begins before the next one's time.
    if (missed.length > 0 && beginOf(missed.at(-1)!) > now) missed.pop();
    const last = missed.at(-1);
    this.#entries.set(id, this.#entry(schedule, turns, last ?? now));
    if (last === undefined) return null;
    const deadline = beginOf(last) + startWithinSeconds * 1000;
    if (now <= deadline) missed.pop();
    if (missed.length > 0) this.#miss(id, 'agent-away', missed);
    return now <= deadline ? { schedule, time: last, deadline } : null;
  }

  async #run({ schedule: { id, command }, time, deadline }: Turn): Promise<void> {
    const { site, jobs, log } = this.#options;
    try {
      const run = { by: 'schedule' as const, id, turn: time };
      const end = await jobs.planned(jobOfTurn(site, id, time), run, Command.parse(command), deadline);
      if (end === 'late') this.#miss(id, 'agent-busy', [time]);
    } catch (error) {
      log.error({ schedule: id, turn: time, err: error }, 'a turn of a schedule has failed');
    } finally {
      this.#running.delete(id);
      await this.#save();
    }
  }

  #miss(schedule: PlanItemId, why: Missed['why'], turns: readonly number[]): void {
    const [first, last] = [turns[0]!, turns.at(-1)!];
    this.#options.log.warn({ schedule, count: turns.length, first, last, why }, 'turns of a schedule were missed');
    this.#options.tell({ t: 'missed', schedule, count: turns.length, first, last, why });
  }

  /** One after the other. A full disk stops no turn: the journal of jobs knows them for a while as well. */
  #save(): Promise<void> {
    const { path, log, write = writeAtomically } = this.#options;
    this.#saving = this.#saving.then(async () => {
      const handled = Object.fromEntries(
        [...this.#entries].map(([id, { handled }]) => [id, { handled, begun: this.#running.get(id) }]),
      );
      await write(path, JSON.stringify(handled)).catch((error) =>
        log.error({ err: error }, 'the turns of schedules cannot be written'),
      );
    });
    return this.#saving;
  }
}

async function readHandled({ path, log }: ScheduleRunnerOptions): Promise<z.infer<typeof Handled>> {
  return (await readStored(path, Handled, log, 'the turns of schedules cannot be read; they begin anew')) ?? {};
}
