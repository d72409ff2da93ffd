/** The requests that tests make of the API, wherever it runs. */
import { get, type IncomingHttpHeaders } from 'node:http';
import { type EventStream, readEventStream } from './event-stream.ts';

export interface RequestOptions {
  /** Sent as X-Site. */
  site?: string | undefined;
  /** Another token than the client's own; null for none. */
  token?: string | null | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array | FormData | undefined;
}

export interface Response {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined when the body is no JSON. */
  json: unknown;
}

export interface RawAnswer {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface ApiClient {
  url: string;
  token: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** A request whose answer is not read. */
  fetch(method: string, path: string, options?: RequestOptions): Promise<globalThis.Response>;
  /** A request that is answered with a stream of events. */
  stream(method: string, path: string, options?: RequestOptions): Promise<EventStream>;
  /** The bytes of an answer, as they travelled. */
  rawGet(path: string, headers: Record<string, string>): Promise<RawAnswer>;
}

/** @param fetchLike sends the requests; for a service that does not listen */
export function openApiClient(
  url: string,
  token: string,
  fetchLike: (request: Request) => Promise<globalThis.Response> = fetch,
): ApiClient {
  function send(method: string, path: string, options: RequestOptions = {}, signal?: AbortSignal) {
    const secret = options.token === undefined ? token : options.token;
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const request = new Request(url + path, {
      method,
      ...(signal === undefined ? {} : { signal }),
      headers: {
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        ...(options.site === undefined ? {} : { 'x-site': options.site }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? new Uint8Array(body) : body }),
    });
    return fetchLike(request);
  }

  return {
    url,
    token,
    fetch: (method, path, options) => send(method, path, options),

    async request(method, path, options = {}) {
      const response = await send(method, path, options);
      const text = await response.text();
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = undefined;
      }
      return { status: response.status, headers: response.headers, text, json };
    },

    async stream(method, path, options = {}) {
      const abort = new AbortController();
      const headers = { accept: 'text/event-stream', ...options.headers };
      return readEventStream(await send(method, path, { ...options, headers }, abort.signal), abort);
    },

    rawGet(path, headers) {
      return new Promise((resolve, reject) => {
        const sent = get(
          url + path,
          { headers: { authorization: `Bearer ${token}`, ...headers } },
          async (response) => {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk);
            resolve({ headers: response.headers, body: Buffer.concat(chunks) });
          },
        );
        sent.on('error', reject);
      });
    },
  };
}
