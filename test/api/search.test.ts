/** `GET /search`: what is found at which sites, in which order, and what it costs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { rows } from '../../functions/table/rows.ts';
import { SITES_PER_SEARCH, search } from '../../shared/api/search.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { RequestOptions } from '../api-client.ts';
import { openPort } from '../support/found-host.ts';
import { startTestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';

const COLUMNS =
  'devName,devMAC,devIP,devVendor,devType,devOwner,devGroup,devLocation,devFQDN,devComments,devFavorite,devStatus';
const FIRST = [
  COLUMNS,
  'NAS Küche,00:1E:06:AA:BB:01,192.168.1.20,Synology,NAS,Anna,Storage,Attic,nas.lan,second disk is loud,0,offline',
  'old nas,00:1E:06:AA:BB:02,192.168.1.21,QNAP,NAS,,,,,,1,archived',
  'nas,00:1E:06:AA:BB:03,192.168.1.22,Asustor,NAS,,,,,,0,offline',
  'kodinas,00:1E:06:AA:BB:04,192.168.1.120,,TV,,,,,,0,online',
].join('\n');
const SECOND = [
  COLUMNS,
  'Laser,00:1B:A9:00:00:05,10.0.0.30,Brother,Printer,Anna,,Hall,,,0,online',
  'my nas,00:1E:06:CC:00:06,10.0.0.31,,,,,,,,1,online',
].join('\n');

let first: string;
let second: string;
let token: string;
const system = testApi();
beforeAll(async () => {
  first = await system.addSite(FIRST);
  second = await system.addSite(SECOND);
  await system.addSite('devName,devMAC\nnas of others,00:1E:06:DD:00:07');
  token = await system.createToken({ scopes: ['devices:read'], sites: [first, second] });
});

async function find(q: string, more = '', options: RequestOptions = { token }) {
  const { status, text, json } = await system.request('GET', `/search?q=${encodeURIComponent(q)}${more}`, options);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return search.searchEverywhere.response.parse(json);
}
const namesOf = async (q: string) => (await find(q)).devices.map(({ devName }) => devName);

test('the best match comes first, and archived devices last; those of other sites do not come at all', async () => {
  expect(await namesOf('nas')).toEqual(['nas', 'NAS Küche', 'my nas', 'kodinas', 'old nas']);
  const { devices, ...rest } = await find('laser');
  expect(rest).toEqual({
    ...{ success: true, query: 'laser', searched: 2, sites: 2, truncated: false, unreadable: [], nextCursor: null },
  });
  expect(devices).toMatchObject([{ site: second, siteName: second, key: '00:1B:A9:00:00:05', status: 'online' }]);
  const cut = await find('nas', '&limit=2');
  expect(cut.devices.map(({ devName }) => devName)).toEqual(['nas', 'NAS Küche']);
  expect(cut.truncated).toBe(true);
});

test.each([
  ['kuche', 'name', 'NAS Küche'],
  ['00-1b-a9', 'mac', 'Laser'],
  ['001b.a900', 'mac', 'Laser'],
  ['1BA900', 'mac', 'Laser'],
  ['00:1b', 'mac', 'Laser'],
  ['10.0.0.30', 'ip', 'Laser'],
  ['synology', 'vendor', 'NAS Küche'],
  ['nas.lan', 'dnsName', 'NAS Küche'],
  ['storage', 'group', 'NAS Küche'],
  ['attic', 'location', 'NAS Küche'],
  ['disk is loud', 'comment', 'NAS Küche'],
  ['printer', 'type', 'Laser'],
  ['anna printer', 'owner', 'Laser'],
])('%j is found by its %s', async (q, match, devName) => {
  expect((await find(q)).devices[0]).toMatchObject({ devName, match });
});

test.each(['1b', 'nothing', 'anna nothing', '\u0000', ' ', ':99999', ':22 :80'])('%j finds nothing', async (q) => {
  expect((await find(q)).devices).toEqual([]);
});

test('an open port, also together with words', async () => {
  const { born } = await system.context.devices.read(first);
  const scanned = (device: string, open: number[], protocol: 'tcp' | 'udp' = 'tcp') =>
    system.context.ports.merge({ site: first, device }, { version: born, born }, [
      {
        ...{ address: '', at: Date.now(), scan: `${first}.01934c1e-5f00-7a11-8a22-0123456789ab`, protocol },
        ...{ mode: 'fast', tried: '1-100', unclear: '', open: open.map((port) => ({ ...openPort(port), protocol })) },
      },
    ]);
  await scanned('00:1E:06:AA:BB:01', [22, 80]);
  await scanned('00:1E:06:AA:BB:04', [22]);
  await scanned('00:1E:06:AA:BB:02', [53], 'udp');
  await scanned('00:1E:06:AA:BB:99', [22]); // Not a device any more.
  expect(await namesOf(':22')).toEqual(['kodinas', 'NAS Küche']);
  expect((await find('port:80')).devices).toMatchObject([{ devName: 'NAS Küche', match: 'port' }]);
  expect(await namesOf(':22 synology')).toEqual(['NAS Küche']);
  expect([await namesOf(':53/udp'), await namesOf(':53/tcp')]).toEqual([['old nas'], []]);
});

test('a call searches so many sites, the cursor leads to the next ones, and what is in memory costs little', async () => {
  await using many = await startTestApi();
  for (let i = 0; i < SITES_PER_SEARCH + 5; i++) {
    const id = `site-${String(i).padStart(3, '0')}`;
    await many.request('POST', '/sites', { body: { id } });
  }
  await many.importCsv('devName,devMAC\nlast,02:00:00:00:00:01', `site-${SITES_PER_SEARCH + 4}`);
  const ask = async (query: string) =>
    search.searchEverywhere.response.parse((await many.request('GET', `/search?q=last${query}`)).json);
  const begin = await ask('');
  expect(begin).toMatchObject({ devices: [], searched: SITES_PER_SEARCH, sites: SITES_PER_SEARCH + 6 });
  const end = await ask(`&cursor=${begin.nextCursor}`);
  expect(end).toMatchObject({ devices: [{ devName: 'last' }], searched: 6, nextCursor: null });
  expect((await many.request('GET', '/search?q=x&cursor=No+Site')).status).toBe(400);

  await find('nas');
  const { consumed } = await system.measured('GET', '/search?q=nas', { token });
  expect(consumed.readUnits).toBeLessThanOrEqual(6);

  // The rows of all sites are not read again to count them.
  let counted = 0;
  const { list } = many.context.sites;
  many.context.sites.list = () => {
    counted++;
    return list();
  };
  expect(await ask('')).toMatchObject({ searched: SITES_PER_SEARCH, sites: SITES_PER_SEARCH + 6 });
  expect(counted).toBe(0);
});

test('a site that would be too much for the call is left to the next one, and not even begun', async () => {
  await using large = await startTestApi();
  const all = await Promise.all(['a', 'b', 'c'].map(() => large.addSite(FIRST)));
  const { devices } = large.context;
  const { sizeInMemory, summary, read } = devices;
  devices.sizeInMemory = (site) => (site === all[0] ? sizeInMemory(site) : null);
  devices.summary = async (site) => {
    const answer = await summary(site);
    return site === all[1] ? { ...answer, counts: [90_000, 0, 0, 0, 0, 9_999] } : { ...answer, counts: null };
  };
  const begun: string[] = [];
  devices.read = (site) => {
    begun.push(site);
    return read(site);
  };
  const reader = await large.createToken({ scopes: ['devices:read'], sites: all });
  const searchedBy = async (query: string) => {
    begun.length = 0;
    const { json } = await large.request('GET', `/search?q=nas${query}`, { token: reader });
    const { searched, nextCursor } = search.searchEverywhere.response.parse(json);
    return { searched, nextCursor, begun: [...begun] };
  };
  expect(await searchedBy('')).toEqual({ searched: 1, nextCursor: all[0], begun: [all[0]] });
  // One that is too large by itself, or of which nobody knows, is searched alone.
  expect(await searchedBy(`&cursor=${all[0]}`)).toEqual({ searched: 1, nextCursor: all[1], begun: [all[1]] });
  expect(await searchedBy(`&cursor=${all[1]}`)).toEqual({ searched: 1, nextCursor: null, begun: [all[2]] });
});

test('a site for which the database has no time now, or that cannot be read, is named, and hides no other one', async () => {
  const { table, devices } = system.context;
  const { read } = devices;
  using _read = vi.spyOn(devices, 'read').mockImplementation(async (site) => {
    if (site === first) throw new ServiceError('busy', 'The database answers fewer requests than it gets');
    return read(site);
  });
  const { devices: found, unreadable } = await find('anna');
  expect(found.map(({ site }) => site)).toEqual([second]);
  expect(unreadable).toEqual([{ id: first, problem: 'The database answers fewer requests than it gets' }]);

  const broken = await system.addSite(SECOND);
  const { born } = await read(broken);
  await table.put({ ...rows.device(broken, '00:1E:06:EE:00:01'), d: 'no JSON', v: born + 1 });
  // Where it is in memory already, it is not read again.
  await table.update(rows.collection(broken), { set: { ver: born + 999 } });
  const reader = await system.createToken({ scopes: ['devices:read'], sites: [broken, second] });
  const answer = await find('laser', '', { token: reader });
  expect([answer.devices, answer.unreadable]).toMatchObject([[{ site: second }], [{ id: broken }]]);
});

test('only so many searches run at once', async () => {
  const { devices } = system.context;
  const { read } = devices;
  let running = 0;
  let most = 0;
  using _reads = vi.spyOn(devices, 'read').mockImplementation(async (site) => {
    most = Math.max(most, ++running);
    await sleep(20);
    running--;
    return read(site);
  });
  const answers = await Promise.all(Array.from({ length: 6 }, () => find('laser')));
  expect(answers.every((answer) => answer.devices.length === 1)).toBe(true);
  expect(most).toBe(8); // Four searches of two sites.
});
