/**
 * A write-ahead journal of accepted requests. It makes requests idempotent: the agent recognizes an accepted one after a
 * crash, after a power cut and when the broker redelivers the message. One JSON object per line, append-only, compacted
 * at every start and when it has grown too long.
 */
import * as z from 'zod';
import { PlannedRun } from '../../shared/agent/plan.ts';
import { InstanceId } from '../../shared/agent/topics.ts';
import { JobId } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import { DAY_MS } from '../../shared/time.ts';
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

export interface Unfinished {
  id: JobId;
  acceptedAt: number;
  /** The instance that waits for its result. */
  replyTo: InstanceId;
  /** Its result must name the planned run also after a crash. */
  planned?: PlannedRun | undefined;
  processes: ProcessIdentity[];
}

interface JournalLimits {
  keepMs: number;
  keepIds: number;
  rewriteAtBytes: number;
}

/** Requests start within seconds, so a day is far longer than any redelivery takes. */
const LIMITS: JournalLimits = { keepMs: DAY_MS, keepIds: 10_000, rewriteAtBytes: 4 * 1024 * 1024 };

export class Journal {
  readonly #file: LineFile;
  readonly #limits: JournalLimits;
  readonly #now: () => number;
  readonly #unfinished = new Map<JobId, Unfinished>();
  /** The end of each finished request (Unix, ms), oldest first. */
  readonly #done = new Map<JobId, number>();

  private constructor(path: string, limits: JournalLimits, now: () => number) {
    this.#file = new LineFile(path, { rewriteAtBytes: limits.rewriteAtBytes, needed: () => this.#lines() });
    this.#limits = limits;
    this.#now = now;
  }

  /** Reads or creates the file. Skips invalid lines: a power cut may leave one, whose request got no ack. */
  static async open(path: string, limits: Partial<JournalLimits> = {}, now: () => number = Date.now): Promise<Journal> {
    const journal = new Journal(path, { ...LIMITS, ...limits }, now);
    for await (const { line } of journal.#file.lines()) {
      const record = JournalRecord.safeParse(parseJson(line.toString('utf8'))).data;
      if (record !== undefined) journal.#apply(record);
    }
    await journal.#file.rewrite();
    return journal;
  }

  /** The requests in progress; right after a start, those that the previous process did not end. */
  unfinished(): Unfinished[] {
    return [...this.#unfinished.values()];
  }

  has(id: JobId): boolean {
    return this.#unfinished.has(id) || this.#done.has(id);
  }

  /** When this resolves, the request is on disk; when it rejects, the request is unknown. */
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

  /** Not synced: the page cache survives a crash of the agent, and no process survives a power cut. */
  async processStarted(id: JobId, pid: number): Promise<void> {
    const process = identifyProcess(pid);
    if (process === null) return;
    this.#apply({ t: 'process', id, process });
    await this.#append({ t: 'process', id, process }, false);
  }

  /** Records the end of a request, accepted or rejected. Not synced, because its result in the upstream log is. */
  async done(id: JobId): Promise<void> {
    const record: JournalRecord = { t: 'done', id, at: this.#now() };
    this.#apply(record);
    await this.#append(record, false);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #apply(record: JournalRecord): void {
    const { t, id } = record;
    if (t === 'process') this.#unfinished.get(id)?.processes.push(record.process);
    else if (t === 'done') {
      this.#unfinished.delete(id);
      this.#done.set(id, record.at);
      this.#forgetOld();
    } else if (!this.#done.has(id)) {
      const { at: acceptedAt, replyTo, planned } = record;
      this.#unfinished.set(id, { id, acceptedAt, replyTo, planned, processes: [] });
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
