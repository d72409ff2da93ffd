/**
 * The points that are not confirmed, on disk: a file for each batch. While it lasts, each point is a line that is added;
 * when it has ended, the file is replaced by one that is compressed, and does not change any more.
 */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Logger } from 'pino';
import * as z from 'zod';
import { BATCH_MS, type MeasurementsBody, Point } from '../../shared/agent/measurements.ts';
import { MAX_CHECKS, PlanItemId } from '../../shared/agent/plan.ts';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { syncDirectory, writeAtomically } from '../state/atomic-file.ts';

type Checks = NonNullable<MeasurementsBody['points']>['checks'];

const Line = z.tuple([PlanItemId, Point]);
const Ended = z.array(z.tuple([PlanItemId, z.array(Point)]));
/** Of one check in a batch, which has one a minute: so that any batch of as many checks as there may be fits into a message. */
const MAX_POINTS = 10;
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const NAME = /^(\d{1,16})\.(jsonl|json\.gz)$/;

interface BatchLimits {
  ageMs: number;
  bytes: number;
}
const LIMITS: BatchLimits = { ageMs: 7 * 86_400_000, bytes: 50 * 1024 * 1024 };

export class Batches {
  readonly #directory: string;
  readonly #log: Logger;
  readonly #limits: BatchLimits;
  /** Those that last, by their beginning. */
  readonly #open = new Set<number>();
  /** Those that have ended, with the bytes of their files. */
  readonly #ended = new Map<number, number>();

  private constructor(directory: string, log: Logger, limits: BatchLimits) {
    this.#directory = directory;
    this.#log = log;
    this.#limits = limits;
  }

  /** Finds those of earlier runs. The directory need not exist: it is made for the first point. */
  static async open(directory: string, log: Logger, limits: BatchLimits = LIMITS): Promise<Batches> {
    const batches = new Batches(directory, log, limits);
    const names = await readdir(directory).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const [, digits, kind] = NAME.exec(name) ?? [];
      const from = Number(digits);
      if (kind === undefined || from % BATCH_MS !== 0) continue;
      if (kind === 'jsonl') batches.#open.add(from);
      else batches.#ended.set(from, (await stat(join(directory, name))).size);
    }
    // Of a batch that was just being replaced when the agent was killed.
    for (const from of batches.#ended.keys()) if (batches.#open.delete(from)) rmSync(batches.#lines(from));
    return batches;
  }

  /** The beginnings of those that last. */
  get lasting(): number[] {
    return [...this.#open];
  }

  has(from: number): boolean {
    return this.#ended.has(from);
  }

  /** The first that has ended; null when there is none. */
  get oldest(): number | null {
    return this.#ended.size === 0 ? null : Math.min(...this.#ended.keys());
  }

  /** Adds a point to the batch, unless that has ended. It survives the end of this process. */
  add(from: number, check: PlanItemId, point: Point): void {
    if (this.#ended.has(from)) return;
    if (!this.#open.has(from)) mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    // The line end comes first: a line that was torn by a full disk or a crash takes no other with it.
    appendFileSync(this.#lines(from), `\n${JSON.stringify([check, point])}`, { mode: 0o600 });
    this.#open.add(from);
  }

  /** Ends a batch, and drops the oldest ones when there are too many. @param kept one that must not be dropped */
  async end(from: number, kept: number | null, now: number): Promise<void> {
    this.#open.delete(from);
    const checks = checksIn(await readFile(this.#lines(from), 'utf8'));
    if (checks.length > 0) {
      const content = gzipSync(JSON.stringify(checks));
      await writeAtomically(this.#compressed(from), content);
      await syncDirectory(this.#directory);
      this.#ended.set(from, content.length);
    }
    rmSync(this.#lines(from), { force: true });
    this.#makeRoom(kept, now);
  }

  /** @throws when the file cannot be read */
  async read(from: number): Promise<Checks> {
    const json = gunzipSync(await readFile(this.#compressed(from)), { maxOutputLength: MAX_JSON_BYTES });
    return Ended.parse(JSON.parse(json.toString('utf8')));
  }

  /** It is confirmed, or given up. */
  remove(from: number): void {
    this.#ended.delete(from);
    rmSync(this.#compressed(from), { force: true });
  }

  #makeRoom(kept: number | null, now: number): void {
    let bytes = [...this.#ended.values()].reduce((sum, size) => sum + size, 0);
    for (const [from, size] of [...this.#ended].sort(([a], [b]) => a - b)) {
      if (bytes <= this.#limits.bytes && now - from <= this.#limits.ageMs) return;
      if (from === kept) continue;
      this.#log.warn({ from }, 'there are too many points: the oldest are dropped although they were never confirmed');
      this.remove(from);
      bytes -= size;
    }
  }

  #lines(from: number): string {
    return join(this.#directory, `${from}.jsonl`);
  }

  #compressed(from: number): string {
    return join(this.#directory, `${from}.json.gz`);
  }
}

/** Lines that cannot be read are skipped. What is too much for one message is left out. */
function checksIn(text: string): Checks {
  const points = new Map<PlanItemId, Point[]>();
  for (const line of text.split('\n')) {
    const parsed = line === '' ? undefined : Line.safeParse(parseJson(line)).data;
    if (parsed === undefined) continue;
    const [check, point] = parsed;
    const ofCheck = points.get(check) ?? [];
    if (ofCheck.length < MAX_POINTS && (ofCheck.length > 0 || points.size < MAX_CHECKS)) {
      points.set(check, [...ofCheck, point]);
    }
  }
  return [...points];
}
