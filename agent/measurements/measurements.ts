/**
 * Tells the service what was measured, and what has changed: points in batches, changes as soon as possible. All of it
 * stands in the upstream log. One message is under way at a time, and is sent again until it is confirmed.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Logger } from 'pino';
import * as z from 'zod';
import { BATCH_MS, Change, MAX_CHANGES, Point } from '../../shared/agent/measurements.ts';
import { MAX_CHECKS, PlanItemId } from '../../shared/agent/plan.ts';
import { MAX_PAYLOAD_BYTES, packMeasurements } from '../../shared/agent/wire.ts';
import { Millis } from '../../shared/time.ts';
import { Resender } from '../upstream/resender.ts';
import type { UpstreamLog } from '../upstream/upstream-log.ts';
import { type Measured, pointAt } from './measured.ts';
import { isOfOthers, subjectOf, type ToldOfCheck, toldOf } from './told.ts';

/** So long changes are collected before they are told. */
const COLLECT_MS = 1_000;
/** A batch ends so long after its time: a run that has begun in it takes 45 s at most. */
const END_AFTER_MS = 50_000;
/** Agents do not end their batches all at once. */
const END_SPREAD_MS = 20_000;
/** For the fields of a message beside its changes. */
const ROOM_BESIDE_BYTES = 1_000;
/** Of one check in a batch, which has one a minute: so that any batch of as many checks as there may be fits into a message. */
const MAX_POINTS = 10;
const MAX_JSON_BYTES = 4 * 1024 * 1024;

const PointOfCheck = z.tuple([PlanItemId, Point]);
const Checks = z.array(z.tuple([PlanItemId, z.array(Point)]));
type Checks = z.infer<typeof Checks>;
/** A batch that has ended. `before`: the one that ended before it. */
const Ended = z.object({ from: Millis, before: Millis.nullable(), checks: z.base64() });
/** What these are about in the log. */
const POINTS = 'points';

interface MeasurementsOptions {
  upstream: UpstreamLog;
  /** Publishes with QoS 1; rejects when the link fails. */
  publish(payload: Buffer): Promise<void>;
  log: Logger;
  now?: () => number;
}

/** The number of a message, and the record that it tells. */
interface UnderWay {
  n: number;
  record: number;
}

export class Measurements {
  readonly #options: MeasurementsOptions;
  readonly #upstream: UpstreamLog;
  readonly #now: () => number;
  /** The beginning of the batch that ended last. */
  #before: number | null;
  readonly #endAfterMs = END_AFTER_MS + END_SPREAD_MS * Math.random();
  #connected = false;
  /** The record that more changes are added to, as long as it was not sent: how many, and how many bytes. */
  #open: { n: number; changes: number; bytes: number } | null = null;
  #underWay: UnderWay | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #collectTimer: NodeJS.Timeout | undefined;
  #endTimer: NodeJS.Timeout | undefined;
  readonly #resender = new Resender(() => this.#send());

  /** Goes on where an earlier run was ended, however it was. */
  constructor(options: MeasurementsOptions) {
    this.#options = options;
    this.#upstream = options.upstream;
    this.#now = options.now ?? Date.now;
    this.#before = Ended.safeParse(this.#upstream.known(POINTS)).data?.from ?? null;
    for (const { n, from } of this.#lasting()) if (from === this.#before) this.#upstream.confirm(n);
    this.#waitForEnd();
  }

  /** What was told of a check. */
  told(check: PlanItemId): ToldOfCheck {
    return toldOf(check, (subject) => this.#upstream.known(subject));
  }

  /** The public address that was told. */
  get address(): string | null {
    const change = Change.safeParse(this.#upstream.known('address')).data;
    return change?.t === 'address' ? change.address : null;
  }

  /** Takes what a run has measured that began at this time (Unix, ms). */
  point(check: PlanItemId, at: number, measured: Measured): void {
    const from = Math.floor(at / BATCH_MS) * BATCH_MS;
    // Its batch may have been told while this host slept, or before its clock was set back.
    if (this.#now() - at > END_AFTER_MS || from === this.#before) return;
    const n = this.#lasting().find((batch) => batch.from === from)?.n ?? this.#upstream.takeNumber();
    const point = pointAt(Math.floor((at - from) / 1_000), measured);
    void this.#upstream.append('point', n, String(from), [check, point] satisfies z.infer<typeof PointOfCheck>);
    if (this.#endTimer === undefined) this.#waitForEnd();
  }

  /**
   * Takes changes, and tells them as soon as possible. Never rejects.
   * @returns whether they are on disk, and so survive a crash
   */
  async tell(changes: readonly Change[]): Promise<boolean> {
    const written = Promise.all(
      changes.map((change) => this.#upstream.append('change', this.#recordFor(change), subjectOf(change), change)),
    );
    this.#writing = written; // What was added before is written before.
    this.#collectTimer ??= setTimeout(() => {
      this.#collectTimer = undefined;
      this.#next();
    }, COLLECT_MS).unref();
    return (await written).every((isWritten) => isWritten);
  }

  /** A restored server is told everything that is so anew, as soon as it is seen to be so. */
  async tellAnew(): Promise<void> {
    await this.#upstream.forget((subject) => subject !== POINTS);
  }

  /** Forgets what was told of other checks than these. */
  keepOnly(checks: ReadonlySet<PlanItemId>): void {
    void this.#upstream.forget((subject) => isOfOthers(subject, checks));
  }

  /** The service has stored the message of this number. */
  measured(n: number): void {
    if (this.#underWay?.n === n) this.#confirmed(this.#underWay);
  }

  /** There is a connection: what is under way is sent at once. */
  connected(): void {
    this.#connected = true;
    if (this.#underWay === null) this.#next();
    else this.#resender.start();
  }

  disconnected(): void {
    this.#connected = false;
    this.#resender.stop();
  }

  /** Ends all timers. */
  stop(): void {
    this.disconnected();
    for (const timer of [this.#collectTimer, this.#endTimer]) clearTimeout(timer);
  }

  /** The number of the record that a change is added to: several fit into one message even if they cannot be compressed. */
  #recordFor(change: Change): number {
    const bytes = Buffer.byteLength(JSON.stringify(change)) + 1;
    if (this.#open === null || this.#open.changes === 0 || this.#open.bytes < bytes) {
      const room = MAX_PAYLOAD_BYTES - ROOM_BESIDE_BYTES;
      this.#open = { n: this.#upstream.takeNumber(), changes: MAX_CHANGES, bytes: room };
    }
    this.#open.changes--;
    this.#open.bytes -= bytes;
    return this.#open.n;
  }

  /** Begins with the next message, if there is one: changes first, they may be urgent. */
  #next(): void {
    if (!this.#connected || this.#underWay !== null) return;
    const [change] = this.#upstream.waiting('change');
    const record = (change ?? this.#upstream.waiting('points')[0])?.n;
    if (record === undefined) return;
    // The service takes no change of a lower number than one that it has, and points may mean changes, too.
    this.#underWay = { n: change?.n ?? this.#upstream.keepNumber(), record };
    if (this.#open?.n === record) this.#open = null;
    // Its number must not be given a second time, after a restart. A full disk keeps nobody from being told.
    void this.#writing.then(() => this.#resender.start());
  }

  #confirmed({ record }: UnderWay): void {
    this.#resender.stop();
    this.#underWay = null;
    this.#upstream.confirm(record);
    this.#next();
  }

  #send(): boolean {
    if (this.#underWay === null || !this.#connected) return false;
    const payload = this.#payload(this.#underWay);
    if (payload === null) {
      this.#confirmed(this.#underWay); // There is nothing to be confirmed.
      return false;
    }
    const { log, publish } = this.#options;
    publish(payload).catch((error) =>
      log.debug({ err: error }, 'measurements did not reach the broker; they are sent again'),
    );
    return true;
  }

  /** Null when there is nothing that can be told. */
  #payload({ n, record }: UnderWay): Buffer | null {
    const bodies = this.#upstream.read(record);
    if (bodies.length === 0) return null; // It was dropped: the log was full.
    try {
      const ended = Ended.safeParse(bodies[0]).data;
      const changes = bodies.flatMap((body) => Change.safeParse(body).data ?? []);
      return packMeasurements({ n, changes, points: ended ? { ...ended, checks: unpackChecks(ended.checks) } : null });
    } catch (error) {
      this.#options.log.error({ err: error }, 'measurements cannot be made into a message, and are dropped');
      return null;
    }
  }

  /** The batches that last. */
  #lasting(): { n: number; from: number }[] {
    return this.#upstream.waiting('point').map(({ n, about }) => ({ n, from: Number(about) }));
  }

  /** Sets the timer for the end of the first batch that lasts. */
  #waitForEnd(): void {
    clearTimeout(this.#endTimer);
    this.#endTimer = undefined;
    const lasting = this.#lasting();
    if (lasting.length === 0) return;
    const endsAt = Math.min(...lasting.map(({ from }) => from)) + BATCH_MS + this.#endAfterMs;
    this.#endTimer = setTimeout(
      () => {
        this.#endBatches();
        this.#waitForEnd();
      },
      // Not for ever, in case the clock is set.
      Math.min(2 * BATCH_MS, Math.max(0, endsAt - this.#now())),
    ).unref();
  }

  #endBatches(): void {
    const now = this.#now();
    for (const { n, from } of this.#lasting().sort((a, b) => a.from - b.from)) {
      if (from + BATCH_MS + this.#endAfterMs > now) continue;
      const checks = checksOf(this.#upstream.read(n));
      if (checks.length > 0) this.#end(from, checks);
      // Last: after a crash in between, the batch counts as ended.
      this.#upstream.confirm(n);
    }
  }

  #end(from: number, checks: Checks): void {
    // After the clock was set back, there is nothing to be said of what lies between.
    const before = this.#before !== null && this.#before < from ? this.#before : null;
    const record = this.#upstream.takeNumber();
    const ended: z.infer<typeof Ended> = { from, before, checks: gzipSync(JSON.stringify(checks)).toString('base64') };
    this.#before = from;
    void this.#upstream.append('points', record, POINTS, ended).then((isWritten) => {
      // A full disk must not fill the memory.
      if (!isWritten) this.#upstream.confirm(record);
      this.#next();
    });
  }
}

/** What cannot be read is skipped. What is too much for one message is left out. */
function checksOf(bodies: readonly unknown[]): Checks {
  const points = new Map<PlanItemId, Point[]>();
  for (const body of bodies) {
    const parsed = PointOfCheck.safeParse(body).data;
    if (parsed === undefined) continue;
    const [check, point] = parsed;
    const ofCheck = points.get(check) ?? [];
    if (ofCheck.length < MAX_POINTS && (ofCheck.length > 0 || points.size < MAX_CHECKS)) {
      points.set(check, [...ofCheck, point]);
    }
  }
  return [...points];
}

function unpackChecks(text: string): Checks {
  const json = gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_JSON_BYTES });
  return Checks.parse(JSON.parse(json.toString('utf8')));
}
