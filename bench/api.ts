/** Timed requests, over connections that stay open. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Api {
  /** @throws {Refused} when the status is not a success */
  send(method: string, path: string, options?: SendOptions): Promise<Answered>;
  /**
   * Opens an event stream and leaves it at the first event of the given kind. Returns the time until then, from before
   * the request, and the last data of each kind.
   */
  firstEvents(
    method: string,
    path: string,
    json: unknown,
    until: string,
  ): Promise<{ ms: number; data: ReadonlyMap<string, unknown> }>;
  close(): void;
}

export class Refused extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export interface SendOptions {
  site?: string;
  json?: unknown;
  /** Sent as the form field `file`. */
  file?: string;
  gzip?: boolean;
}

export interface Answered {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** From before the request until the whole body was read, without decompressing it. */
  ms: number;
}

const TIMEOUT_MS = 60_000;

export function openApi(url: string, token: string): Api {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function send(method: string, path: string, options: SendOptions = {}): Promise<Answered> {
    const { site, gzip = false } = options;
    const { body, contentType } = bodyOf(options);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(site === undefined ? {} : { 'x-site': site }),
      ...(gzip ? { 'accept-encoding': 'gzip' } : {}),
      ...(body === undefined ? {} : { 'content-type': contentType, 'content-length': body.length }),
    };
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sent = request(`${url}${path}`, { agent, method, headers, timeout: TIMEOUT_MS }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const ms = performance.now() - startedAt;
          const answered = { headers: response.headers, body: Buffer.concat(chunks), ms };
          const { statusCode = 0 } = response;
          if (statusCode >= 200 && statusCode < 300) resolve(answered);
          else {
            const message = `${method} ${path} was answered with ${statusCode}: ${answered.body.subarray(0, 500)}`;
            reject(new Refused(message, statusCode));
          }
        });
      });
      sent.once('timeout', () => sent.destroy(new Error(`${method} ${path} took longer than ${TIMEOUT_MS / 1000} s`)));
      sent.once('error', reject);
      sent.end(body);
    });
  }

  async function firstEvents(method: string, path: string, json: unknown, until: string) {
    const startedAt = performance.now();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(json),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const data = new Map<string, unknown>();
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, kind, json] = /^event: (\w+)\n(?:id: .*\n)?data: (.*)$/.exec(event) ?? [];
        if (kind === undefined || json === undefined) continue;
        data.set(kind, JSON.parse(json));
        if (kind !== until) continue;
        const ms = performance.now() - startedAt;
        return { ms, data }; // Ends the connection too.
      }
    }
    throw new Error(`${method} ${path} was answered with ${response.status} and without an event "${until}"`);
  }

  return { send, firstEvents, close: () => agent.destroy() };
}

const BOUNDARY = 'lanreach-bench-boundary';

function bodyOf({ json, file }: SendOptions): { body: Buffer | undefined; contentType: string } {
  if (file === undefined) {
    return {
      body: json === undefined ? undefined : Buffer.from(JSON.stringify(json)),
      contentType: 'application/json',
    };
  }
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="devices.csv"\r\n\r\n`;
  const body = Buffer.from(`${head}${file}\r\n--${BOUNDARY}--\r\n`);
  return { body, contentType: `multipart/form-data; boundary=${BOUNDARY}` };
}
