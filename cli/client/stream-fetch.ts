/**
 * `fetch` for long answers. That of Node.js 20 takes time in the square of what has arrived when its reader is slower than the
 * network: 46 s for 80 MB, where `node:http` takes less than one.
 */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

/** Statuses of which an answer has no body (https://fetch.spec.whatwg.org/#null-body-status). */
const WITHOUT_BODY = [204, 205, 304];

/**
 * As `fetch`, of whose options it knows `method`, `headers` as an object, `body` as a string, and `signal`. A redirect is an
 * error, because the token must only go to the host that it belongs to.
 * @throws {TypeError} with the error of the socket as its cause; or the reason of the signal
 */
export function streamFetch(url: URL, { method, headers, body, signal }: RequestInit): Promise<Response> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    const options = { method, headers: headers as Record<string, string>, signal: signal ?? undefined };
    const sent = request(url, options, (answer) => {
      const { statusCode: status = 0, headersDistinct } = answer;
      if (status >= 300 && status < 400) return sent.destroy(new Error(`unexpected redirect (${status})`));
      const fields = new Headers();
      for (const [name, values = []] of Object.entries(headersDistinct)) {
        for (const value of values) fields.append(name, value);
      }
      const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
      resolve(new Response(WITHOUT_BODY.includes(status) ? null : stream, { status, headers: fields }));
    });
    sent.once('error', fail);
    sent.end(typeof body === 'string' ? body : undefined);
  });
}
