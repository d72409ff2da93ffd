/**
 * Runs the schedules of the plan, also without the service: a run starts at its time or is missed, and never starts late.
 * The last run of a schedule is on disk before its command starts, so that none runs twice; a run that a crash then
 * prevents is missed.
 * @promise An agent runs each turn of a schedule once, never late, or reports it as missed:
 *   `agent/plan/schedule-runner.test.ts`.
 */
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Change } from '../../shared/agent/measurements.ts';
import { type Plan, PlanItemId, type PlannedRun, type PlannedSchedule } from '../../shared/agent/plan.ts';
import { jobOfRun } from '../../shared/agent/planned-job.ts';
import type { JobId, SiteId } from '../../shared/identity.ts';
import { nextRun, runsBetween, startOfRun, type Turns } from '../../shared/schedule-turns.ts';
import { DAY_MS, MINUTE_MS, Millis } from '../../shared/time.ts';
import { Command } from '../../shared/tools/list.ts';
import type { PlannedEnd } from '../jobs/job.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readStored } from '../state/optional-file.ts';
import type { PlanPart } from './plan-keeper.ts';

export type Missed = Extract<Change, { t: 'missed' }>;

interface ScheduleRunnerOptions {
  path: string;
  site: SiteId;
  jobs: {
    has(id: JobId): boolean;
    planned(id: JobId, run: PlannedRun, command: Command, deadline: number): Promise<PlannedEnd | null>;
  };
  /** Reports a missed run; after a crash, the same one again. */
  report(change: Missed): void;
  log: Logger;
  now?: () => number;
  write?(path: string, content: string): Promise<void>;
}

/** By schedule: its last run that started or was missed, or when it was new (Unix, ms); and the run in progress. */
const Handled = z.record(PlanItemId, z.object({ handled: Millis, begun: Millis.optional() }));

interface Entry {
  schedule: PlannedSchedule;
  turns: Turns;
  handled: number;
  /** When the next run starts. */
  due: number;
}

interface DueRun {
  schedule: PlannedSchedule;
  time: number;
  deadline: number;
}

const MOST_COUNTED = 10_000;

export class ScheduleRunner implements PlanPart {
  readonly #options: ScheduleRunnerOptions;
  readonly #now: () => number;
  /** Of the previous process, until there is a plan. */
  #handledBefore: z.infer<typeof Handled> | null;
  #entries = new Map<PlanItemId, Entry>();
  readonly #running = new Map<PlanItemId, number>();
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> | null = null;
  #saving: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(options: ScheduleRunnerOptions, handled: z.infer<typeof Handled>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#handledBefore = handled;
  }

  /** Starts with the first plan. Reports runs as missed that a crash prevented. */
  static async open(options: ScheduleRunnerOptions): Promise<ScheduleRunner> {
    const problem = 'the runs of schedules cannot be read; the agent starts from now';
    const before = (await readStored(options.path, Handled, options.log, problem)) ?? {};
    const runner = new ScheduleRunner(options, before);
    for (const [id, { begun }] of Object.entries(before)) {
      if (begun !== undefined && !options.jobs.has(jobOfRun(options.site, id, begun)))
        runner.#miss(id, 'agent-away', [begun]);
    }
    return runner;
  }

  /** A schedule that is new, or has other times, starts from now. */
  apply({ timeZone, schedules }: Plan): void {
    const now = this.#now();
    const before = this.#entries;
    this.#entries = new Map(
      schedules.map((schedule): [PlanItemId, Entry] => {
        const turns = { timing: schedule.timing, timeZone };
        const known = before.get(schedule.id);
        const isUnchanged = known !== undefined && JSON.stringify(known.turns) === JSON.stringify(turns);
        const handled = isUnchanged ? known.handled : (this.#handledBefore?.[schedule.id]?.handled ?? now);
        return [schedule.id, this.#entry(schedule, turns, handled)];
      }),
    );
    this.#handledBefore = null;
    void this.#save();
    this.#arm();
  }

  /** Starts no further run. Commands in progress continue. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#starting;
    await this.#saving;
  }

  #entry(schedule: PlannedSchedule, turns: Turns, handled: number): Entry {
    const { site, log } = this.#options;
    let due = Number.POSITIVE_INFINITY;
    try {
      const next = nextRun(turns, handled);
      if (next !== null) due = startOfRun(turns, { schedule: schedule.id, site }, next);
    } catch (error) {
      log.error({ schedule: schedule.id, err: error }, 'a schedule has invalid times');
    }
    return { schedule, turns, handled, due };
  }

  /** Not sooner than in 20 ms: the caller of `apply` may not be ready for a command, and a failure would repeat at once. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#entries.size === 0) return;
    const due = Math.min(...[...this.#entries.values()].map((entry) => entry.due));
    // Not later than in a minute: the clock may be set, and the host may have slept.
    const inMs = Math.max(20, Math.min(due - this.#now(), MINUTE_MS));
    this.#timer = setTimeout(() => {
      this.#starting ??= this.#startDue()
        .catch((error) => this.#options.log.error({ err: error }, 'the due runs of schedules cannot be started'))
        .finally(() => {
          this.#starting = null;
          this.#arm();
        });
    }, inMs).unref();
  }

  async #startDue(): Promise<void> {
    const begun: DueRun[] = [];
    let isChanged = false;
    for (const [id, entry] of this.#entries) {
      if (this.#entries.get(id) !== entry) continue; // A new plan arrived meanwhile.
      const { schedule, turns, handled, due } = entry;
      const now = this.#now();
      // Handled this far in the future: the clock was set back.
      if (handled > now + 5 * MINUTE_MS) this.#entries.set(id, this.#entry(schedule, turns, now));
      if (due > now) continue;
      isChanged = true;
      const run = this.#missAllButLast(schedule, turns, handled);
      if (run !== null && this.#running.has(id)) this.#miss(id, 'still-running', [run.time]);
      else if (run !== null) {
        this.#running.set(id, run.time);
        begun.push(run);
      }
      await new Promise(setImmediate); // Counting takes long after a long downtime.
    }
    if (isChanged) await this.#save();
    if (this.#stopped) return;
    for (const run of begun) void this.#run(run);
  }

  /** Advances to the last due run. @returns it, unless its deadline has passed as well */
  #missAllButLast(schedule: PlannedSchedule, turns: Turns, handled: number): DueRun | null {
    const { site } = this.#options;
    const { id, startWithinSeconds } = schedule;
    const now = this.#now();
    const beginOf = (turn: number) => startOfRun(turns, { schedule: id, site }, turn);
    // Jobs are stored for 30 days: older runs do not count.
    const missed = runsBetween(turns, Math.max(handled, now - 30 * DAY_MS), now, MOST_COUNTED);
    // Only the last one can begin in the future: each begins before the next one's time.
    if (missed.length > 0 && beginOf(missed.at(-1)!) > now) missed.pop();
    const last = missed.at(-1);
    this.#entries.set(id, this.#entry(schedule, turns, last ?? now));
    if (last === undefined) return null;
    const deadline = beginOf(last) + startWithinSeconds * 1000;
    if (now <= deadline) missed.pop();
    if (missed.length > 0) this.#miss(id, 'agent-away', missed);
    return now <= deadline ? { schedule, time: last, deadline } : null;
  }

  async #run({ schedule: { id, command }, time, deadline }: DueRun): Promise<void> {
    const { site, jobs, log } = this.#options;
    try {
      const run = { by: 'schedule' as const, id, turn: time };
      const end = await jobs.planned(jobOfRun(site, id, time), run, Command.parse(command), deadline);
      if (end === 'late') this.#miss(id, 'agent-busy', [time]);
    } catch (error) {
      log.error({ schedule: id, turn: time, err: error }, 'a run of a schedule failed');
    } finally {
      this.#running.delete(id);
      await this.#save();
    }
  }

  #miss(schedule: PlanItemId, why: Missed['why'], turns: readonly number[]): void {
    const [first, last] = [turns[0]!, turns.at(-1)!];
    this.#options.log.warn({ schedule, count: turns.length, first, last, why }, 'missed runs of a schedule');
    this.#options.report({ t: 'missed', schedule, count: turns.length, first, last, why });
  }

  /** Sequentially. A full disk stops no run: the journal of jobs prevents repeated ones for a day as well. */
  #save(): Promise<void> {
    const { path, log, write = writeAtomically } = this.#options;
    this.#saving = this.#saving.then(async () => {
      const handled = Object.fromEntries(
        [...this.#entries].map(([id, { handled }]) => [id, { handled, begun: this.#running.get(id) }]),
      );
      await write(path, JSON.stringify(handled)).catch((error) =>
        log.error({ err: error }, 'the runs of schedules cannot be written to disk'),
      );
    });
    return this.#saving;
  }
}
