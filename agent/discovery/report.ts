/**
 * Reports changes to the cloud. There is no queue: the agent sends the devices whose last change is not confirmed, and so
 * never sends a change that a later one superseded. One message is in flight at a time.
 *
 * A confirmation costs three times what a message does. So most messages of changes request none: each repeats what those
 * before it reported, until one requests a confirmation.
 */
import type { Logger } from 'pino';
import { ALL_MACS, MAX_SIGHTINGS, RELEARN_MS, type Sighting } from '../../shared/agent/discovery.ts';
import { PROTOCOL_VERSION, type Sightings } from '../../shared/agent/messages.ts';
import { MAX_PAYLOAD_BYTES } from '../../shared/agent/wire.ts';
import { parseMac } from '../../shared/network.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/time.ts';
import { Resender } from '../upstream/resender.ts';
import type { KnownDevices } from './known-devices.ts';
import { sightingOf } from './sighting.ts';

/** Room for the fields of a message beside its sightings. */
const MAX_SIGHTINGS_BYTES = MAX_PAYLOAD_BYTES - 1_000;
/** The least time from one requested digest to the next, however many requests there are. */
const REQUESTED_DIGEST_EVERY_MS = MINUTE_MS;
/** How long changes go without a confirmation; twice as long when no other change follows. */
const UNCONFIRMED_MS = 30 * MINUTE_MS;
/** A message is to stay one of 5 KB, as IoT Core counts them. */
const UNCONFIRMED_BYTES = 4_500;

/** The unconfirmed changes up to `upTo`, from the first on, as many as fit into a message; null without any. */
export function nextChanges(known: KnownDevices, upTo: number): Sightings | null {
  const changed = known.all().filter(({ n }) => n > known.confirmed && n <= upTo);
  changed.sort((a, b) => a.n - b.n);
  const sightings = fitting(changed.map((device) => sightingOf(device, known.confirmed)));
  const n = sightings.at(-1)?.n;
  return n === undefined ? null : message(known, n, null, sightings);
}

/** The part of a digest from this MAC on that fits into a message. Its number must be on disk before it is sent. */
export function digestFrom(known: KnownDevices, from: string): Sightings {
  const rest = known.all().filter(({ n, mac }) => n > 0 && mac >= from);
  rest.sort((a, b) => (a.mac < b.mac ? -1 : 1));
  const sightings = fitting(rest.map((device) => sightingOf(device)));
  const last = sightings.length === rest.length ? ALL_MACS[1] : (sightings.at(-1)?.mac ?? ALL_MACS[1]);
  return message(known, known.takeNumber(), [from, last], sightings);
}

/** The next MAC; null after the last. */
export function macAfter(mac: string): string | null {
  const next = Number.parseInt(mac.replaceAll(':', ''), 16) + 1;
  return next > 0xffff_ffff_ffff ? null : parseMac(next.toString(16).padStart(12, '0'));
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
  /** Persists the known devices. Never rejects. @returns whether they are on disk */
  keep(): Promise<boolean>;
  log: Logger;
  now?: () => number;
}

/** A sequence of messages that reports all devices. */
interface Digest {
  from: string;
  /** Changes up to this one are confirmed when the last message is stored. */
  upTo: number;
}

export class Reporter {
  readonly #options: ReporterOptions;
  readonly #now: () => number;
  #connected = false;
  #enabled = false;
  /** Start of the disconnection (Unix, ms); null while connected, and before the first connection. */
  #disconnectedAt: number | null = null;
  /** Whether a digest is due after a long disconnection. */
  #hadGap = false;
  /** Whether a digest was requested since the last one began, and when one last began on request. */
  #isRequested = false;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #requestTimer: NodeJS.Timeout | undefined;
  /** The last change on disk. If sent earlier, its number could go to another change after a crash. */
  #onDisk = 0;
  /** The last message, until it is confirmed. */
  #inFlight: Sightings | null = null;
  /** When the first unconfirmed change was sent (Unix, ms); null without one. */
  #sentSince: number | null = null;
  #digest: Digest | null = null;
  readonly #resender = new Resender(() => this.#send());
  /** Daily with jitter: digests of agents enrolled together spread out. */
  readonly #digestEveryMs = DAY_MS * (0.9 + 0.2 * Math.random());

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Resends the message in flight at once. */
  connected(): void {
    this.#connected = true;
    // After a longer gap all is reported: meanwhile only other agents' reports counted.
    if (this.#disconnectedAt !== null && this.#now() - this.#disconnectedAt >= MINUTE_MS) this.#hadGap = true;
    this.#disconnectedAt = null;
    this.#resume();
  }

  disconnected(): void {
    this.#connected = false;
    this.#disconnectedAt ??= this.#now();
    this.#resender.stop();
  }

  /** A scan has run, and the known devices are on disk. */
  changed(): void {
    this.#enabled = true;
    this.#onDisk = this.#options.known.lastChange;
    if (this.#isFree) this.#next();
  }

  stop(): void {
    this.#enabled = false;
    this.#inFlight = null;
    this.#sentSince = null;
    this.#digest = null;
    this.#resender.stop();
    clearTimeout(this.#requestTimer);
  }

  /** The cloud has stored a message; `alerts` are those of its devices that alert when gone. */
  stored({ epoch, n, alerts = [] }: { epoch: number; n: number; alerts?: readonly string[] | undefined }): void {
    const { known, keep } = this.#options;
    const stored = this.#inFlight;
    if (stored === null || epoch !== known.epoch || n !== stored.n) return;
    this.#resender.stop();
    this.#inFlight = null;
    this.#sentSince = null;
    const macs = stored.sightings.map(({ mac }) => mac);
    known.setAlerts(macs, new Set(alerts));
    if (stored.covers === null) {
      known.confirm(n);
    } else if (this.#digest !== null) {
      const from = macAfter(stored.covers[1]);
      if (from === null) {
        known.confirm(this.#digest.upTo);
        known.digestedAt = this.#now();
        this.#digest = null;
        this.#hadGap = false;
      } else {
        this.#digest.from = from;
      }
    }
    this.#next();
    void keep();
  }

  /** Requests a digest. The message in flight completes first, also another digest, whose parts may be older. */
  requestDigest(): void {
    this.#isRequested = true;
    if (this.#isFree) this.#next();
  }

  /** For a restored server, which lacks confirmed changes: a digest in flight restarts; one is due after a crash. */
  resync(): void {
    const { known, keep } = this.#options;
    known.digestedAt = null;
    this.#digest = null;
    if (this.#isFree) this.#next();
    void keep();
  }

  /** Whether another message may follow. */
  get #isFree(): boolean {
    return this.#inFlight === null || this.#inFlight.answer === false;
  }

  /** Whether a requested digest may begin. If it is too early, a timer retries. */
  #mayServeRequest(): boolean {
    if (!this.#isRequested) return false;
    const waitMs = this.#requestedAt + REQUESTED_DIGEST_EVERY_MS - this.#now();
    if (waitMs <= 0 || waitMs > REQUESTED_DIGEST_EVERY_MS) return true; // The latter when the clock was set back.
    clearTimeout(this.#requestTimer);
    this.#requestTimer = setTimeout(() => this.#isFree && this.#next(), waitMs).unref();
    return false;
  }

  /** Begins the next message, if there is anything to report. */
  #next(): void {
    if (!this.#enabled || !this.#connected) return;
    const { known, keep } = this.#options;
    const now = this.#now();
    const isDue =
      this.#hadGap ||
      known.digestedAt === null ||
      Math.abs(now - known.digestedAt) >= this.#digestEveryMs ||
      this.#hasRelearned(known.digestedAt);
    if (this.#digest === null && (isDue || this.#mayServeRequest())) {
      this.#digest = { from: ALL_MACS[0], upTo: known.lastChange };
      if (this.#isRequested) this.#requestedAt = now;
      this.#isRequested = false;
    }
    if (this.#digest === null) {
      const changes = nextChanges(known, this.#onDisk);
      this.#sentSince ??= changes === null ? null : now;
      const sentForMs = Math.abs(now - (this.#sentSince ?? now));
      const isNews = this.#inFlight === null || this.#inFlight.n !== changes?.n;
      if (!isNews && sentForMs < 2 * UNCONFIRMED_MS) return;
      const isConfirmed = sentForMs >= UNCONFIRMED_MS || bytesOf(changes) > UNCONFIRMED_BYTES;
      this.#inFlight = changes === null || isConfirmed ? changes : { ...changes, answer: false };
      this.#resender.start();
    } else {
      const digest = digestFrom(known, this.#digest.from);
      this.#inFlight = digest;
      // After a restart its number must not be assigned again. If it cannot be persisted, the next scan retries.
      void keep().then((isKept) => {
        if (this.#inFlight !== digest) return;
        if (isKept) this.#onDisk = Math.max(this.#onDisk, digest.n);
        else this.#inFlight = null;
        this.#resender.start();
      });
    }
  }

  /** Whether to give up the devices of an earlier epoch that this one has not seen. */
  #hasRelearned(digestedAt: number): boolean {
    // Later than the cloud requires, whose clock may be slow.
    const at = this.#options.known.epoch + RELEARN_MS * 1.5;
    return digestedAt < at && at <= this.#now();
  }

  #resume(): void {
    if (!this.#enabled) return;
    if (this.#inFlight === null || (this.#isFree && this.#hadGap)) this.#next();
    else this.#resender.start();
  }

  #send(): boolean {
    const message = this.#inFlight;
    if (message === null || message.n > this.#onDisk || !this.#connected) return false;
    this.#options.publish(Buffer.from(JSON.stringify(message))).then(
      () => {
        if (message === this.#inFlight && this.#isFree) this.#resender.stop();
      },
      (error) => this.#options.log.debug({ err: error }, 'sightings did not reach the broker; the agent retries'),
    );
    return true;
  }
}
