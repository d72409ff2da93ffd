/** What tests make by the API itself, wherever it runs. */
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Consumption } from '../../functions/table/request-cost.ts';
import { makeAgentKey } from '../agent-key.ts';
import type { ApiClient, RequestOptions, Response } from '../api-client.ts';

/** Five devices: one of each status, and an archived one. */
export const COLLECTION = [
  'devName,devMAC,devIP,devType,devFavorite,devStatus',
  'router,02:A0:00:00:00:01,192.168.1.1,Router,1,online',
  'nas,02:A0:00:00:00:02,192.168.1.20,NAS,0,offline',
  'camera,02:B0:00:00:00:03,192.168.1.40,Camera,0,down',
  'laptop,02:B0:00:00:00:04,,Laptop,0,archived',
  'phone,02:B0:00:00:00:05,192.168.1.50,,0,new',
].join('\n');

const hex = (byte: number) => byte.toString(16).padStart(2, '0').toUpperCase();
/** A MAC for each number, up to 65,535. */
export const macOf = (i: number) => `00:1E:06:00:${hex(i >> 8)}:${hex(i & 255)}`;

export interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

/** A log at level info, and every line of it. */
export function keptLog(): { log: Logger; logged: LogLine[] } {
  const logged: LogLine[] = [];
  const keep = new Writable({
    write(chunk, _, done) {
      for (const line of String(chunk).trim().split('\n')) logged.push(JSON.parse(line));
      done();
    },
  });
  return { log: pino({ level: 'info' }, keep), logged };
}

export interface Fixtures {
  /** A request, and what it consumed in DynamoDB. */
  measured(method: string, path: string, options?: RequestOptions): Promise<Response & { consumed: Consumption }>;
  /** A site with a name of its own, and with these devices. */
  addSite(csv?: string): Promise<string>;
  importCsv(csv: string, site?: string): Promise<Response>;
  /** @param by the token that makes it; this client's own unless given */
  createToken(wanted?: object, by?: string): Promise<string>;
  /** @param subject what it says of its maker, which nobody should believe */
  makeCsr(subject?: string): Promise<{ csr: string }>;
}

/** @param logged every line of the log so far */
export function fixturesOf({ request }: Pick<ApiClient, 'request'>, logged: readonly LogLine[]): Fixtures {
  let sites = 0;
  let measurements = 0;

  async function importCsv(csv: string, site = 'home'): Promise<Response> {
    const body = { content: Buffer.from(csv).toString('base64') };
    const response = await request('POST', '/devices/import', { site, body });
    if (response.status !== 200) throw new Error(`import: ${response.status} ${response.text}`);
    return response;
  }

  return {
    importCsv,

    async measured(method, path, options = {}) {
      const id = `measured-${++measurements}`;
      const response = await request(method, path, { ...options, headers: { ...options.headers, 'x-request-id': id } });
      const line = logged.find(({ requestId, msg }) => requestId === id && msg === 'request');
      const consumed = { readUnits: Number(line?.readUnits), writeUnits: Number(line?.writeUnits) };
      return { ...response, consumed };
    },

    async addSite(csv) {
      const id = `site-${++sites}`;
      await request('POST', '/sites', { body: { id } });
      if (csv !== undefined) await importCsv(csv, id);
      return id;
    },

    async createToken(wanted = {}, by) {
      const all = { name: 'test', scopes: ['devices:read', 'devices:write', 'nettools:run', 'admin'], sites: ['home'] };
      const { status, text, json } = await request('POST', '/tokens', { token: by, body: { ...all, ...wanted } });
      if (status !== 201) throw new Error(`token: ${status} ${text}`);
      return (json as { token: string }).token;
    },

    makeCsr: async (subject) => ({ csr: (await makeAgentKey(subject)).csr }),
  };
}
