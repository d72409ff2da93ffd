/**
 * Replaces the platform's `Headers`, `Request` and `Response` in the bundles of functions that need only these parts of the
 * Fetch standard. Node.js loads all of undici at the first use of its own: a quarter of a cold start.
 */
type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
type HeadersInit = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Forbidden in a value: NUL, CR and LF, which would end the header, and characters beyond a byte. */
const NOT_IN_VALUE = /[\0\r\n]|[^\0-\xff]/;

export class Headers {
  readonly #values = new Map<string, string>();

  constructor(init: HeadersInit = {}) {
    const entries = Symbol.iterator in init ? (init as Iterable<readonly [string, string]>) : Object.entries(init);
    for (const [name, value] of entries) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    const trimmed = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a header`);
    if (NOT_IN_VALUE.test(trimmed)) throw new TypeError(`The value of the header ${name} has an invalid character`);
    this.#values.set(name.toLowerCase(), trimmed);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, value);
    if (before !== null) this.#values.set(name.toLowerCase(), `${before}, ${this.get(name)}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this) visit(value, name);
  }

  /** Sorted by name. */
  *entries(): Generator<[string, string]> {
    yield* [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}

/** A request or a response. Its body can be read once. */
class Message {
  readonly headers: Headers;
  readonly #body: Body;

  constructor(body: Body, headers: HeadersInit | undefined) {
    this.#body = body;
    this.headers = new Headers(headers);
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#body === null || this.#body instanceof ReadableStream) return this.#body;
    const bytes = Buffer.from(this.#body);
    return new ReadableStream({
      start(controller) {
        if (bytes.length > 0) controller.enqueue(bytes);
        controller.close();
      },
    });
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = await this.#bytes();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.#bytes());
  }

  async #bytes(): Promise<Buffer<ArrayBuffer>> {
    if (!(this.#body instanceof ReadableStream)) return Buffer.from(this.#body ?? '');
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#body) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

export class Request extends Message {
  readonly url: string;
  readonly method: string;

  constructor(url: string | URL, { method = 'GET', headers, body = null }: RequestInit = {}) {
    super(body, headers);
    this.url = new URL(url).href;
    this.method = method;
  }

  /** Never aborted, because Lambda does not report the disconnection of a client. */
  get signal(): AbortSignal {
    return new AbortController().signal;
  }
}

interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: Body;
}

export class Response extends Message {
  readonly status: number;

  constructor(body: Body = null, { status = 200, headers }: { status?: number; headers?: HeadersInit } = {}) {
    super(body, headers);
    this.status = status;
    if (typeof body === 'string' && !this.headers.has('Content-Type')) {
      this.headers.set('Content-Type', 'text/plain;charset=UTF-8');
    }
  }
}
