/**
 * A write-ahead journal of the requests that the agent has accepted, and how far each came. It makes requests
 * idempotent: an accepted one is known after a crash, after a power cut and when the broker delivers the message again.
 *
 * One JSON object per line, append-only. It is rewritten without the entries that are no longer needed at every start,
 * and when it has grown too long.
 */
import * as z from 'zod';
import { PlannedRun } from '../../shared/agent/plan.ts';
import { InstanceId } from '../../shared/agent/topics.ts';
import { JobId } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import { identifyProcess, ProcessIdentity } from '../host/process-identity.ts';
import { LineFile } from '../state/line-file.ts';

const JournalRecord = z.discriminatedUnion('t', [
  z.object({
    ...{ t: z.literal('accepted'), id: JobId, at: z.int(), replyTo: InstanceId },
    planned: PlannedRun.optional(),
  }),
  z.object({ t: z.literal('process'), id: JobId, process: ProcessIdentity }),
  z.object({ t: z.literal('done'), id: JobId, at: z.int() }),
]);
type JournalRecord = z.infer<typeof JournalRecord>;

/** A request that was accepted and has not ended. */
export interface Unfinished {
  id: JobId;
  acceptedAt: number;
  /** The instance that waits for its result. */
  replyTo: InstanceId;
  /** Why it is run, where nobody waits for it: its result has to say so also after a crash. */
  planned?: PlannedRun | undefined;
  processes: ProcessIdentity[];
}

interface JournalLimits {
  /** How long, and how many, finished requests are remembered. */
  keepMs: number;
  keepIds: number;
  /** Bytes of the file at which it is rewritten. */
  rewriteAtBytes: number;
}

/** A request is at most some seconds old when it starts, so a day is far longer than any redelivery takes. */
const LIMITS: JournalLimits = { keepMs: 24 * 3_600_000, keepIds: 10_000, rewriteAtBytes: 4 * 1024 * 1024 };

export class Journal {
  readonly #file: LineFile;
  readonly #limits: JournalLimits;
  readonly #now: () => number;
  readonly #unfinished = new Map<JobId, Unfinished>();
  /** Time of the end of each finished request, oldest first. */
  readonly #done = new Map<JobId, number>();

  private constructor(path: string, limits: JournalLimits, now: () => number) {
    this.#file = new LineFile(path, { rewriteAtBytes: limits.rewriteAtBytes, needed: () => this.#lines() });
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Reads the journal of an earlier run, or creates the file. Lines that cannot be read are skipped: a power cut may
   * have left the last one incomplete, and then its request was never reported as accepted.
   */
  static async open(path: string, limits: Partial<JournalLimits> = {}, now: () => number = Date.now): Promise<Journal> {
    const journal = new Journal(path, { ...LIMITS, ...limits }, now);
    for await (const { line } of journal.#file.lines()) {
      const record = JournalRecord.safeParse(parseJson(line.toString('utf8'))).data;
      if (record !== undefined) journal.#apply(record);
    }
    await journal.#file.rewrite();
    return journal;
  }

  /** The requests under way; right after a start, those that the earlier run did not end. */
  unfinished(): Unfinished[] {
    return [...this.#unfinished.values()];
  }

  has(id: JobId): boolean {
    return this.#unfinished.has(id) || this.#done.has(id);
  }

  /** Accepts a request. When this resolves it is on disk; when it rejects, the request is unknown. */
  async accept(id: JobId, replyTo: InstanceId, planned?: PlannedRun): Promise<void> {
    const record: JournalRecord = { t: 'accepted', id, at: this.#now(), replyTo, planned };
    this.#apply(record);
    try {
      await this.#append(record, true);
    } catch (error) {
      this.#unfinished.delete(id);
      throw error;
    }
  }

  /**
   * Records a process that works on a request. Not synced to disk: the record is needed after a crash of the agent,
   * which the system's cache survives, and after a power cut the process is gone.
   */
  async processStarted(id: JobId, pid: number): Promise<void> {
    const process = identifyProcess(pid);
    if (process === null) return;
    this.#apply({ t: 'process', id, process });
    await this.#append({ t: 'process', id, process }, false);
  }

  /** Records the end of a request, accepted or refused. Not synced to disk, because the result in the upstream log is. */
  async done(id: JobId): Promise<void> {
    const record: JournalRecord = { t: 'done', id, at: this.#now() };
    this.#apply(record);
    await this.#append(record, false);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #apply(record: JournalRecord): void {
    switch (record.t) {
      case 'accepted':
        if (this.#done.has(record.id)) return;
        this.#unfinished.set(record.id, {
          id: record.id,
          acceptedAt: record.at,
          replyTo: record.replyTo,
          planned: record.planned,
          processes: [],
        });
        return;
      case 'process':
        this.#unfinished.get(record.id)?.processes.push(record.process);
        return;
      case 'done':
        this.#unfinished.delete(record.id);
        this.#done.set(record.id, record.at);
        this.#forgetOld();
    }
  }

  #forgetOld(): void {
    for (const [id, at] of this.#done) {
      if (this.#done.size <= this.#limits.keepIds && at > this.#now() - this.#limits.keepMs) return;
      this.#done.delete(id);
    }
  }

  async #append(record: JournalRecord, durable: boolean): Promise<void> {
    await this.#file.append(lineOf(record), durable);
  }

  *#lines(): Generator<string> {
    this.#forgetOld();
    for (const [id, at] of this.#done) yield lineOf({ t: 'done', id, at });
    for (const { id, acceptedAt, replyTo, planned, processes } of this.#unfinished.values()) {
      yield lineOf({ t: 'accepted', id, at: acceptedAt, replyTo, planned });
      for (const process of processes) yield lineOf({ t: 'process', id, process });
    }
  }
}

function lineOf(record: JournalRecord): string {
  return JSON.stringify(record);
}
