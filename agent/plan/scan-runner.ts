/**
 * Takes the shards of large scans in the plan, one after the other, also without the cloud. Which of them were taken is in the
 * journal of jobs: a shard that a crash has interrupted ends so, and the cloud plans another attempt.
 */
import type { Logger } from 'pino';
import { MAX_SCAN_MS, type Plan, type PlanItemId, type PlannedRun, type PlannedScan } from '../../shared/agent/plan.ts';
import { jobOfShard } from '../../shared/agent/planned-job.ts';
import type { JobId, SiteId } from '../../shared/identity.ts';
import { Command } from '../../shared/tools/list.ts';
import type { PlannedEnd } from '../jobs/job.ts';
import type { PlanPart } from './plan-keeper.ts';

interface ScanRunnerOptions {
  site: SiteId;
  jobs: {
    /** Resolves to null for a job that was taken before. */
    planned(id: JobId, run: PlannedRun, command: Command, deadline: number): Promise<PlannedEnd | null>;
    stopPlanned(id: JobId): Promise<void>;
  };
  log: Logger;
}

interface Shard {
  id: JobId;
  scan: PlanItemId;
  run: PlannedRun;
  command: Command;
  deadline: number;
}

export class ScanRunner implements PlanPart {
  readonly #options: ScanRunnerOptions;
  /** Those of the plan, without those that this process has taken. */
  #shards: Shard[] = [];
  readonly #taken = new Set<JobId>();
  #running: Shard | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: ScanRunnerOptions) {
    this.#options = options;
  }

  /** Stops the shard that runs when its scan is not wanted any more; one that another agent is to take comes to its end. */
  apply({ scans }: Plan): void {
    const { jobs, log } = this.#options;
    const planned = scans.flatMap((scan) => this.#shardsOf(scan));
    const ids = new Set(planned.map(({ id }) => id));
    for (const id of this.#taken) if (!ids.has(id)) this.#taken.delete(id);
    this.#shards = planned.filter(({ id }) => !this.#taken.has(id));
    const running = this.#running;
    if (running !== null && !scans.some(({ id }) => id === running.scan)) {
      jobs
        .stopPlanned(running.id)
        .catch((err) => log.error({ jobId: running.id, err }, 'a shard of a scan cannot be stopped'));
    }
    this.#goOn();
  }

  /** Begins no further shard. What runs goes on. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Never at once: whoever gives it a plan may not be ready for a command. */
  #goOn(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#running !== null || this.#shards.length === 0) return;
    this.#timer = setTimeout(() => void this.#take(), 0);
  }

  /** One at a time, so that there is room for the scans that people wait for. */
  async #take(): Promise<void> {
    const next = this.#shards.shift();
    if (next === undefined) return;
    const { id, run, command, deadline } = next;
    this.#taken.add(id);
    this.#running = next;
    try {
      await this.#options.jobs.planned(id, run, command, deadline);
    } catch (err) {
      this.#options.log.error({ jobId: id, err }, 'a shard of a scan has failed');
    } finally {
      this.#running = null;
      this.#goOn();
    }
  }

  #shardsOf({ id: scan, mode, protocol, startedAt, shards }: PlannedScan): Shard[] {
    const { site, log } = this.#options;
    return shards.flatMap(([shard, target, attempt]) => {
      const command = Command.safeParse({ tool: 'nmap', target, mode, protocol });
      if (!command.success) {
        log.error({ scan, shard, target }, 'a shard of a scan has a target that is none');
        return [];
      }
      const id = jobOfShard(site, { id: scan, startedAt, shard, attempt });
      const run: PlannedRun = { by: 'scan', id: scan, shard, attempt };
      return [{ id, scan, run, command: command.data, deadline: startedAt + MAX_SCAN_MS }];
    });
  }
}
