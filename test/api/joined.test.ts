/** One device, many addresses: MACs that are joined, by a person and by themselves, and split again. */
import { beforeEach, expect, test, vi } from 'vitest';
import { ALL_MACS, type Sighting } from '../../shared/agent/discovery.ts';
import { openIngest } from '../support/background-work.ts';
import { NO_AGENTS, SILENT, sightingsMessage } from '../support/ingest-messages.ts';
import { storeAgent } from '../support/stored-site.ts';
import { testApi } from '../support/test-api.ts';

const START = Date.UTC(2026, 10, 1, 8);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const NAS = '00:1E:06:AA:BB:01';

const system = testApi({ now: START });
beforeEach(() => void vi.setSystemTime(START));

/** A MAC that a phone has made up. */
const madeUp = (phone: number, day: number) =>
  `0${['2', '6', 'A'][phone]}:00:00:00:0${phone}:${day.toString(16).padStart(2, '0').toUpperCase()}`;

/** A site with an agent that watches it. */
async function watchedSite(discovery = {}) {
  const site = await system.addSite();
  await system.request('PATCH', `/sites/${site}`, {
    body: { discovery: { enabled: true, networks: 'auto', ...discovery } },
  });
  const agent = await storeAgent(system.context, site, 'main');
  const ingest = openIngest({ ...system.context, agents: NO_AGENTS }, SILENT);
  const epoch = START - HOUR;
  let n = 0;
  const say = async (sightings: Partial<Sighting>[], covers: typeof ALL_MACS | null = null) => {
    const now = Date.now();
    const all = sightings.map((one) => ({ n: ++n, since: now, seenAt: now, ip: null, online: true, ...one }));
    if (covers !== null) n++;
    await ingest.sightings(agent, sightingsMessage({ epoch, n, covers, sightings: all }));
  };
  const request = (method: string, path: string, options: object = {}) =>
    system.request(method, path, { site, ...options });
  const get = async (path: string) => (await request('GET', path)).json as never;
  const events = async (path = '/events?limit=1000') =>
    ((await get(path)) as { events: { type: string; device: { key: string } | null; detail?: object }[] }).events;
  const join = (mac: string, ...macs: string[]) => request('POST', `/devices/${mac}/join`, { body: { macs } });
  return { site, say, request, get, events, join };
}

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type).reverse();
const mdns = (text: string) => ({ name: { text, source: 'mdns' as const }, random: true as const });

test('three phones with a new MAC every day are three devices after one action each, with one history each', async () => {
  const { say, get, events, join, request } = await watchedSite();
  const names = ['Annas-Telefon', 'bertas-handy', 'Carls-Brick'];
  const joins: string[] = [];
  const at = async (day: number, hour: number, sightings: Partial<Sighting>[]) => {
    vi.setSystemTime(START + day * DAY + hour * HOUR);
    await say(sightings);
  };
  for (let day = 0; day < 30; day++) {
    const ip = (phone: number) => `10.0.${phone}.${day + 1}`;
    const [anna, berta, carl] = [0, 1, 2].map((phone) => ({ mac: madeUp(phone, day), ip: ip(phone) }));
    // The second says its name a minute after it came, and the third says it by DHCP.
    await at(day, 0, [
      { ...anna, ...mdns(names[0]!) },
      { ...berta, random: true },
    ]);
    const dhcp = [{ source: 'dhcp-name' as const, value: names[2]!, at: Date.now() }];
    await at(day, 1, [
      { ...berta, ...mdns(names[1]!), since: Date.now() - HOUR },
      { ...carl, random: true, observations: dhcp },
    ]);
    if (day === 2 || day === 3) {
      const { same } = (await get('/devices/same')) as {
        same: { device: { key: string }; others: { key: string }[] }[];
      };
      expect(same).toHaveLength(day === 2 ? 3 : 0);
      for (const { device, others } of same) {
        expect(others).toHaveLength(2);
        const answer = await join(device.key, ...others.map(({ key }) => key));
        expect(answer.json).toMatchObject({ success: true, joined: 2 });
        joins.push((answer.json as { change: string }).change);
      }
    }
    const known = [
      { ...anna, ...mdns(names[0]!) },
      { ...berta, ...mdns(names[1]!) },
      { ...carl, random: true as const },
    ].map((one) => ({ ...one, online: false }));
    await at(day, 14, known);
  }
  expect(await get('/devices/totals')).toEqual([3, 0, 0, 3, 0, 0]);
  expect((await events()).filter(({ type }) => type === 'new')).toHaveLength(3 * 3 + 27);
  for (const phone of [0, 1, 2]) {
    const all = [0, 2, 29].map((day) => events(`/devices/${madeUp(phone, day)}/events?limit=1000`));
    const [first, ...others] = await Promise.all(all);
    expect(others).toEqual([first, first]);
    expect(first?.filter(({ type }) => type === 'offline')).toHaveLength(30);
    expect(first?.filter(({ type }) => type === 'joined')).toHaveLength(1 + 27);
    const device = (await get(`/devices/${madeUp(phone, 11)}`)) as { joined: unknown[]; devLastIP: string };
    expect(device).toMatchObject({ key: madeUp(phone, 2), devLastIP: `10.0.${phone}.30`, devName: names[phone]! });
    expect(device.joined).toHaveLength(29);
  }
  // The action is undone after three weeks: those two are devices again, and the other days are not.
  const owner = `/devices/${madeUp(0, 2)}`;
  const seenFirst = async () => ((await get(owner)) as { devFirstConnection: string }).devFirstConnection;
  expect((await seenFirst()).slice(0, 10)).toBe('2026-11-01');
  vi.setSystemTime(START + 29 * DAY);
  const undone = await request('POST', '/devices/restore', { body: { change: joins[0] } });
  expect(undone.json).toMatchObject({ restored: 2, skipped: 0 });
  expect((await get('/devices/totals'))[0]).toBe(5);
  expect((await seenFirst()).slice(0, 10)).toBe('2026-11-03');
});

test('a join is one history, takes over what people have set, and is undone as it was made', async () => {
  const { say, get, events, join, request } = await watchedSite();
  const [first, second, child] = [madeUp(0, 1), madeUp(0, 2), NAS];
  await say([
    { mac: first, ip: '10.0.0.1', ...mdns('Annas-Telefon') },
    { mac: child, ip: '10.0.0.9' },
  ]);
  vi.setSystemTime(START + HOUR);
  await say([{ mac: first, ip: '10.0.0.1', ...mdns('Annas-Telefon'), online: false, seenAt: START + 50 * MINUTE }]);
  await say([{ mac: second, ip: '10.0.0.2', ...mdns('Annas-Telefon') }]);
  await request('PATCH', `/devices/${first}`, { body: { devName: 'Anna', devFavorite: 1 } });
  await request('PATCH', `/devices/${second}`, { body: { devName: 'a phone', devOwner: 'Anna B.' } });
  await request('PATCH', `/devices/${child}`, { body: { devParentMAC: second } });
  const before: object = await get(`/devices/${second}`);

  const { json } = await join(first, second);
  expect(json).toMatchObject({ success: true, joined: 1 });
  const { change } = json as { change: string };
  expect(await get(`/devices/${second.replaceAll(':', '-')}`)).toMatchObject({
    ...{ key: first, devMac: first, devName: 'Anna', devOwner: 'Anna B.', devFavorite: 1, devStatus: 'online' },
    ...{ devLastIP: '10.0.0.2', devOtherMACs: second, devFirstConnection: '2026-11-01 08:00:00' },
    joined: [{ mac: second, ip: '10.0.0.2', online: true }],
  });
  expect(await get(`/devices/${child}`)).toMatchObject({ devParentMAC: first });
  expect((await get('/devices/totals'))[0]).toBe(2);
  const history = await events(`/devices/${second}/events`);
  expect(await events(`/devices/${first}/events`)).toEqual(history);
  expect(typesOf(history)).toEqual([
    ...['new', 'offline', 'new', 'renamed', 'edited', 'renamed', 'edited'],
    ...['online', 'ip-changed', 'edited', 'joined'],
  ]);
  expect(history[0]).toMatchObject({ type: 'joined', device: { key: first }, count: 1, detail: { macs: second } });
  const found = await request('POST', '/devices/search', { body: { query: second.toLowerCase() } });
  expect(found.json).toMatchObject({ devices: [{ devMac: first }] });

  // What is seen of the member is seen of the device, and no row is made.
  vi.setSystemTime(START + 2 * HOUR);
  await say([{ mac: second, ip: '10.0.0.7', ...mdns('Annas-Telefon') }]);
  expect(await get(`/devices/${first}`)).toMatchObject({
    devLastIP: '10.0.0.7',
    devLastConnection: '2026-11-01 10:00:00',
  });
  vi.setSystemTime(START + 3 * HOUR);
  await say([{ mac: second, ip: '10.0.0.7', ...mdns('Annas-Telefon'), online: false }]);
  expect(typesOf(await events(`/devices/${first}/events`)).slice(-2)).toEqual(['ip-changed', 'offline']);
  await say([{ mac: first, ip: '10.0.0.1', ...mdns('Annas-Telefon') }]);
  expect(await get(`/devices/${second}`)).toMatchObject({ devStatus: 'online', devLastIP: '10.0.0.1' });

  const undone = await request('POST', '/devices/restore', { body: { change } });
  expect(undone.json).toMatchObject({ success: true, restored: 1, skipped: 0 });
  expect(await get(`/devices/${second}`)).toMatchObject({
    ...before,
    ...{ devStatus: 'offline', devPresentLastScan: 0, devLastIP: '10.0.0.7', devLastConnection: '2026-11-01 11:00:00' },
    ...{ setByPerson: ['devName', 'devOwner', 'devOtherMACs'], seenBy: [{ agent: 'main', online: false }] },
    lastSeenAt: '2026-11-01T11:00:00.000Z',
  });
  expect(await get(`/devices/${first}`)).toMatchObject({ joined: [], devOtherMACs: '', devStatus: 'online' });
  const last = await events('/events?limit=3');
  expect(typesOf(last)).toContain('restored');
  expect(last.find(({ type }) => type === 'split')).toMatchObject({ device: { key: first }, detail: { macs: second } });
  expect(await get('/devices/same')).toMatchObject({ same: [] });
});

test('split takes MACs off at any time: as they were for 30 days, then as new devices', async () => {
  const { say, get, events, join, request } = await watchedSite();
  const macs = [1, 2, 3].map((day) => madeUp(1, day));
  const [owner, second, third] = macs as [string, string, string];
  await say(macs.map((mac, i) => ({ mac, ip: `10.0.0.${i + 1}`, random: true as const, online: true })));
  await request('PATCH', `/devices/${second}`, { body: { devComments: 'of Berta' } });
  await join(owner, second, third);
  expect((await request('POST', `/devices/${third}/split`, { body: { macs: [second] } })).json).toMatchObject({
    split: 1,
  });
  expect(await get(`/devices/${second}`)).toMatchObject({
    key: second,
    devComments: 'of Berta',
    devLastIP: '10.0.0.2',
  });
  expect(typesOf(await events('/events?limit=2'))).toEqual(expect.arrayContaining(['restored', 'split']));

  vi.setSystemTime(START + 40 * DAY);
  expect((await request('POST', `/devices/${owner}/split`, { body: {} })).json).toMatchObject({ split: 1 });
  expect(await get(`/devices/${third}`)).toMatchObject({ key: third, devLastIP: '10.0.0.3', devRandomMAC: 1 });
  expect(await get(`/devices/${owner}`)).toMatchObject({ joined: [], devLastIP: '10.0.0.1' });
  // Once more: it is a device of its own, and stays one.
  expect((await request('POST', `/devices/${owner}/split`)).json).toMatchObject({ split: 0 });
  expect((await request('POST', `/devices/${owner}/split`)).json).toMatchObject({ split: 0, change: null });
});

test('what cannot be joined or split is named, and a MAC of a device does not delete it', async () => {
  const { say, join, request, get, site } = await watchedSite();
  const [owner, member, other] = [madeUp(2, 1), madeUp(2, 2), madeUp(2, 3)];
  await say([owner, member, other].map((mac) => ({ mac, random: true as const })));
  const etag = (await request('GET', `/devices/${owner}`)).headers.get('etag') ?? '';
  await join(owner, member);
  const refusal = async (mac: string, ...macs: string[]) => {
    const { status, json } = await join(mac, ...macs);
    return `${status} ${JSON.stringify(json)}`;
  };
  expect(await refusal(owner, owner)).toMatch(/^400.*is the device itself/);
  expect(await refusal(owner, 'internet')).toMatch(/^400.*Internet has none/);
  expect(await refusal(owner, NAS)).toMatch(/^404.*There is no device 00:1E:06:AA:BB:01/);
  expect(await refusal(NAS, owner)).toMatch(/^404/);
  expect(await refusal(other, member)).toMatch(`is joined with ${owner}`);
  const stale = await request('POST', `/devices/${owner}/join`, {
    body: { macs: [other] },
    headers: { 'If-Match': etag },
  });
  expect(stale.status).toBe(412);
  const split = await request('POST', `/devices/${owner}/split`, { body: { macs: [other] } });
  expect([split.status, JSON.stringify(split.json)]).toEqual([400, expect.stringContaining(`${other} is not`)]);
  expect((await request('DELETE', `/devices/${member}`)).status).toBe(409);
  const pattern = await request('DELETE', '/devices', { body: { macs: [member] } });
  expect(pattern.json).toMatchObject({ deleted_count: 0 });
  // Nor can a file join, or bring back, what is joined.
  const before = await get('/devices?fields=all');
  const csv = `devName,devMac,devOtherMACs\nx,${member},\n`;
  expect((await system.importCsv(csv, site)).json).toMatchObject({
    ...{ inserted: 0, skipped_count: 1 },
    skipped: [{ line: 2, reason: `devMac: ${member} is joined with the device ${owner}` }],
  });
  await system.importCsv(`devMac,devOtherMACs\n${owner},"${NAS}"\n`, site);
  expect(await get('/devices?fields=all')).toEqual(before);
});

test('the site says after how many days a made-up MAC is archived; a joined device is not', async () => {
  const { say, get, join } = await watchedSite({ archiveRandomAfterDays: 3 });
  const [alone, owner, member] = [madeUp(0, 1), madeUp(1, 1), madeUp(1, 2)];
  const all = [alone, owner, member].map((mac) => ({ mac, random: true as const }));
  await say(all);
  await join(owner, member);
  await say(all.map((one) => ({ ...one, online: false })));
  const after = async (days: number) => {
    vi.setSystemTime(START + days * DAY);
    await say([], ALL_MACS);
    return [await get('/devices/totals')].map((totals: number[]) => [totals[0], totals[5]])[0];
  };
  expect(await after(2.9)).toEqual([2, 0]);
  expect(await after(3.1)).toEqual([1, 1]);
});
