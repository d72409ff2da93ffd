/**
 * Passes on what a command prints while it runs, in few messages: brokers count them. Nothing is authoritative here,
 * since the result repeats all output; a command that ends within half a second sends nothing of this at all.
 */
import { type Output, PROTOCOL_VERSION, type Progress } from '../shared/agent/messages.ts';
import type { JobId } from '../shared/identity.ts';

const EVERY_MS = 500;
/** Characters of output in one message. Escaped as JSON they stay below what a packet may hold. */
const MAX_TEXT = 16_384;
/** Characters that may wait for the next message; what comes on top is left to the result. */
const MAX_WAITING = 4 * MAX_TEXT;

export class LiveOutput {
  readonly #id: JobId;
  readonly #send: (message: Output | Progress) => void;
  #text = '';
  #progress: { phase: string; percent: number | null } | null = null;
  #outputs = 0;
  #progresses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: JobId, send: (message: Output | Progress) => void) {
    this.#id = id;
    this.#send = send;
  }

  output(text: string): void {
    this.#text += text.slice(0, Math.max(0, MAX_WAITING - this.#text.length));
    this.#sendSoon();
  }

  /** Of several within half a second only the last is sent. */
  progress(phase: string, percent: number | null): void {
    this.#progress = { phase, percent };
    this.#sendSoon();
  }

  /** The command has ended: what has not been sent stays unsent. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sendSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sendNow();
    }, EVERY_MS);
  }

  #sendNow(): void {
    const base = { v: PROTOCOL_VERSION, id: this.#id } as const;
    if (this.#progress !== null) this.#send({ ...base, t: 'progress', seq: this.#progresses++, ...this.#progress });
    this.#progress = null;
    for (let at = 0; at < this.#text.length; at += MAX_TEXT) {
      this.#send({ ...base, t: 'output', seq: this.#outputs++, text: this.#text.slice(at, at + MAX_TEXT) });
    }
    this.#text = '';
  }
}
