/** `npm run demo`: its data is made up, and it refuses every change. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Operation, Operations } from '../../shared/api/operation.ts';
import { tables } from '../../shared/api/tables.ts';
import { fillSystem } from '../demo/home-and-office.ts';
import { refusal } from '../demo/read-only.ts';
import { testApi } from '../support/test-api.ts';

const DAY_MS = 86_400_000;
const DAYS = 4;

describe('what it shows', () => {
  const system = testApi();
  beforeAll(() => fillSystem(system, [], DAYS).then(() => {}));
  const get = async (path: string) => {
    const { status, json, text } = await system.request('GET', path);
    expect([path, status]).toEqual([path, 200]);
    return { json: json as never, text };
  };

  test('a home and an office with devices, people, checks, an audit and a map', async () => {
    const { sites } = (await get('/overview')).json as { sites: { site: string; counts: { online: number } }[] };
    expect(sites.length).toBe(4);
    const { links } = (await get('/devices/network/topology?site=home')).json as { links: { source: string }[] };
    expect(new Set(links.map(({ source }) => source)).size).toBeGreaterThan(4);
    for (const [path, list] of [
      ['/people', 'people'],
      ['/checks?site=office', 'checks'],
      ['/audit?site=home', 'entries'],
      ['/jobs?site=home', 'jobs'],
    ] as const)
      expect([path, ((await get(path)).json as Record<string, unknown[]>)[list]?.length]).not.toContain(0);
  });

  test('devices that came and went on every one of the days', async () => {
    const { events } = (await get('/events?site=home&limit=500')).json as { events: { at: string }[] };
    const ages = events.map(({ at }) => Math.floor((Date.now() - Date.parse(at)) / DAY_MS));
    expect(ages).toEqual(expect.arrayContaining(Array.from({ length: DAYS }, (_, day) => day)));
    const totals = (await get('/devices/totals?site=home')).json as number[];
    expect(totals[4]).toBe(2); // The last changes leave few of them down.
  });

  test('addresses are private or of documentation, and no card is of a maker', async () => {
    for (const site of ['home', 'office', 'workshop']) {
      const { text } = await get(`/devices?site=${site}&fields=all`);
      const addresses = text.match(/\b\d+\.\d+\.\d+\.\d+\b/g) ?? [];
      expect(addresses.filter((one) => !/^(?:192\.168|203\.0\.113|198\.51\.100|192\.0\.2)\./.test(one))).toEqual([]);
      const cards = text.match(/\b[0-9A-F]{2}(?::[0-9A-F]{2}){5}\b/g) ?? [];
      expect(cards.length).toBeGreaterThan(2);
      expect(cards.filter((one) => (Number.parseInt(one.slice(0, 2), 16) & 2) === 0)).toEqual([]);
    }
  });
});

describe('what it refuses', () => {
  const operations = Object.values<Operations>(tables).flatMap((table) => Object.entries<Operation>(table));
  const ask = (method: string, path: string) =>
    refusal(new Request(`http://127.0.0.1:8787${path.replaceAll(/\{\w+\}/g, 'x')}`, { method }));

  test.each(operations)('%s', (_name, { method, path, audit, isCommand = false, scope }) => {
    const changes = isCommand || (method !== 'GET' && (audit !== null || scope !== 'devices:read'));
    if (changes) expect(ask(method, path)?.status).toBe(403);
    // Below a prefix, as the service takes it.
    if (changes) expect(ask(method, `/lan/${path}`)?.status).toBe(403);
    if (method === 'GET' && !isCommand && !/oauth|sign-in\//.test(path)) expect(ask(method, path)).toBeNull();
  });

  test('what is no operation: assistants, any other method', async () => {
    expect(['POST', 'DELETE'].map((method) => ask(method, '/mcp')?.status)).toEqual([403, 403]);
    expect([ask('PROPFIND', '/devices')?.status, ask('GET', '/console/'), ask('POST', '/devices/search')]).toEqual([
      403,
      null,
      null,
    ]);
    const body = await ask('DELETE', '/devices')?.json();
    expect(body).toMatchObject({ success: false, code: 'forbidden', message: expect.stringContaining('read-only') });
  });
});
