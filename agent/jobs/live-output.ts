/**
 * The output of a running command, and the instances that follow it. Each follower receives everything from its own
 * position to the end, in few messages because brokers limit their number. A lost message does no harm: the result
 * repeats the output, as far as it fits. Nothing is stored, which would cost a write per kilobyte even without followers.
 */
import type { Output, Progress } from '../../shared/agent/messages.ts';
import type { InstanceId } from '../../shared/agent/topics.ts';
import type { JobId } from '../../shared/identity.ts';
import { startOf } from '../../shared/text.ts';
import { base } from './outcomes.ts';

/** Least time between two messages to one follower; shorter with a backlog of more than `MUCH` characters. */
const EVERY_MS = 500;
const SOON_MS = 100;
const MUCH = 16_384;
/** Characters of output that followers receive. */
const MAX_KEPT = 1_000_000;
const STOPS_HERE = '\n[The output goes on; no more of it is shown while the command runs]\n';
/** Characters, and bytes of JSON, in one message: with envelope and topic it fits a packet of the broker. */
const MAX_TEXT = 98_304;
export const MAX_WATCHERS = 8;

/** Returns whether the connection accepted the message. */
type SendLive = (to: InstanceId, message: Output | Progress) => boolean;

interface Watcher {
  /** Characters of the output that it has received. */
  at: number;
  /** The `seq` of the last progress that it has received; -1 before the first. */
  progress: number;
}

export class LiveOutput {
  readonly #id: JobId;
  readonly #requester: InstanceId | null;
  readonly #send: SendLive;
  /** The oldest first. */
  readonly #watchers = new Map<InstanceId, Watcher>();
  #text = '';
  #complete = true;
  #progress: { seq: number; phase: string; percent: number | null } | null = null;
  #triedOutput = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #ended = false;

  /** @param requester follows from the beginning, and cannot be evicted; null for a planned command */
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
   * Adds a follower, or rewinds a known one, and sends the backlog at once. Beyond the bound, evicts the oldest follower,
   * but never the requester.
   * @param from characters of the output that it has already; clamped to the end
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

  /** Coalesced: only the latest progress is sent. */
  progress(phase: string, percent: number | null): void {
    this.#progress = { seq: (this.#progress?.seq ?? -1) + 1, phase, percent };
    this.#sendSoon();
  }

  /** Sends nothing more, because the result holds the rest. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #sendSoon(): void {
    const behind = this.#text.length - Math.min(...[...this.#watchers.values()].map(({ at }) => at));
    if (this.#ended || (behind === 0 && !this.#progressWaits())) return;
    const pauseMs = behind > 0 && !this.#triedOutput ? 0 : behind > MUCH ? SOON_MS : EVERY_MS;
    const now = performance.now();
    // Lines that are printed within 30 ms share a message.
    const dueAt = Math.max(now + 30, this.#sentAt + pauseMs);
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
    this.#sendSoon(); // The backlog follows in further messages, also after a failed send.
  }

  #bringUpToDate(to: InstanceId): void {
    const watcher = this.#watchers.get(to);
    if (watcher === undefined) return;
    const { at } = watcher;
    if (at < this.#text.length) {
      const text = piece(this.#text, at);
      this.#triedOutput = true;
      if (!this.#send(to, { ...base(this.#id), t: 'output', at, text })) return;
      watcher.at += text.length;
    }
    if (this.#progress === null || watcher.progress >= this.#progress.seq) return;
    if (this.#send(to, { ...base(this.#id), t: 'progress', ...this.#progress })) watcher.progress = this.#progress.seq;
  }
}

/** As much of a text as a packet holds. Escaped, a character may need six bytes. */
function piece(text: string, from: number): string {
  let length = MAX_TEXT;
  for (;;) {
    const candidate = startOf(text.slice(from, from + length + 1), length);
    if (Buffer.byteLength(JSON.stringify(candidate)) <= MAX_TEXT) return candidate;
    length = Math.ceil(length / 2);
  }
}
