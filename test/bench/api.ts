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

function ask({ url, token }: Endpoint, method: string, path: string, options: SendOptions) {
  const { site, json, file } = options;
  const form = new FormData();
  if (file !== undefined) form.set('file', new Blob([file]), 'devices.csv');
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: '*/*',
      ...(site === undefined ? {} : { 'x-site': site }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(file === undefined ? {} : { body: form }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
