/** Single requests to a running system, with their time. */
import { openApiClient, type RequestOptions } from '../api-client.ts';

/** Where a system listens, and what it knows its caller by. */
export interface Endpoint {
  url: string;
  token: string;
}

/**
 * @param options.file sent as the form field `file`
 * @returns the answer, and the milliseconds until it was read
 * @throws {Error} when the status is not a success
 */
export async function send(
  { url, token }: Endpoint,
  method: string,
  path: string,
  { file, ...options }: Pick<RequestOptions, 'site' | 'body'> & { file?: string } = {},
): Promise<{ ms: number; text: string; headers: Headers }> {
  const form = new FormData();
  if (file !== undefined) form.set('file', new Blob([file]), 'devices.csv');
  const startedAt = performance.now();
  const sent = { ...options, ...(file === undefined ? {} : { raw: form }) };
  const response = await openApiClient(url, token).fetch(method, path, sent);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`);
  return { ms, text, headers: response.headers };
}
