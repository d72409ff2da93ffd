/** Reports measurements in batches, changes at once, from the upstream log; one message at a time, until confirmed. */
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
import { isOfOthers, type ReportedState, reportedState, subjectOf } from './reported.ts';

/** A batch closes this long after its interval: a run that began in it takes up to 45 s. */
const END_AFTER_MS = 50_000;
/** For the fields of a message beside its changes. */
const ROOM_BESIDE_BYTES = 1_000;
/** Per check and batch, at one a minute: so that a batch of the maximum number of checks fits into a message. */
const MAX_POINTS = 10;
const MAX_JSON_BYTES = 4 * 1024 * 1024;

const PointOfCheck = z.tuple([PlanItemId, Point]);
const Checks = z.array(z.tuple([PlanItemId, z.array(Point)]));
type Checks = z.infer<typeof Checks>;
/** A closed batch. `before`: the previous closed one. */
const Ended = z.object({ from: Millis, before: Millis.nullable(), checks: z.base64() });
/** The subject of closed batches in the log. */
const POINTS = 'points';

interface MeasurementsOptions {
  upstream: UpstreamLog;
  /** Publishes with QoS 1; rejects when the link fails. */
  publish(payload: Buffer): Promise<void>;
  log: Logger;
  now?: () => number;
}

/** The number of the message in flight, and the record that it carries. */
interface InFlight {
  n: number;
  record: number;
}

export class Measurements {
  readonly #options: MeasurementsOptions;
  readonly #upstream: UpstreamLog;
  readonly #now: () => number;
  /** The start of the batch that closed last. */
  #before: number | null;
  readonly #endAfterMs = END_AFTER_MS + 20_000 * Math.random(); // Agents do not close their batches all at once.
  #connected = false;
  /** The unsent record that collects changes, with the changes and bytes that it still has room for. */
  #open: { n: number; changes: number; bytes: number } | null = null;
  #inFlight: InFlight | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #collectTimer: NodeJS.Timeout | undefined;
  #endTimer: NodeJS.Timeout | undefined;
  readonly #resender = new Resender(() => this.#send());

  /** Resumes from the log, however the previous process ended. */
  constructor(options: MeasurementsOptions) {
    this.#options = options;
    this.#upstream = options.upstream;
    this.#now = options.now ?? Date.now;
    this.#before = Ended.safeParse(this.#upstream.known(POINTS)).data?.from ?? null;
    for (const { n, from } of this.#lasting()) if (from === this.#before) this.#upstream.confirm(n);
    this.#waitForEnd();
  }

  reported(check: PlanItemId): ReportedState {
    return reportedState(check, (subject) => this.#upstream.known(subject));
  }

  get address(): string | null {
    const change = Change.safeParse(this.#upstream.known('address')).data;
    return change?.t === 'address' ? change.address : null;
  }

  /** Records what a run measured that began at this time (Unix, ms). */
  point(check: PlanItemId, at: number, measured: Measured): void {
    const from = Math.floor(at / BATCH_MS) * BATCH_MS;
    // The batch may have been reported while this host slept, or before its clock was set back.
    if (this.#now() - at > END_AFTER_MS || from === this.#before) return;
    const n = this.#lasting().find((batch) => batch.from === from)?.n ?? this.#upstream.takeNumber();
    const point = pointAt(Math.floor((at - from) / 1_000), measured);
    void this.#upstream.append('point', n, String(from), [check, point] satisfies z.infer<typeof PointOfCheck>);
    if (this.#endTimer === undefined) this.#waitForEnd();
  }

  /** Reports changes as soon as possible. Never rejects. @returns whether they are on disk, and so survive a crash */
  async report(changes: readonly Change[]): Promise<boolean> {
    const written = Promise.all(
      changes.map((change) => this.#upstream.append('change', this.#recordFor(change), subjectOf(change), change)),
    );
    this.#writing = written; // The log writes in order, so that earlier changes are written too.
    // Collects the changes of a second into one message.
    this.#collectTimer ??= setTimeout(() => {
      this.#collectTimer = undefined;
      this.#next();
    }, 1_000).unref();
    return (await written).every((isWritten) => isWritten);
  }

  /** Makes the agent report each state to a restored server again, at its next observation. */
  async reportAgain(): Promise<void> {
    await this.#upstream.forget((subject) => subject !== POINTS);
  }

  /** Forgets the reported states of other checks. */
  keepOnly(checks: ReadonlySet<PlanItemId>): void {
    void this.#upstream.forget((subject) => isOfOthers(subject, checks));
  }

  /** The service has stored the message with this number. */
  measured(n: number): void {
    if (this.#inFlight?.n === n) this.#confirmed(this.#inFlight);
  }

  /** Resends the message in flight at once. */
  connected(): void {
    this.#connected = true;
    if (this.#inFlight === null) this.#next();
    else this.#resender.start();
  }

  disconnected(): void {
    this.#connected = false;
    this.#resender.stop();
  }

  stop(): void {
    this.disconnected();
    for (const timer of [this.#collectTimer, this.#endTimer]) clearTimeout(timer);
  }

  /** The record that a change goes into: its changes fit into one message even if they do not compress. */
  #recordFor(change: Change): number {
    const bytes = Buffer.byteLength(JSON.stringify(change)) + 1;
    if (this.#open === null || this.#open.changes === 0 || this.#open.bytes < bytes) {
      this.#open = {
        n: this.#upstream.takeNumber(),
        changes: MAX_CHANGES,
        bytes: MAX_PAYLOAD_BYTES - ROOM_BESIDE_BYTES,
      };
    }
    this.#open.changes--;
    this.#open.bytes -= bytes;
    return this.#open.n;
  }

  /** Sends the next message, if there is one: changes first, which may be urgent. */
  #next(): void {
    if (!this.#connected || this.#inFlight !== null) return;
    const [change] = this.#upstream.waiting('change');
    const record = (change ?? this.#upstream.waiting('points')[0])?.n;
    if (record === undefined) return;
    // The service rejects changes with a lower number than it has, and points may imply changes, too.
    this.#inFlight = { n: change?.n ?? this.#upstream.keepNumber(), record };
    if (this.#open?.n === record) this.#open = null;
    // Written first, so that no restart reuses the number. `#writing` does not reject: a full disk stops no report.
    void this.#writing.then(() => this.#resender.start());
  }

  #confirmed({ record }: InFlight): void {
    this.#resender.stop();
    this.#inFlight = null;
    this.#upstream.confirm(record);
    this.#next();
  }

  #send(): boolean {
    if (this.#inFlight === null || !this.#connected) return false;
    const payload = this.#payload(this.#inFlight);
    if (payload === null) {
      this.#confirmed(this.#inFlight); // There is nothing to confirm.
      return false;
    }
    const { log, publish } = this.#options;
    publish(payload).catch((error) => log.debug({ err: error }, 'measurements did not reach the broker; will retry'));
    return true;
  }

  /** Null for a record that cannot be encoded, or that the full log dropped. */
  #payload({ n, record }: InFlight): Buffer | null {
    const bodies = this.#upstream.read(record);
    if (bodies.length === 0) return null;
    try {
      const ended = Ended.safeParse(bodies[0]).data;
      const changes = bodies.flatMap((body) => Change.safeParse(body).data ?? []);
      return packMeasurements({ n, changes, points: ended ? { ...ended, checks: unpackChecks(ended.checks) } : null });
    } catch (error) {
      this.#options.log.error({ err: error }, 'measurements cannot be encoded as a message, and are dropped');
      return null;
    }
  }

  #lasting(): { n: number; from: number }[] {
    return this.#upstream.waiting('point').map(({ n, about }) => ({ n, from: Number(about) }));
  }

  /** Sets the timer for the close of the first open batch. */
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
      // Bounded, in case the clock is set.
      Math.min(2 * BATCH_MS, Math.max(0, endsAt - this.#now())),
    ).unref();
  }

  #endBatches(): void {
    const now = this.#now();
    for (const { n, from } of this.#lasting().sort((a, b) => a.from - b.from)) {
      if (from + BATCH_MS + this.#endAfterMs > now) continue;
      const checks = checksOf(this.#upstream.read(n));
      if (checks.length > 0) this.#end(from, checks);
      // Last: after a crash in between, the batch counts as closed.
      this.#upstream.confirm(n);
    }
  }

  #end(from: number, checks: Checks): void {
    // After the clock was set back, the interval since the previous batch is unknown.
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

/** Skips unreadable points, and those beyond the size of a message. */
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
