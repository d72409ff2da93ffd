/** Requests of the deployed API, as any client makes them. */
import { ErrorBody } from '../../shared/errors.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined if the body is no JSON. */
  json: unknown;
  /** From the request to the first byte of the body, and to the last (ms). */
  firstByteMs: number;
  endMs: number;
  /** From the request to the byte of this number, if there were as many (ms). */
  reachedMs(bytes: number): number | null;
}

export interface RequestOptions {
  site?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Without the token. */
  anonymous?: boolean;
}

export interface Api {
  /** Without a slash at its end. */
  url: string;
  request(method: string, path: string, signal: AbortSignal, options?: RequestOptions): Promise<Answer>;
}

export function openApi(base: string, token: string): Api {
  const url = base.replace(/\/+$/, '');
  return {
    url,
    async request(method, path, signal, { site, headers, body, anonymous = false } = {}) {
      const start = performance.now();
      const response = await fetch(url + path, {
        method,
        signal,
        headers: {
          ...(anonymous ? {} : { authorization: `Bearer ${token}` }),
          ...(site === undefined ? {} : { 'x-site': site }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const chunks: { bytes: Uint8Array; atMs: number }[] = [];
      for await (const bytes of response.body ?? []) chunks.push({ bytes, atMs: performance.now() - start });
      const endMs = performance.now() - start;
      const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: parsed(text),
        firstByteMs: Math.round(chunks[0]?.atMs ?? endMs),
        endMs: Math.round(endMs),
        reachedMs(wanted) {
          let bytes = 0;
          const reached = chunks.find((chunk) => {
            bytes += chunk.bytes.length;
            return bytes >= wanted;
          });
          return reached === undefined ? null : Math.round(reached.atMs);
        },
      };
    },
  };
}

/** @throws {Error} when the status is another one; it names the code of the error and the id of the request */
export function expectStatus(answer: Answer, status: number, what: string): void {
  if (answer.status === status) return;
  const error = ErrorBody.safeParse(answer.json);
  const said = error.success ? `${error.data.code}: ${error.data.message}` : 'not in the form of the contract';
  const request = answer.headers.get('x-request-id') ?? 'unknown';
  throw new Error(`${what}: expected ${status}, got ${answer.status} (${said}; request ${request})`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
