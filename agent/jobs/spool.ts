/**
 * Results that the cloud has not confirmed yet, one file each. A result is on disk before it is published and is
 * deleted when the cloud confirms that it is stored, so that neither a crash nor an outage of the broker loses it.
 */
import { mkdir, readdir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import { PROTOCOL_VERSION, type ProtocolVersion, Result } from '../../shared/agent/messages.ts';
import { InstanceId } from '../../shared/agent/topics.ts';
import { codeOf } from '../../shared/errno.ts';
import { JobId } from '../../shared/identity.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';
import { UNFINISHED } from '../state/layout.ts';

/** Another version of the agent may have written it: it is sent like one of this version. */
const KeptResult = Result.extend({ v: z.number().transform((): ProtocolVersion => PROTOCOL_VERSION) });

const SpooledResult = z.object({ replyTo: InstanceId, result: KeptResult });
type SpooledResult = z.infer<typeof SpooledResult>;

interface SpoolLimits {
  results: number;
  bytes: number;
}

/** A week of a command every minute. */
const LIMITS: SpoolLimits = { results: 10_000, bytes: 256 * 1024 * 1024 };
const SUFFIX = '.json';

interface Entry {
  bytes: number;
  /** When the result was stored here (Unix, ms). */
  since: number;
}

export class Spool {
  readonly #directory: string;
  readonly #limits: SpoolLimits;
  readonly #log: Logger;
  /** Oldest first. */
  readonly #entries = new Map<JobId, Entry>();
  #bytes = 0;
  /** Whether a file was added since the last sync of the directory began. */
  #hasNewNames = false;
  #syncing: Promise<void> | null = null;

  private constructor(directory: string, limits: SpoolLimits, log: Logger) {
    this.#directory = directory;
    this.#limits = limits;
    this.#log = log;
  }

  /** Reads the names of the results of earlier runs; creates the directory if there is none. */
  static async open(directory: string, log: Logger, limits: Partial<SpoolLimits> = {}): Promise<Spool> {
    const spool = new Spool(directory, { ...LIMITS, ...limits }, log);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const found: [JobId, Entry][] = [];
    for (const name of await readdir(directory)) {
      if (name.endsWith(UNFINISHED)) await rm(join(directory, name), { force: true });
      const id = JobId.safeParse(name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : null);
      if (!id.success) continue;
      const { size, mtimeMs } = await stat(join(directory, name));
      found.push([id.data, { bytes: size, since: mtimeMs }]);
    }
    for (const [id, entry] of found.sort(([, a], [, b]) => a.since - b.since)) spool.#enter(id, entry);
    await spool.#makeRoom(0, 0);
    return spool;
  }

  has(id: JobId): boolean {
    return this.#entries.has(id);
  }

  /** When the result was stored here (Unix, ms); null when there is none. */
  since(id: JobId): number | null {
    return this.#entries.get(id)?.since ?? null;
  }

  /** Oldest first. */
  ids(): JobId[] {
    return [...this.#entries.keys()];
  }

  /**
   * Stores a result, and drops the oldest ones when there are too many. When this resolves, it survives a crash of the
   * agent and, from a moment later, a power cut.
   */
  async put(spooled: SpooledResult): Promise<void> {
    const { id } = spooled.result;
    const content = JSON.stringify(spooled);
    const bytes = Buffer.byteLength(content);
    await this.#makeRoom(1, bytes);
    await writeAtomically(this.#pathOf(id), content);
    this.#enter(id, { bytes, since: Date.now() });
    // In the background, because somebody is waiting and the content is on disk already.
    this.#hasNewNames = true;
    this.#syncing ??= this.#syncNames();
  }

  /** Names that are added during one sync are covered by the next. */
  async #syncNames(): Promise<void> {
    try {
      while (this.#hasNewNames) {
        this.#hasNewNames = false;
        await syncDirectory(this.#directory);
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot sync the spool');
    } finally {
      this.#syncing = null;
    }
  }

  /** Null when there is no such result, or its file cannot be read, which is then dropped. */
  async get(id: JobId): Promise<SpooledResult | null> {
    if (!this.#entries.has(id)) return null;
    try {
      return SpooledResult.parse(JSON.parse(await readFile(this.#pathOf(id), 'utf8')));
    } catch (error) {
      if (!this.#entries.has(id)) return null; // Confirmed while it was being read.
      this.#log.error({ jobId: id, err: error }, 'a spooled result cannot be read and is dropped');
      await this.remove(id);
      return null;
    }
  }

  async remove(id: JobId): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#bytes -= entry.bytes;
    await unlink(this.#pathOf(id)).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }

  #enter(id: JobId, entry: Entry): void {
    this.#bytes += entry.bytes - (this.#entries.get(id)?.bytes ?? 0);
    this.#entries.delete(id); // So that it becomes the newest.
    this.#entries.set(id, entry);
  }

  async #makeRoom(results: number, bytes: number): Promise<void> {
    for (const id of this.#entries.keys()) {
      if (this.#entries.size + results <= this.#limits.results && this.#bytes + bytes <= this.#limits.bytes) return;
      this.#log.error({ jobId: id }, 'the spool is full: its oldest result is dropped although it was never confirmed');
      await this.remove(id);
    }
  }

  #pathOf(id: JobId): string {
    return join(this.#directory, `${id}${SUFFIX}`);
  }
}
