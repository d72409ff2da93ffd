/** What `npm start` starts, on free ports and in a folder of its own, with the requests that tests make of it. */
import 'reflect-metadata'; // The X.509 library does not load without it.
import { webcrypto } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { pino } from 'pino';
import type { Consumption } from '../functions/dynamodb/capacity.ts';
import { readConfig } from '../local/config.ts';
import { type System, startSystem } from '../local/system.ts';
import { type EventStream, readEventStream } from './event-stream.ts';

export interface RequestOptions {
  /** Sent as X-Site. */
  site?: string;
  /** Another token than the system's own; null for none. */
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array;
}

export interface Response {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined when the body is no JSON. */
  json: unknown;
}

export interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

export interface TestSystem {
  system: System;
  url: string;
  token: string;
  /** Every line that the system has logged, at level info and above. */
  logged: LogLine[];
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** A request that is answered with a stream of events. */
  stream(method: string, path: string, options?: RequestOptions): Promise<EventStream>;
  /** The bytes of an answer, as they travelled. */
  rawGet(path: string, headers: Record<string, string>): Promise<{ headers: IncomingHttpHeaders; body: Buffer }>;
  /** A request, and what it consumed in DynamoDB. */
  measured(method: string, path: string, options?: RequestOptions): Promise<Response & { consumed: Consumption }>;
  /** A site with a name of its own, and with these devices. */
  addSite(csv?: string): Promise<string>;
  importCsv(csv: string, site?: string): Promise<Response>;
  createToken(wanted?: object): Promise<string>;
  /** @param subject what it says of its maker, which nobody should believe */
  makeCsr(subject?: string): Promise<{ csr: string }>;
  /** Ids of the newest jobs of site home, newest first. */
  newestJobs(count: number): Promise<string[]>;
  /** How many commands of site home have been written down. */
  jobCount(): Promise<number>;
  /** Stops the system and removes its folder. */
  close(): Promise<void>;
}

/** @param environment variables of `npm start`, over those that tests need */
export async function startTestSystem(environment: Record<string, string> = {}): Promise<TestSystem> {
  const folder = environment.LANREACH_DATA ?? (await mkdtemp(join(tmpdir(), 'lanreach-test-')));
  const config = readConfig({
    PATH: process.env.PATH,
    PORT: '0',
    MQTT_PORT: '0',
    LANREACH_DATA: folder,
    LANREACH_INSTALL: 'no',
    ...environment,
  });
  const logged: LogLine[] = [];
  const keep = new Writable({
    write(chunk, _, done) {
      for (const line of String(chunk).trim().split('\n')) logged.push(JSON.parse(line));
      done();
    },
  });
  const system = await startSystem({ config, log: pino({ level: 'info' }, keep) });
  const { url } = system;
  const { token } = system.token;
  let sites = 0;

  function send(method: string, path: string, options: RequestOptions, signal?: AbortSignal) {
    const secret = options.token === undefined ? token : options.token;
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    return fetch(url + path, {
      method,
      ...(signal === undefined ? {} : { signal }),
      headers: {
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        ...(options.site === undefined ? {} : { 'x-site': options.site }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
  }

  async function request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const response = await send(method, path, options);
    const text = await response.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  }

  async function stream(method: string, path: string, options: RequestOptions = {}): Promise<EventStream> {
    const abort = new AbortController();
    const headers = { accept: 'text/event-stream', ...options.headers };
    return readEventStream(await send(method, path, { ...options, headers }, abort.signal), abort);
  }

  function rawGet(path: string, headers: Record<string, string>) {
    return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const sent = get(url + path, { headers: { authorization: `Bearer ${token}`, ...headers } }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ headers: response.headers, body: Buffer.concat(chunks) });
      });
      sent.on('error', reject);
    });
  }

  async function measured(method: string, path: string, options: RequestOptions = {}) {
    const id = `measured-${logged.length}-${Math.random().toString(36).slice(2)}`;
    const response = await request(method, path, { ...options, headers: { ...options.headers, 'x-request-id': id } });
    const line = logged.find(({ requestId, msg }) => requestId === id && msg === 'request');
    const consumed = { readUnits: Number(line?.readUnits), writeUnits: Number(line?.writeUnits) };
    return { ...response, consumed };
  }

  async function importCsv(csv: string, site = 'home'): Promise<Response> {
    const response = await request('POST', '/devices/import', {
      site,
      body: { content: Buffer.from(csv).toString('base64') },
    });
    if (response.status !== 200) throw new Error(`import: ${response.status} ${response.text}`);
    return response;
  }

  async function addSite(csv?: string): Promise<string> {
    const id = `site-${++sites}`;
    await request('POST', '/sites', { body: { id } });
    if (csv !== undefined) await importCsv(csv, id);
    return id;
  }

  async function createToken(wanted: object = {}): Promise<string> {
    const all = { name: 'test', scopes: ['devices:read', 'devices:write', 'nettools:run', 'admin'], sites: ['home'] };
    const { status, text, json } = await request('POST', '/tokens', { body: { ...all, ...wanted } });
    if (status !== 201) throw new Error(`token: ${status} ${text}`);
    return (json as { token: string }).token;
  }

  async function makeCsr(subject = 'CN=anything'): Promise<{ csr: string }> {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const wanted = { name: subject, keys, signingAlgorithm: algorithm };
    const request = await Pkcs10CertificateRequestGenerator.create(wanted, webcrypto);
    return { csr: request.toString('pem') };
  }

  async function newestJobs(count: number): Promise<string[]> {
    const pages = system.parts.context.table.query('J#home', 'home.', { consistent: true, descending: true });
    const ids: string[] = [];
    for await (const page of pages) ids.push(...page.map(({ sk }) => sk).filter((id) => !id.includes('#')));
    return ids.slice(0, count);
  }

  return {
    system,
    url,
    token,
    logged,
    request,
    stream,
    rawGet,
    measured,
    addSite,
    importCsv,
    createToken,
    makeCsr,
    newestJobs,
    jobCount: async () => (await newestJobs(Number.MAX_SAFE_INTEGER)).length,
    async close() {
      await system.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
