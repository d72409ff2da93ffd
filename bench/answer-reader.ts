/**
 * Reads answers of an HTTP/1.1 server only as far as their ends have to be found (RFC 9112 section 6): status, and
 * length of the body. The clients of Node.js need more processor time for an answer than the server does.
 */

export interface HttpAnswer {
  status: number;
  /** Bytes of the body as they came, without what surrounds its chunks. */
  bodyBytes: number;
}

/** Longest head of an answer, and longest line between chunks. */
const MAX_TEXT = 16 * 1024;

const STATUS = /^HTTP\/1\.1 (\d{3})(?: |$)/;
const LENGTH = /\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?:\r\n|$)/i;
const CHUNKED = /\r\ntransfer-encoding:[ \t]*chunked[ \t]*(?:\r\n|$)/i;
const CHUNK_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;

/** Reads the answers on one connection, however they are cut into pieces. */
export class AnswerReader {
  readonly #onAnswer: (answer: HttpAnswer) => void;
  #state: 'head' | 'body' | 'size of a chunk' | 'chunk' | 'end of a chunk' | 'trailer' = 'head';
  /** The beginning of a head or line whose end has not come yet. */
  #text = '';
  #status = 0;
  #bodyBytes = 0;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;

  constructor(onAnswer: (answer: HttpAnswer) => void) {
    this.#onAnswer = onAnswer;
  }

  /** @throws {Error} for what is no answer, is too long, or whose end only the end of the connection tells */
  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      at = this.#state === 'body' || this.#state === 'chunk' ? this.#skip(bytes, at) : this.#readText(bytes, at);
    }
  }

  #skip(bytes: Buffer, at: number): number {
    const count = Math.min(this.#left, bytes.length - at);
    this.#left -= count;
    this.#bodyBytes += count;
    if (this.#left === 0) {
      if (this.#state === 'chunk') this.#state = 'end of a chunk';
      else this.#finish();
    }
    return at + count;
  }

  #readText(bytes: Buffer, at: number): number {
    const before = this.#text.length;
    const text = this.#text + bytes.toString('latin1', at, Math.min(bytes.length, at + MAX_TEXT));
    const mark = this.#state === 'head' ? '\r\n\r\n' : '\r\n';
    const end = text.indexOf(mark);
    if (end === -1 ? text.length >= MAX_TEXT : end > MAX_TEXT) throw new Error(`The ${this.#state} is too long`);
    if (end === -1) {
      this.#text = text;
      return bytes.length;
    }
    this.#text = '';
    this.#take(text.slice(0, end));
    return at + end + mark.length - before;
  }

  #take(text: string): void {
    switch (this.#state) {
      case 'head':
        this.#takeHead(text);
        return;
      case 'size of a chunk': {
        const size = CHUNK_SIZE.exec(text)?.[1];
        if (size === undefined)
          throw new Error(`Expected the size of a chunk, got ${JSON.stringify(text.slice(0, 40))}`);
        this.#left = Number.parseInt(size, 16);
        this.#state = this.#left === 0 ? 'trailer' : 'chunk';
        return;
      }
      case 'end of a chunk':
        if (text !== '') throw new Error('A chunk is longer than its size');
        this.#state = 'size of a chunk';
        return;
      default:
        if (text === '') this.#finish(); // An empty line ends the trailer.
    }
  }

  #takeHead(head: string): void {
    const status = STATUS.exec(head)?.[1];
    if (status === undefined) throw new Error(`Expected an HTTP/1.1 answer, got ${JSON.stringify(head.slice(0, 40))}`);
    this.#status = Number(status);
    this.#bodyBytes = 0;
    if (this.#status < 200) return; // An interim answer; the real one follows.
    if (this.#status === 204 || this.#status === 304) {
      this.#finish(); // They have no body.
    } else if (CHUNKED.test(head)) {
      this.#state = 'size of a chunk';
    } else {
      this.#expectBody(head);
    }
  }

  #expectBody(head: string): void {
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error('The answer has neither a Content-Length nor chunks');
    this.#left = Number(length);
    if (this.#left === 0) this.#finish();
    else this.#state = 'body';
  }

  #finish(): void {
    this.#state = 'head';
    this.#onAnswer({ status: this.#status, bodyBytes: this.#bodyBytes });
  }
}
