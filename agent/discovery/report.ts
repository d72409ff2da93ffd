/**
 * Tells the cloud what has changed. There is no queue: what is to be sent are the devices whose last change is not
 * confirmed, so that what was overtaken before it could be sent is not sent at all. One message is under way at a time.
 *
 * A confirmation costs three times what a message does. So most messages of changes need none: each one says again what those
 * before it have said, until one of them asks.
 */
import type { Logger } from 'pino';
import { ALL_MACS, MAX_SIGHTINGS, RELEARN_MS, type Sighting } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION, type Sightings } from '../../shared/agent/messages.ts';
import { MAX_PAYLOAD_BYTES } from '../../shared/agent/wire.ts';
import { Resender } from '../upstream/resender.ts';
import type { KnownDevices } from './known-devices.ts';
import { sightingOf } from './sighting.ts';

/** Room for the fields of a message beside its sightings. */
const MAX_SIGHTINGS_BYTES = MAX_PAYLOAD_BYTES - 1_000;
const DIGEST_EVERY_MS = 24 * 60 * 60_000;
/** A digest that was asked for begins so long after the last one that was, however often it is asked for. */
const ASKED_DIGEST_EVERY_MS = 60_000;
/** How long changes are told without a confirmation, and how long at most when no other one follows. */
const UNCONFIRMED_MS = 30 * 60_000;
const LONGEST_UNCONFIRMED_MS = 2 * UNCONFIRMED_MS;
/** A message is to stay one of 5 KB, as IoT Core counts them. */
const UNCONFIRMED_BYTES = 4_500;
/** After a longer time without a connection everything is told: meanwhile only other agents' words have counted. */
const GAP_MS = 60_000;

/**
 * The changes that are not confirmed, from the first on, as many as fit into one message; null when there are none.
 * @param upTo the last change that may be told
 */
export function nextChanges(known: KnownDevices, upTo: number): Sightings | null {
  const changed = known
    .all()
    .filter(({ n }) => n > known.confirmed && n <= upTo)
    .sort((a, b) => a.n - b.n);
  const sightings = fitting(changed.map((device) => sightingOf(device, known.confirmed)));
  const n = sightings.at(-1)?.n;
  return n === undefined ? null : message(known, n, null, sightings);
}

/**
 * The part of a digest that begins with this MAC; it ends with the last MAC that fits into the message. It takes a number,
 * which has to be kept before the message is sent.
 */
export function digestFrom(known: KnownDevices, from: string): Sightings {
  const rest = known
    .all()
    .filter(({ n, mac }) => n > 0 && mac >= from)
    .sort((a, b) => (a.mac < b.mac ? -1 : 1));
  const sightings = fitting(rest.map((device) => sightingOf(device)));
  const last = sightings.length === rest.length ? ALL_MACS[1] : (sightings.at(-1)?.mac ?? ALL_MACS[1]);
  return message(known, known.takeNumber(), [from, last], sightings);
}

/** The MAC behind one; null behind the last. */
export function macAfter(mac: string): string | null {
  const next = Number.parseInt(mac.replaceAll(':', ''), 16) + 1;
  if (next > 0xffff_ffff_ffff) return null;
  return next
    .toString(16)
    .padStart(12, '0')
    .toUpperCase()
    .replace(/(..)(?!$)/g, '$1:');
}

function fitting(sightings: readonly Sighting[]): Sighting[] {
  const some: Sighting[] = [];
  let bytes = 0;
  for (const sighting of sightings.slice(0, MAX_SIGHTINGS)) {
    bytes += Buffer.byteLength(JSON.stringify(sighting)) + 1;
    if (bytes > MAX_SIGHTINGS_BYTES) break;
    some.push(sighting);
  }
  return some;
}

const bytesOf = (message: Sightings | null) => Buffer.byteLength(JSON.stringify(message));

function message({ epoch }: KnownDevices, n: number, covers: Sightings['covers'], sightings: Sighting[]): Sightings {
  return { v: PROTOCOL_VERSION, t: 'sightings', epoch, n, covers, sightings };
}

interface ReporterOptions {
  known: KnownDevices;
  /** Publishes with QoS 1; rejects when the link fails. */
  publish(payload: Buffer): Promise<void>;
  /** Writes down what is known, and what is confirmed of it. Never rejects. @returns whether it is on disk */
  keep(): Promise<boolean>;
  log: Logger;
  now?: () => number;
}

/** A run of messages that tells everything. */
interface Digest {
  from: string;
  /** Everything up to this change is told when the last of them is stored. */
  upTo: number;
}

export class Reporter {
  readonly #options: ReporterOptions;
  readonly #now: () => number;
  /** Whether there is a connection, and somebody wants to be told. */
  #connected = false;
  #enabled = false;
  /** Since when there is no connection (Unix, ms); null while there is one, and before the first. */
  #disconnectedAt: number | null = null;
  /** Whether a digest is due because the connection was away for long. */
  #hadGap = false;
  /** Whether somebody has asked for a digest since the last one began, and when one last began for that reason. */
  #isAsked = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #askedTimer: NodeJS.Timeout | undefined;
  /** The last change that is on disk. Told before that, its number could be given to another change after a crash. */
  #onDisk = 0;
  /** What was sent last and is not confirmed. */
  #underWay: Sightings | null = null;
  /** When the first change was told that is not confirmed (Unix, ms); null when all are. */
  #toldSince: number | null = null;
  #digest: Digest | null = null;
  readonly #resender = new Resender(() => this.#send());
  /** Digests of many agents that were enrolled together do not stay together. */
  readonly #digestEveryMs = DIGEST_EVERY_MS * (0.9 + 0.2 * Math.random());

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** There is a connection: what is under way is sent again at once. */
  connected(): void {
    this.#connected = true;
    if (this.#disconnectedAt !== null && this.#now() - this.#disconnectedAt >= GAP_MS) this.#hadGap = true;
    this.#disconnectedAt = null;
    this.#again();
  }

  disconnected(): void {
    this.#connected = false;
    this.#disconnectedAt ??= this.#now();
    this.#resender.stop();
  }

  /** A look has been taken, and everything that is known is on disk. */
  changed(): void {
    this.#enabled = true;
    this.#onDisk = this.#options.known.lastChange;
    if (this.#isFree) this.#next();
  }

  /** Nobody wants to be told any more. */
  stop(): void {
    this.#enabled = false;
    this.#underWay = null;
    this.#toldSince = null;
    this.#digest = null;
    this.#resender.stop();
    clearTimeout(this.#askedTimer);
  }

  /**
   * The cloud has stored a message.
   * @param answer.alerts those of its devices of which somebody wants to be alerted when they are gone
   */
  stored({ epoch, n, alerts = [] }: { epoch: number; n: number; alerts?: readonly string[] | undefined }): void {
    const { known, keep } = this.#options;
    const stored = this.#underWay;
    if (stored === null || epoch !== known.epoch || n !== stored.n) return;
    this.#resender.stop();
    this.#underWay = null;
    this.#toldSince = null;
    known.setAlerts(
      stored.sightings.map(({ mac }) => mac),
      new Set(alerts),
    );
    if (stored.covers === null) {
      known.confirm(n);
    } else if (this.#digest !== null) {
      const from = macAfter(stored.covers[1]);
      if (from === null) {
        known.confirm(this.#digest.upTo);
        known.digested(this.#now());
        this.#digest = null;
        this.#hadGap = false;
      } else {
        this.#digest.from = from;
      }
    }
    this.#next();
    void keep();
  }

  /**
   * Everything is to be told anew. What is under way comes to its end first, also another digest: its first messages may
   * have been stored before whatever this is asked for.
   */
  tellAll(): void {
    this.#isAsked = true;
    if (this.#isFree) this.#next();
  }

  /**
   * The same for a restored server, which has not stored all that it once confirmed: also a digest that is under way begins again,
   * and one is due after a crash as well.
   */
  tellAnew(): void {
    const { known, keep } = this.#options;
    known.digested(null);
    this.#digest = null;
    if (this.#isFree) this.#next();
    void keep();
  }

  /** Whether another message may follow. */
  get #isFree(): boolean {
    return this.#underWay === null || this.#underWay.answer === false;
  }

  /** Whether a digest that was asked for may begin. If it is too early, it is tried again when it is not. */
  #isAskedNow(): boolean {
    if (!this.#isAsked) return false;
    const waitMs = this.#askedAt + ASKED_DIGEST_EVERY_MS - this.#now();
    if (waitMs <= 0 || waitMs > ASKED_DIGEST_EVERY_MS) return true; // The latter when the clock was set back.
    clearTimeout(this.#askedTimer);
    this.#askedTimer = setTimeout(() => this.#isFree && this.#next(), waitMs);
    this.#askedTimer.unref();
    return false;
  }

  /** Begins with what is to be told next, if there is anything. */
  #next(): void {
    if (!this.#enabled || !this.#connected) return;
    const { known, keep } = this.#options;
    const now = this.#now();
    const isDue =
      this.#hadGap ||
      known.digestedAt === null ||
      Math.abs(now - known.digestedAt) >= this.#digestEveryMs ||
      this.#hasRelearned(known.digestedAt);
    if (this.#digest === null && (isDue || this.#isAskedNow())) {
      this.#digest = { from: ALL_MACS[0], upTo: known.lastChange };
      if (this.#isAsked) this.#askedAt = now;
      this.#isAsked = false;
    }
    if (this.#digest === null) {
      const changes = nextChanges(known, this.#onDisk);
      this.#toldSince ??= changes === null ? null : now;
      const toldMs = Math.abs(now - (this.#toldSince ?? now));
      const isNews = this.#underWay === null || this.#underWay.n !== changes?.n;
      if (!isNews && toldMs < LONGEST_UNCONFIRMED_MS) return;
      const isConfirmed = toldMs >= UNCONFIRMED_MS || bytesOf(changes) > UNCONFIRMED_BYTES;
      this.#underWay = changes === null || isConfirmed ? changes : { ...changes, answer: false };
      this.#resender.start();
    } else {
      const digest = digestFrom(known, this.#digest.from);
      this.#underWay = digest;
      // Its number must not be given a second time, after a restart. When it cannot be kept, the next look tries again.
      void keep().then((isKept) => {
        if (this.#underWay !== digest) return;
        if (isKept) this.#onDisk = Math.max(this.#onDisk, digest.n);
        else this.#underWay = null;
        this.#resender.start();
      });
    }
  }

  /** Whether the devices that an earlier epoch knew, and this one has not seen, are to be given up. */
  #hasRelearned(digestedAt: number): boolean {
    // Later than the cloud needs, whose clock may be behind.
    const at = this.#options.known.epoch + RELEARN_MS * 1.5;
    return digestedAt < at && at <= this.#now();
  }

  #again(): void {
    if (!this.#enabled) return;
    if (this.#underWay === null || (this.#isFree && this.#hadGap)) this.#next();
    else this.#resender.start();
  }

  #send(): boolean {
    const message = this.#underWay;
    if (message === null || message.n > this.#onDisk || !this.#connected) return false;
    this.#options.publish(Buffer.from(JSON.stringify(message))).then(
      () => {
        if (message === this.#underWay && this.#isFree) this.#resender.stop();
      },
      (error) => this.#options.log.debug({ err: error }, 'sightings did not reach the broker; they are sent again'),
    );
    return true;
  }
}
