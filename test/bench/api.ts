/** Single requests to a running system, with their time. */

/** Where a system listens, and what it knows its caller by. */
export interface Endpoint {
  url: string;
  token: string;
}

export interface SendOptions {
  site?: string;
  json?: unknown;
  /** Sent as the form field `file`. */
  file?: string;
}

const TIMEOUT_MS = 60_000;

/** @returns the answer, and the milliseconds until it was read. @throws {Error} when the status is not a success */
export async function send(
  endpoint: Endpoint,
  method: string,
  path: string,
  options: SendOptions = {},
): Promise<{ ms: number; text: string; headers: Headers }> {
  const startedAt = performance.now();
  const response = await ask(endpoint, method, path, options);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`);
  return { ms, text, headers: response.headers };
}

/**
 * Opens an event stream and leaves it at the first event of the given kind.
 * @returns the milliseconds until then, and the last data of each kind
 */
export async function firstEvents(
  endpoint: Endpoint,
  path: string,
  json: unknown,
  until: string,
): Promise<{ ms: number; data: ReadonlyMap<string, unknown> }> {
  const startedAt = performance.now();
  const response = await ask(endpoint, 'POST', path, { json }, 'text/event-stream');
  const data = new Map<string, unknown>();
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, kind, content] = /^event: (\w+)\n(?:id: .*\n)?data: (.*)$/.exec(event) ?? [];
      if (kind === undefined || content === undefined) continue;
      data.set(kind, JSON.parse(content));
      if (kind === until) return { ms: performance.now() - startedAt, data }; // Ends the connection too.
    }
  }
  throw new Error(`POST ${path} was answered with ${response.status} and without an event "${until}"`);
}

function ask({ url, token }: Endpoint, method: string, path: string, options: SendOptions, accept = '*/*') {
  const { site, json, file } = options;
  const form = new FormData();
  if (file !== undefined) form.set('file', new Blob([file]), 'devices.csv');
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept,
      ...(site === undefined ? {} : { 'x-site': site }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(file === undefined ? {} : { body: form }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
