/** One address in front of several cells: what goes where, what is put together, and what is said when a cell is away. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootTokenRow } from '../api/access/first-access.ts';
import { makeToken, tokenId } from '../store/access/token.ts';
import { type ApiClient, openApiClient } from '../test/api-client.ts';
import { startTestApi, type TestApi } from '../test/support/in-process.ts';
import { MISSING_HEADER } from './merge.ts';
import { type Router, startRouter } from './server.ts';

let east: TestApi;
let west: TestApi;
let router: Router;
/** That of the operator, which every cell knows. */
let operator: ApiClient;
/** Of one tenant, whose site is in the west. */
let tenant: ApiClient;

beforeAll(async () => {
  [east, west] = await Promise.all([startTestApi({ listens: true }), startTestApi({ listens: true })]);
  const token = makeToken();
  for (const cell of [east, west]) {
    await cell.context.tokens.add(tokenId(token) ?? '', rootTokenRow(token, 'operator', new Date()));
  }
  const cells = [east, west].map(({ url }, i) => ({ name: ['east', 'west'][i] ?? '', url }));
  router = await startRouter({ cells, host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${router.port}`;
  operator = openApiClient(url, token);
  for (const [i, cell] of [east, west].entries()) {
    for (const n of [0, 1, 2]) await cell.request('POST', '/sites', { body: { id: `${i === 0 ? 'e' : 'w'}-${n}` } });
  }
  await east.importCsv('devName,devMAC\nprinter east,00:1E:06:AA:BB:01\n', 'e-0');
  await west.importCsv('devName,devMAC\nprinter west,00:1E:06:AA:BB:02\n', 'w-0');
  tenant = openApiClient(
    url,
    await west.createToken({ sites: ['w-0'], scopes: ['devices:read', 'devices:write', 'admin'] }),
  );
});

afterAll(async () => {
  await router[Symbol.asyncDispose]();
  await east.close();
  await west.close();
});

const namesOf = (json: unknown) => (json as { devices: { devName: string }[] }).devices.map(({ devName }) => devName);
const sitesOf = (json: unknown) => (json as { sites: { id: string }[] }).sites.map(({ id }) => id);

/** All pages of a list. */
async function pagesOf(client: ApiClient, path: string): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response = await client.request(
      'GET',
      `${path}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    expect(response.status).toBe(200);
    pages.push(response.json);
    cursor = (response.json as { nextCursor: string | null }).nextCursor;
  }
  return pages;
}

test('a request goes to the cell of its site, however the site is named', async () => {
  for (const [site, name] of [
    ['e-0', 'printer east'],
    ['w-0', 'printer west'],
  ] as const) {
    expect(namesOf((await operator.request('GET', `/devices?site=${site}`)).json)).toEqual([name]);
    expect(namesOf((await operator.request('GET', '/devices', { headers: { 'x-site': site } })).json)).toEqual([name]);
    expect((await operator.request('GET', `/sites/${site}`)).json).toMatchObject({ id: site });
  }
  // A change is one, in the cell, and a site that no cell has is refused as by one cell.
  expect((await operator.request('PATCH', '/sites/w-1', { body: { name: 'West one' } })).status).toBe(200);
  expect((await west.request('GET', '/sites/w-1')).json).toMatchObject({ name: 'West one' });
  const unknown = await operator.request('GET', '/devices?site=nowhere');
  expect([unknown.status, unknown.json]).toMatchObject([403, { code: 'site_forbidden' }]);
});

test('a token is valid where it was made, and revoked at the next request', async () => {
  expect(namesOf((await tenant.request('GET', '/devices')).json)).toEqual(['printer west']);
  expect(sitesOf((await tenant.request('GET', '/sites')).json)).toEqual(['w-0']);
  expect((await tenant.request('GET', '/devices?site=e-0')).status).toBe(403);
  const made = await tenant.request('POST', '/tokens', {
    body: { name: 'more', sites: ['w-0'], scopes: ['devices:read'] },
  });
  const { token, id } = made.json as { token: string; id: string };
  expect((await tenant.request('GET', '/devices', { token })).status).toBe(200);
  await west.request('DELETE', `/tokens/${id}`);
  expect((await tenant.request('GET', '/devices', { token })).status).toBe(403);
  expect((await tenant.request('GET', '/devices', { token: null })).status).toBe(403);
});

test('lists over all sites have those of all cells, page by page', async () => {
  const pages = await pagesOf(operator, '/sites?limit=2');
  expect(pages.flatMap(sitesOf).sort()).toEqual(['e-0', 'e-1', 'e-2', 'home', 'home', 'w-0', 'w-1', 'w-2']);
  const found = await pagesOf(operator, '/search?q=printer');
  expect(JSON.stringify(found)).toContain('printer east');
  expect(JSON.stringify(found)).toContain('printer west');
  const tokens = (await operator.request('GET', '/tokens')).json as { tokens: { name: string }[] };
  expect(tokens.tokens.filter(({ name }) => name === 'operator').length).toBe(2);
  const { text } = await operator.request('GET', '/metrics');
  expect(text).toContain('lanreach_cell_up{cell="west"} 1');
  const heads = text.split('\n').filter((line) => line.startsWith('# TYPE'));
  expect(new Set(heads).size).toBe(heads.length);
  expect(text).toMatch(/site="e-0"[\s\S]*site="w-0"/);
});

test('streams, large bodies and refusals pass as they are', async () => {
  const stream = await operator.stream('GET', '/events', { site: 'w-0' });
  await stream.first('ready');
  await west.request('PATCH', '/devices/00:1E:06:AA:BB:02', {
    site: 'w-0',
    body: { devComments: 'x', devName: 'printer west' },
  });
  stream.leave();
  const file = `devName,devMAC\n${Array.from({ length: 20_000 }, (_, i) => `d${i},02:00:00:00:${(i >> 8).toString(16).padStart(2, '0')}:${(i & 255).toString(16).padStart(2, '0')}\n`).join('')}`;
  const imported = await operator.request('POST', '/devices/import', {
    site: 'e-1',
    body: { content: Buffer.from(file).toString('base64') },
  });
  expect([imported.status, imported.json]).toMatchObject([200, { inserted: 20_000 }]);
  const tooLarge = await operator.request('PATCH', '/sites/e-1', { body: { name: 'x'.repeat(100_000) } });
  expect(tooLarge.status).toBe(413);
});

test('an enrolment code is found in whichever cell has made it', async () => {
  const { json } = await operator.request('POST', '/sites/w-0/agents', { body: { name: 'new' } });
  const enrolled = await operator.request('POST', '/enrol', {
    token: null,
    body: { code: (json as { code: string }).code, ...(await west.makeCsr()) },
  });
  expect([enrolled.status, enrolled.json]).toMatchObject([201, { agent: 'w-0:new' }]);
  const refused = await operator.request('POST', '/enrol', {
    token: null,
    body: { code: 'lre_unknown', ...(await west.makeCsr()) },
  });
  expect(refused.status).toBeGreaterThanOrEqual(400);
});

test('what is away is said, and is never taken for not there', async () => {
  const gone = await startTestApi({ listens: true });
  await using own = await startRouter({
    cells: [
      { name: 'west', url: west.url },
      { name: 'gone', url: gone.url },
    ],
    host: '127.0.0.1',
    port: 0,
  });
  await gone.close();
  const client = openApiClient(`http://127.0.0.1:${own.port}`, await west.createToken({ sites: '*' }));
  const list = await client.request('GET', '/sites');
  expect(list.headers.get(MISSING_HEADER)).toBe('gone');
  expect(list.json).toMatchObject({ missingCells: ['gone'], sites: expect.any(Array) });
  expect((await client.request('GET', '/devices?site=w-0')).status).toBe(200);
  // Perhaps it is in the cell that is away.
  const unknown = await client.request('GET', '/devices?site=e-0');
  expect([unknown.status, unknown.json]).toMatchObject([
    503,
    { code: 'unavailable', message: expect.stringContaining('gone') },
  ]);
  expect((await client.request('GET', '/health', { token: null })).status).toBe(200);
  expect((await client.request('GET', '/health/ready', { token: null })).status).toBe(503);
});

test('a target that is no path is refused', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(router.port, '127.0.0.1', () =>
      socket.write('GET http://other.invalid/devices HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    );
    let text = '';
    socket
      .setEncoding('utf8')
      .on('data', (chunk) => (text += chunk))
      .once('end', () => resolve(text))
      .once('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
});

test('a site that has moved is found where it is now, once the cell that it has left has refused a request', async () => {
  await east.request('POST', '/sites', { body: { id: 'mover', name: 'In the east' } });
  expect((await operator.request('GET', '/sites/mover')).json).toMatchObject({ name: 'In the east' });
  await east.request('POST', '/sites/mover/move', { body: { to: west.url } });
  // Until it is there, it is read where it was.
  expect((await operator.request('GET', '/sites/mover')).json).toMatchObject({ name: 'In the east' });
  await west.request('POST', '/sites', { body: { id: 'mover', name: 'In the west' } });
  const change = () => operator.request('PATCH', '/sites/mover', { body: { timeZone: 'Europe/Berlin' } });
  // The router sends it to where the site was, and forgets that when it is refused: for the status 421, fetch asks once more.
  expect([(await change()).status, (await west.request('GET', '/sites/mover')).json]).toMatchObject([
    200,
    { timeZone: 'Europe/Berlin' },
  ]);
  expect((await operator.request('GET', '/sites/mover')).json).toMatchObject({ name: 'In the west' });
});
