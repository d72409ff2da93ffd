/**
 * The output that a command has printed so far, and the instances that follow it. Each follower is sent everything from
 * its own position to the end, in few messages because brokers limit their number. Losing one does no harm: the result
 * repeats the output, as far as it fits. A command that ends at once sends none of these messages. None of this is stored,
 * which would cost a write for every kilobyte, also while no caller follows.
 */
import { type Output, PROTOCOL_VERSION, type Progress } from '../../shared/agent/messages.ts';
import type { InstanceId } from '../../shared/agent/topics.ts';
import type { JobId } from '../../shared/identity.ts';
import { startOf } from '../../shared/text.ts';

/** Wait before a message, so that lines printed at about the same time share it. */
const GATHER_MS = 30;
/** Least time between two messages to one follower. */
const EVERY_MS = 500;
/** The same when more than `MUCH` characters are waiting. */
const SOON_MS = 100;
const MUCH = 16_384;
/** Characters that are kept and passed on. */
const MAX_KEPT = 1_000_000;
const STOPS_HERE = '\n[The output goes on; no more of it is shown while the command runs]\n';
/** Characters, and bytes of JSON, in one message: with its envelope and its topic it fits a packet of the broker. */
const MAX_TEXT = 98_304;
const MAX_TEXT_BYTES = 98_304;
/** Instances that may follow one command. */
export const MAX_WATCHERS = 8;

/** Passes a message to the connection. Returns whether the connection accepted it. */
type SendLive = (to: InstanceId, message: Output | Progress) => boolean;

interface Watcher {
  /** Position in the output up to which it was sent, in characters. */
  at: number;
  /** The number of the last progress report that it was sent; -1 before the first. */
  progress: number;
}

export class LiveOutput {
  readonly #id: JobId;
  readonly #requester: InstanceId | null;
  readonly #send: SendLive;
  /** The one that has followed for longest comes first. */
  readonly #watchers = new Map<InstanceId, Watcher>();
  #text = '';
  #complete = true;
  #progress: { seq: number; phase: string; percent: number | null } | null = null;
  #triedOutput = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #ended = false;

  /** @param requester follows from the beginning, and cannot be replaced by another follower; null when nobody waits */
  constructor(id: JobId, requester: InstanceId | null, send: SendLive) {
    this.#id = id;
    this.#requester = requester;
    this.#send = send;
    if (requester !== null) this.#watchers.set(requester, { at: 0, progress: -1 });
  }

  get watchers(): InstanceId[] {
    return [...this.#watchers.keys()];
  }

  has(watcher: InstanceId): boolean {
    return this.#watchers.has(watcher);
  }

  /**
   * Adds a follower, or returns a known one to an earlier position; what there is, is sent at once. When there are too
   * many, the one that was added first is dropped, but never the requester.
   * @param from characters of the output that it has already; a number beyond the end means all of them
   */
  watch(watcher: InstanceId, from: number): void {
    if (watcher !== this.#requester) this.#watchers.delete(watcher); // So that it becomes the newest.
    this.#watchers.set(watcher, { at: Math.min(from, this.#text.length), progress: -1 });
    for (const oldest of this.#watchers.keys()) {
      if (this.#watchers.size <= MAX_WATCHERS) break;
      if (oldest !== this.#requester) this.#watchers.delete(oldest);
    }
    if (this.#ended) return;
    this.#bringUpToDate(watcher);
    this.#sendSoon();
  }

  output(text: string): void {
    if (!this.#complete) return;
    this.#text += text;
    if (this.#text.length > MAX_KEPT) {
      this.#complete = false;
      this.#text = startOf(this.#text, MAX_KEPT) + STOPS_HERE;
    }
    this.#sendSoon();
  }

  /** Of several reports between two messages only the last is sent. */
  progress(phase: string, percent: number | null): void {
    this.#progress = { seq: (this.#progress?.seq ?? -1) + 1, phase, percent };
    this.#sendSoon();
  }

  /** The command has ended. Nothing more is sent, because the result holds it. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #sendSoon(): void {
    const behind = this.#text.length - Math.min(...[...this.#watchers.values()].map(({ at }) => at));
    if (this.#ended || (behind === 0 && !this.#progressWaits())) return;
    const pauseMs = behind > 0 && !this.#triedOutput ? 0 : behind > MUCH ? SOON_MS : EVERY_MS;
    const now = performance.now();
    const dueAt = Math.max(now + GATHER_MS, this.#sentAt + pauseMs);
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#sendNow(), dueAt - now);
  }

  #progressWaits(): boolean {
    const seq = this.#progress?.seq ?? -1;
    return [...this.#watchers.values()].some(({ progress }) => progress < seq);
  }

  #sendNow(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#sentAt = performance.now();
    for (const watcher of this.#watchers.keys()) this.#bringUpToDate(watcher);
    this.#sendSoon(); // The rest follows in further messages, also for a follower that could not be reached now.
  }

  /** Sends one follower the next part of the output, and the latest progress. */
  #bringUpToDate(to: InstanceId): void {
    const watcher = this.#watchers.get(to);
    if (watcher === undefined) return;
    const base = { v: PROTOCOL_VERSION, id: this.#id } as const;
    const { at } = watcher;
    if (at < this.#text.length) {
      const text = piece(this.#text, at);
      this.#triedOutput = true;
      if (!this.#send(to, { ...base, t: 'output', at, text })) return;
      watcher.at += text.length;
    }
    if (this.#progress === null || watcher.progress >= this.#progress.seq) return;
    if (this.#send(to, { ...base, t: 'progress', ...this.#progress })) watcher.progress = this.#progress.seq;
  }
}

/** As much of a text, from a position on, as a packet holds. Escaped, a character may need six bytes. */
function piece(text: string, from: number): string {
  let length = MAX_TEXT;
  for (;;) {
    const candidate = startOf(text.slice(from, from + length + 1), length);
    if (Buffer.byteLength(JSON.stringify(candidate)) <= MAX_TEXT_BYTES) return candidate;
    length = Math.ceil(length / 2);
  }
}
