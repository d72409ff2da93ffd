/**
 * Tells the cloud what was measured, and what has changed: points in batches, changes at once. One message is under way
 * at a time, numbered in the order in which they are sent, and sent again until it is confirmed. Which one that is, what
 * was told before and the changes that wait stand in one file, so that a crash neither loses a change nor tells it twice.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import { BATCH_MS, Change, MAX_CHANGES, type MeasurementsBody } from '../../shared/agent/measurements.ts';
import type { PlanItemId } from '../../shared/agent/plan.ts';
import { MAX_PAYLOAD_BYTES, packMeasurements } from '../../shared/agent/wire.ts';
import { Millis } from '../../shared/time.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readStored } from '../state/optional-file.ts';
import { Batches } from './batches.ts';
import { type Measured, pointAt } from './measured.ts';
import { subjectOf, Told, type ToldOfCheck, takeDown } from './told.ts';

/** So long changes are collected before they are told. */
const COLLECT_MS = 1_000;
/** A batch ends so long after its time: a run that has begun in it takes 45 s at most. */
const END_AFTER_MS = 50_000;
/** Agents do not end their batches all at once. */
const END_SPREAD_MS = 20_000;
const ANSWER_WITHIN_MS = 30_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** For the fields of a message beside its changes. */
const ROOM_BESIDE_BYTES = 1_000;
/** With more changes than that, those that a later one has overtaken are dropped. There are far fewer subjects. */
const MAX_WAITING = 5_000;

const UnderWay = z.union([
  /** The first so many of the changes. */
  z.object({ n: Millis, changes: z.int().min(1).max(MAX_CHANGES) }),
  /** The batch that began at this time. */
  z.object({ n: Millis, batch: Millis }),
]);

type UnderWay = z.infer<typeof UnderWay>;

const State = z.object({
  /** The number of the last message. */
  n: z.int().min(0),
  underWay: UnderWay.nullable(),
  /** The batch that was told last. */
  before: Millis.nullable(),
  told: Told,
  changes: z.array(Change),
});
type State = z.infer<typeof State>;

interface MeasurementsOptions {
  /** Of the file and the batches; made when there is something to write. */
  directory: string;
  /** Publishes with QoS 1; rejects when the link fails. */
  publish(payload: Buffer): Promise<void>;
  log: Logger;
  now?: () => number;
}

export class Measurements {
  readonly #options: MeasurementsOptions;
  readonly #now: () => number;
  readonly #state: State;
  readonly #batches: Batches;
  readonly #endAfterMs = END_AFTER_MS + END_SPREAD_MS * Math.random();
  #connected = false;
  #writing: Promise<boolean> | null = null;
  #isDirty = false;
  #sent = 0;
  #collectTimer: NodeJS.Timeout | undefined;
  #endTimer: NodeJS.Timeout | undefined;
  #sendTimer: NodeJS.Timeout | undefined;
  #ending: Promise<void> | null = null;
  #hasFailed = false;

  private constructor(options: MeasurementsOptions, state: State, batches: Batches) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#state = state;
    this.#batches = batches;
  }

  /** Goes on where an earlier run was ended, however it was. */
  static async open(options: MeasurementsOptions): Promise<Measurements> {
    const { directory, log } = options;
    const batches = await Batches.open(join(directory), log);
    const state = await readState(fileIn(directory), log);
    const { underWay } = state;
    if (underWay !== null && 'batch' in underWay && !batches.has(underWay.batch)) {
      state.before = underWay.batch; // It was confirmed.
      state.underWay = null;
    }
    const measurements = new Measurements(options, state, batches);
    measurements.#waitForEnd();
    return measurements;
  }

  /** What was told of a check. */
  told(check: PlanItemId): ToldOfCheck {
    return this.#state.told.checks[check] ?? {};
  }

  /** The public address that was told. */
  get address(): string | null {
    return this.#state.told.address;
  }

  /** Takes what a run has measured that began at this time (Unix, ms). */
  point(check: PlanItemId, at: number, measured: Measured): void {
    const from = Math.floor(at / BATCH_MS) * BATCH_MS;
    // Its batch may have been told while this host slept, or before its clock was set back.
    if (this.#now() - at > END_AFTER_MS || from === this.#state.before) return;
    try {
      this.#batches.add(from, check, pointAt(Math.floor((at - from) / 1_000), measured));
      this.#hasFailed = false;
    } catch (error) {
      // Once, and not for each of many: the disk is full.
      if (!this.#hasFailed) this.#options.log.error({ err: error }, 'points cannot be written, and are lost');
      this.#hasFailed = true;
    }
    if (this.#endTimer === undefined) this.#waitForEnd();
  }

  /**
   * Takes changes, and tells them as soon as possible. Never rejects.
   * @returns whether they are on disk, and so survive a crash
   */
  tell(changes: readonly Change[]): Promise<boolean> {
    for (const change of changes) {
      this.#state.changes.push(change);
      takeDown(this.#state.told, change);
    }
    this.#dropOvertaken();
    this.#collectTimer ??= setTimeout(() => {
      this.#collectTimer = undefined;
      this.#next();
    }, COLLECT_MS).unref();
    return this.#keep();
  }

  /** A restored server is told everything that is so anew, as soon as it is seen to be so. */
  async tellAnew(): Promise<void> {
    this.#state.told = { checks: {}, address: null };
    await this.#keep();
  }

  /** Forgets what was told of other checks than these. */
  keepOnly(checks: ReadonlySet<PlanItemId>): void {
    const { told } = this.#state;
    const others = Object.keys(told.checks).filter((id) => !checks.has(id));
    for (const id of others) delete told.checks[id];
    if (others.length > 0) void this.#keep();
  }

  /** The cloud has stored the message of this number. */
  measured(n: number): void {
    const { underWay, changes } = this.#state;
    if (underWay?.n !== n) return;
    clearTimeout(this.#sendTimer);
    // The batch first: after a crash in between it counts as confirmed.
    if ('batch' in underWay) this.#batches.remove(underWay.batch);
    else changes.splice(0, underWay.changes);
    this.#state.before = 'batch' in underWay ? underWay.batch : this.#state.before;
    this.#state.underWay = null;
    void this.#keep();
    this.#next();
  }

  /** There is a connection: what is under way is sent at once. */
  connected(): void {
    this.#connected = true;
    this.#sent = 0;
    if (this.#state.underWay === null) this.#next();
    else this.#sendNow();
  }

  disconnected(): void {
    this.#connected = false;
    clearTimeout(this.#sendTimer);
  }

  /** Ends all timers. What waits is on disk when this resolves. */
  async stop(): Promise<void> {
    this.#connected = false;
    for (const timer of [this.#collectTimer, this.#endTimer, this.#sendTimer]) clearTimeout(timer);
    await this.#ending;
    await this.#writing;
  }

  /** Begins with the next message, if there is one: changes first, they may be urgent. */
  #next(): void {
    if (!this.#connected || this.#state.underWay !== null) return;
    const { changes, n: last } = this.#state;
    const n = Math.max(this.#now(), last + 1);
    const batch = this.#batches.oldest;
    if (changes.length > 0) this.#state.underWay = { n, changes: fitting(changes) };
    else if (batch !== null) this.#state.underWay = { n, batch };
    else return;
    this.#state.n = n;
    this.#sent = 0;
    // Its number must not be given a second time, after a restart. A full disk keeps nobody from being told.
    void this.#keep().then(() => this.#sendNow());
  }

  #sendNow(): void {
    this.#send().catch((error) => this.#options.log.error({ err: error }, 'measurements cannot be sent'));
  }

  async #send(): Promise<void> {
    clearTimeout(this.#sendTimer);
    const { underWay } = this.#state;
    if (underWay === null || !this.#connected) return;
    // A cloud that does not answer is asked ever more rarely, and not by all agents at once.
    const waitMs = Math.min(LONGEST_WAIT_MS, ANSWER_WITHIN_MS * 2 ** this.#sent) * (0.9 + 0.2 * Math.random());
    this.#sent = Math.min(this.#sent + 1, 10);
    this.#sendTimer = setTimeout(() => this.#sendNow(), waitMs).unref();
    const { log, publish } = this.#options;
    const payload = await this.#payloadOf(underWay);
    if (payload === null) return this.measured(underWay.n); // There is nothing to be confirmed.
    await publish(payload).catch((error) => {
      log.debug({ err: error }, 'measurements did not reach the broker; they are sent again');
    });
  }

  /** Null when there is nothing that can be told. */
  async #payloadOf(underWay: UnderWay): Promise<Buffer | null> {
    try {
      return packMeasurements(await this.#bodyOf(underWay));
    } catch (error) {
      this.#options.log.error({ err: error }, 'measurements cannot be made into a message, and are dropped');
      return null;
    }
  }

  async #bodyOf(underWay: UnderWay): Promise<MeasurementsBody> {
    const { n } = underWay;
    if ('changes' in underWay) {
      return { n, changes: this.#state.changes.slice(0, underWay.changes), points: null };
    }
    const { batch: from } = underWay;
    const checks = await this.#batches.read(from);
    // After the clock was set back, there is nothing to be said of what lies between.
    const { before } = this.#state;
    return { n, changes: [], points: { from, before: before !== null && before < from ? before : null, checks } };
  }

  #dropOvertaken(): void {
    const { changes, underWay } = this.#state;
    if (changes.length <= MAX_WAITING) return;
    const first = underWay !== null && 'changes' in underWay ? underWay.changes : 0;
    const waiting = changes.slice(first);
    const last = new Map(waiting.map((change, i) => [subjectOf(change), i]));
    const kept = waiting.filter((change, i) => last.get(subjectOf(change)) === i);
    this.#options.log.error(
      { kept: kept.length },
      'there are too many changes: those that later ones overtook are lost',
    );
    changes.splice(first, changes.length, ...kept);
  }

  /** Sets the timer for the end of the first batch that lasts. */
  #waitForEnd(): void {
    clearTimeout(this.#endTimer);
    this.#endTimer = undefined;
    const { lasting } = this.#batches;
    if (lasting.length === 0) return;
    const endsAt = Math.min(...lasting) + BATCH_MS + this.#endAfterMs;
    this.#endTimer = setTimeout(
      () => {
        this.#ending = this.#endBatches().finally(() => this.#waitForEnd());
      },
      // Not for ever, in case the clock is set.
      Math.min(2 * BATCH_MS, Math.max(0, endsAt - this.#now())),
    ).unref();
  }

  async #endBatches(): Promise<void> {
    const now = this.#now();
    const { underWay } = this.#state;
    const kept = underWay !== null && 'batch' in underWay ? underWay.batch : null;
    for (const from of this.#batches.lasting.sort((a, b) => a - b)) {
      if (from + BATCH_MS + this.#endAfterMs > now) continue;
      try {
        await this.#batches.end(from, kept, now);
      } catch (error) {
        this.#options.log.error({ from, err: error }, 'a batch of points cannot be written, and is lost');
      }
    }
    this.#next();
  }

  /** Writes the state down. Never rejects. @returns whether it is on disk */
  #keep(): Promise<boolean> {
    this.#isDirty = true;
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async #write(): Promise<boolean> {
    const { directory, log } = this.#options;
    try {
      while (this.#isDirty) {
        this.#isDirty = false;
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeAtomically(fileIn(directory), JSON.stringify(this.#state));
      }
      return true;
    } catch (error) {
      log.error({ err: error }, 'what was told of checks cannot be written; after a restart it may be told again');
      return false;
    } finally {
      // In the same step as the last look at what is dirty: whoever comes later begins anew.
      this.#writing = null;
    }
  }
}

/** How many changes, from the first on, fit into one message even if they cannot be compressed. */
function fitting(changes: readonly Change[]): number {
  let bytes = ROOM_BESIDE_BYTES;
  const tooMany = changes.slice(0, MAX_CHANGES).findIndex((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
    return bytes > MAX_PAYLOAD_BYTES;
  });
  return tooMany === -1 ? Math.min(changes.length, MAX_CHANGES) : tooMany;
}

const fileIn = (directory: string) => join(directory, 'state.json');

async function readState(path: string, log: Logger): Promise<State> {
  const stored = await readStored(path, State, log, 'what was told of checks cannot be read; it is told again');
  return stored ?? { n: 0, underWay: null, before: null, told: { checks: {}, address: null }, changes: [] };
}
