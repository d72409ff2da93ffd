/** What the stand-ins of products have in common: their fixture, their sessions, and how they misbehave. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SourceObservation } from '../../../agent/sources/source.ts';

/** What headers can hold. */
export const KEY = 'k3y-with_symbols/+=';
/** What digests, JSON and Base64 have to hold. */
export const PASSWORD = 'pass"wörd\\7:';
export const SECRETS = [KEY, PASSWORD];

export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Anything but a text is sent as JSON. */
  body?: unknown;
}
export type Speak = (received: Received, product: Product) => Reply;

interface Fixture {
  settings: Record<string, string>;
  answers: Record<string, unknown>;
  /** The list that can have more rows, and such a row. */
  more: { list: string; field?: string; row: object };
  /** By the last byte of 00:1E:06:00:00:XX. */
  expected: Record<string, Partial<SourceObservation>>;
}

/** How a stand-in misbehaves from a certain request on: as HTTP, or in the text of its answer. */
export type Fault = number | 'hang' | 'broken off' | ((body: string) => string);

export class Product {
  readonly fixture: Fixture;
  readonly received: Received[] = [];
  readonly sessions = new Set<string>();
  logins = 0;
  /** Before which request, from 0, all sessions expire. */
  expiresAt = -1;
  fault: { from: number; what: Fault } | null = null;
  readonly #speak: Speak;

  constructor(kind: string, speak: Speak, more = 0) {
    const words: Record<string, string> = { $password: PASSWORD, $key: KEY };
    const file = new URL(`../../fixtures/sources/${kind}.json`, import.meta.url);
    this.fixture = JSON.parse(readFileSync(file, 'utf8'), (_, value) => words[value] ?? value);
    this.#speak = speak;
    const { list, field, row } = this.fixture.more;
    const target = this.fixture.answers[list] as Record<string, unknown[]> | unknown[];
    const rows = Array.isArray(target) ? target : (target[field ?? ''] ?? []);
    const template = JSON.stringify(row).replace('"$vmid"', '$vmid');
    for (let i = 0; i < more; i++) {
      const values: Record<string, string> = {
        $mac: moreMac(i),
        $ip: `10.2.${i >> 8}.${i & 255}`,
        $i: `${i}`,
        $vmid: `${i + 1_000}`,
      };
      rows.push(JSON.parse(template.replace(/\$(?:mac|ip|i|vmid)\b/g, (word) => values[word] ?? '')));
    }
  }

  logIn(): string {
    const session = `${++this.logins}`.padStart(32, '0a');
    this.sessions.add(session);
    return session;
  }

  readonly listener: RequestListener = async (request, response) => {
    const received = await receivedIn(request);
    const number = this.received.push(received) - 1;
    if (number === this.expiresAt) this.sessions.clear();
    const what = this.fault !== null && number >= this.fault.from ? this.fault.what : null;
    if (what === 'hang') return;
    const {
      status = 200,
      headers,
      body = '',
    } = typeof what === 'number' ? { status: what } : this.#speak(received, this);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = typeof what === 'function' ? what(text) : text;
    response.writeHead(status, {
      ...headers,
      'content-length': Buffer.byteLength(sent) + (what === 'broken off' ? 9 : 0),
    });
    response.end(sent, () => what === 'broken off' && response.destroy());
  };
}

async function receivedIn(request: IncomingMessage): Promise<Received> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  const { method = '', headers } = request;
  return { method, path: pathname, query: searchParams, headers, body: await text(request) };
}

const byte = (value: number) => value.toString(16).padStart(2, '0');
export const moreMac = (i: number) => `00:1e:06:02:${byte(i >> 8)}:${byte(i & 255)}`;
