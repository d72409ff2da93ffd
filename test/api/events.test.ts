/** What has happened to the devices of a site, and how it is undone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { StoredDevice } from '../../functions/devices/collection/device-codec.ts';
import { packText } from '../../functions/devices/collection/packed-text.ts';
import { followEvents } from '../../functions/devices/event-handlers.ts';
import type { ServerEvent } from '../../functions/http/event-stream.ts';
import { tokenId } from '../../functions/http/token.ts';
import { openWaitSlots, type WaitSlots } from '../../functions/http/wait-slots.ts';
import { devices } from '../../shared/api/devices.ts';
import type { DeviceEvent, EventType } from '../../shared/api/events.ts';
import { BLANK_DEVICE } from '../../shared/device.ts';
import type { RequestOptions } from '../api-client.ts';
import { macOf } from '../support/fixtures.ts';
import { startTestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const csvOf = (count: number) =>
  `devName,devMac\n${Array.from({ length: count }, (_, i) => `device ${i},${macOf(i)}`).join('\n')}\n`;

async function site(csv?: string, on = system) {
  const name = await on.addSite(csv);
  const ask = (method: string, path: string, options: RequestOptions = {}) =>
    on.request(method, path, { site: name, ...options });
  async function events(query = '') {
    const { status, json, text } = await ask('GET', `/events${query}`);
    expect([status, text]).toMatchObject([200, expect.any(String)]);
    return devices.listEvents.response.parse(json);
  }
  const types = async (query = '') => (await events(query)).events.map(({ type }) => type);
  return { name, ask, events, types, store: on.context.devices };
}

const patch = (body: unknown) => ({ body });

test('everything that happens to a device is an event, the newest first', async () => {
  const { ask, events, types, store, name } = await site(csvOf(2));
  const [first, second] = [macOf(0), macOf(1)];
  await ask('PATCH', `/devices/${first}`, patch({ devName: 'nas', devOwner: 'me' }));
  await ask('PATCH', `/devices/${first}`, patch({ devIsArchived: 1 }));
  await ask('PATCH', `/devices/${first}`, patch({ devIsArchived: 0 }));
  const seen = (record: object) => (snapshot: Awaited<ReturnType<typeof store.snapshot>>) => {
    const known = snapshot.get(second) ?? expect.fail('no device');
    return { put: [{ ...known, record: { ...known.record, ...record } }], remove: [] };
  };
  const agent = { actor: `${name}:main`, cause: 'sighting' } as const;
  await store.change(name, agent, seen({ devLastIP: '10.0.0.9' }));
  await store.change(name, agent, seen({ devPresentLastScan: 1, devLastIP: '10.0.0.1' }));
  await store.change(name, agent, seen({ devPresentLastScan: 0 }));
  const deleted = await ask('DELETE', `/devices/${second}`);
  await ask('POST', '/devices/restore');

  expect(await types()).toEqual([
    ...['restored', 'deleted', 'offline', 'ip-changed', 'online', 'edited', 'archived', 'edited', 'renamed'],
    ...['imported', 'imported'],
  ]);
  const { events: all, nextCursor } = await events();
  expect(nextCursor).toBeNull();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const { change } = deleted.json as { change: string };
  expect(all[1]).toMatchObject({
    id: `${change}.0`,
    type: 'deleted',
    device: { mac: second, key: second, name: 'device 1' },
    cause: 'delete',
  });
  expect(all[4]).toMatchObject({
    type: 'online',
    actor: `${name}:main`,
    changes: { devPresentLastScan: { from: 0, to: 1 } },
  });

  // By filters, and those of one device.
  expect(await types('?type=online,offline')).toEqual(['offline', 'online']);
  expect(await types(`?device=${first.toLowerCase()}&type=renamed`)).toEqual(['renamed']);
  expect(await types(`?since=${encodeURIComponent(all.at(-1)?.at ?? '')}`)).toHaveLength(all.length);
  expect(await types('?since=2100-01-01T00:00:00%2B01:00')).toEqual([]);
  const own = await ask('GET', `/devices/${second}/events`);
  expect(devices.listDeviceEvents.response.parse(own.json).events.map(({ type }) => type)).toEqual([
    ...['restored', 'deleted', 'offline', 'ip-changed', 'online', 'imported'],
  ]);
  const unnamed = await ask('GET', '/devices/nas/events');
  expect([unnamed.status, unnamed.json]).toMatchObject([404, { message: expect.stringContaining('expected a MAC') }]);
});

test('who has the events already is told so for two units, and gets the new ones after a change', async () => {
  await using system = await startTestApi();
  const { name, ask } = await site(csvOf(3), system);
  const first = await ask('GET', '/events');
  const etag = first.headers.get('etag') ?? '';
  const other = (await ask('GET', '/events?type=new')).headers.get('etag');
  expect(other).not.toBe(etag);
  const again = await system.measured('GET', '/events', { site: name, headers: { 'if-none-match': etag } });
  expect([again.status, again.consumed]).toEqual([304, { readUnits: 1.5, writeUnits: 0 }]);
  await ask('PATCH', `/devices/${macOf(0)}`, patch({ devName: 'nas' }));
  const changed = await ask('GET', '/events', { headers: { 'if-none-match': etag } });
  expect([changed.status, changed.json]).toMatchObject([200, { events: [{ type: 'renamed' }, {}, {}, {}] }]);
});

/** A journal with as many changes behind the import as nobody would make here one by one. */
async function siteWithChanges(count: number, text = 'me') {
  const made = await site(csvOf(1));
  const { version } = await made.store.snapshot(made.name);
  const entry = JSON.stringify([1_793_520_000, 'somebody', 'edit', [[macOf(0), '=', { 15: ['', text] }]]]);
  const rows = Array.from({ length: count }, (_, i) => ({
    pk: `S#${made.name}`,
    sk: `C#${version - count - 500 + i}`,
    id: 'x',
    d: packText(entry, `S#${made.name}`),
  }));
  await system.context.table.bulk(rows.map((put) => ({ put })));
  return made;
}

test('one request looks at two thousand changes at most, and its cursor leads on', async () => {
  const { ask, events } = await siteWithChanges(2_500);
  await ask('PATCH', `/devices/${macOf(0)}`, patch({ devName: 'nas' }));
  const first = await events('?type=new');
  expect(first.events).toEqual([]);
  const second = await events(`?type=new&cursor=${first.nextCursor}`);
  expect([second.events, second.nextCursor]).toEqual([[], null]);
  expect((await events('?limit=1000')).events).toHaveLength(1_000);
});

test('an entry that cannot be read hides no other', async () => {
  const { name, ask, events, types, store } = await site(csvOf(1));
  const { version } = await store.snapshot(name);
  await system.context.table.put({ pk: `S#${name}`, sk: `C#${version - 5}`, id: 'x', d: '{"broken":' });
  await ask('PATCH', `/devices/${macOf(0)}`, patch({ devName: 'nas' }));
  expect(await types()).toEqual(['renamed', 'imported']);
  expect((await events()).unreadable).toMatchObject([{ id: String(version - 5) }]);
});

test('the stream: new events with an id each, and on behind it', async () => {
  const { name, ask } = await site(csvOf(2));
  const places = vi.spyOn(system.context.waitSlots, 'take');
  const open = (path: string, headers = {}) => system.stream('GET', path, { site: name, headers });
  const stream = await open('/events?type=renamed');
  const ready = await stream.first('ready');
  await ask('PATCH', `/devices/${macOf(0)}`, patch({ devName: 'nas', devOwner: 'me' }));
  const message = await stream.first('message');
  const { id } = message.data as DeviceEvent;
  expect(message).toMatchObject({ id, data: { type: 'renamed', device: { name: 'nas' } } });
  expect(places).toHaveBeenCalledWith('stream', tokenId(system.token)); // A token has a share of them.
  places.mockRestore();
  stream.leave();

  await ask('PATCH', `/devices/${macOf(1)}`, patch({ devName: 'tv' }));
  for (const [from, path, expected] of [
    [ready.id, '/events', ['renamed', 'edited', 'renamed']],
    [id, '/events', ['edited', 'renamed']],
    [ready.id, `/devices/${macOf(1)}/events`, ['renamed']],
  ] as const) {
    const resumed = await open(path, { 'last-event-id': from });
    const types = () => resumed.events.map(({ data }) => (data as DeviceEvent).type ?? 'ready');
    await expect.poll(types).toEqual(['ready', ...expected]);
    resumed.leave();
  }
});

const POLL_MS = 5;
const NO_PLACES = openWaitSlots({ call: 0, stream: 0 });

/** The events of a stream that looks often and lasts so long, without a connection. */
async function followed(
  name: string,
  lastEventId: string,
  lastsMs: number,
  during = async () => {},
  {
    places = openWaitSlots({ call: 0, stream: 1 }),
    types,
    until = () => false,
    unread = new AbortController().signal,
  }: { places?: WaitSlots; types?: EventType[]; until?: (event: ServerEvent) => boolean; unread?: AbortSignal } = {},
) {
  const { context } = system;
  const seen: ServerEvent[] = [];
  const from = { site: name, user: 'token', lastEventId };
  for await (const event of followEvents({ ...context, waitSlots: places }, from, { type: types }, unread, {
    pollMs: POLL_MS,
    lastsMs,
  })) {
    seen.push(event);
    if (event.event === 'ready') await during();
    if (until(event)) break;
  }
  return seen;
}

test('a stream that finds no place to wait sends what there is, ends, and says when to come back', async () => {
  const { name, ask } = await site(csvOf(2));
  const places = openWaitSlots({ call: 0, stream: 1 });
  const first = await followed(name, '', 0, undefined, { places });
  await ask('PATCH', `/devices/${macOf(1)}`, patch({ devName: 'renamed' }));
  const taken = places.take('stream', 'another');
  const seen = await followed(name, first.at(-1)?.id ?? '', 3_600_000, undefined, { places });
  expect(seen.map(({ event, retry }) => [event, retry])).toEqual([
    ['ready', 5_000],
    ['message', undefined],
    ['end', undefined],
  ]);
  taken?.();
  expect(places.take('stream', 'another')).not.toBeNull();
});

test('a stream ends by itself, and whoever comes back with its last id has missed nothing', async () => {
  const { name, ask } = await site(csvOf(40));
  const empty = await followed(name, '', 30);
  expect(empty.map(({ event }) => event)).toEqual(['ready', 'end']);
  const ids: (string | undefined)[] = [];
  let lastEventId = empty.at(-1)?.id ?? '';
  for (let i = 0; i < 4; i++) {
    await ask('PATCH', `/devices/${macOf(i)}`, patch({ devName: `one ${i}`, devOwner: 'me' }));
    const rename = async () => void (await ask('PATCH', `/devices/${macOf(i)}`, patch({ devName: `two ${i}` })));
    const seen = await followed(name, lastEventId, 100, rename);
    lastEventId = seen.at(-1)?.id ?? '';
    ids.push(...seen.filter(({ event }) => event === 'message').map(({ id }) => id));
  }
  await ask('DELETE', '/devices');
  ids.push(...(await followed(name, lastEventId, 100)).filter(({ event }) => event === 'message').map(({ id }) => id));
  const { json } = await ask('GET', '/events');
  const all = devices.listEvents.response.parse(json).events.map(({ id }) => id);
  expect(ids).toEqual(all.slice(0, -1).reverse());
  // Of another collection, or none.
  for (const id of ['9007199254740991.0', 'x', '-1', '1e3']) {
    expect((await followed(name, id, 20)).map(({ event }) => event)).toEqual(['ready', 'end']);
  }
});

/** What the streams of some sites read of the journal from now on. */
function watchReading() {
  const { devices: store } = system.context;
  const made = store.changesBetween.bind(store);
  const read = { entries: 0, now: 0, atOnce: 0 };
  const spy = vi.spyOn(store, 'changesBetween').mockImplementation(async function* (...asked) {
    read.atOnce = Math.max(read.atOnce, ++read.now);
    try {
      for await (const entry of made(...asked)) {
        read.entries++;
        yield entry;
      }
    } finally {
      read.now--;
    }
  });
  return { read, [Symbol.dispose]: () => spy.mockRestore() };
}

test('a stream that is far behind is sent a bounded part, is told of the gap, and goes on with what is new', async () => {
  const { name, ask } = await siteWithChanges(2_500);
  using watched = watchReading();
  const AN_HOUR_MS = 3_600_000;
  const isOf = (type: EventType) => (event: ServerEvent) => (event.data as DeviceEvent).type === type;
  const counted = (events: readonly ServerEvent[]) => {
    const kinds = events.map(({ event }) => event);
    return kinds.filter((kind, i) => kind !== kinds[i - 1]).join(' ');
  };
  let isNew = async () => void (await ask('PATCH', `/devices/${macOf(0)}`, patch({ devName: 'nas' })));
  // The change is made while the stream sends what it has missed.
  const all = await followed(name, '1', AN_HOUR_MS, isNew, { until: isOf('renamed') });
  expect(counted(all)).toBe('ready message gap message');
  expect(all.filter(({ event }) => event === 'message')).toHaveLength(1_001);
  expect(watched.read.entries).toBeLessThan(1_100);

  // Also where none of it fits.
  watched.read.entries = 0;
  isNew = async () => void (await ask('PATCH', `/devices/${macOf(0)}`, patch({ devIsArchived: 1 })));
  const few = await followed(name, '1', AN_HOUR_MS, isNew, { types: ['archived'], until: isOf('archived') });
  expect(counted(few)).toBe('ready gap message');
  expect(watched.read.entries).toBeLessThan(1_100);
  // Who comes back with the id of the gap has nothing left out any more.
  const gap = few.find(({ event }) => event === 'gap');
  expect(counted(await followed(name, gap?.id ?? '', 0))).toBe('ready message end');
});

test('a stream that is far behind is sent a megabyte, about', async () => {
  const { name } = await siteWithChanges(300, 'x'.repeat(20_000));
  const seen = await followed(name, '1', 3_600_000, undefined, { places: NO_PLACES });
  const bytes = seen.map(({ data }) => JSON.stringify(data).length).reduce((sum, length) => sum + length);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(2_000_000);
  expect(seen.at(-2)?.event).toBe('gap');
});

test('of many streams that catch up two read at a time, and each comes to its end', async () => {
  const { name } = await siteWithChanges(500);
  using watched = watchReading();
  const all = Array.from({ length: 10 }, () => followed(name, '1', 3_600_000, undefined, { places: NO_PLACES }));
  for (const seen of await Promise.all(all)) expect(seen.at(-1)?.event).toBe('end');
  expect(watched.read.atOnce).toBe(2);
});

test('a stream looks at one row, and no more often when its reader has gone, whose place is free again', async () => {
  const { name } = await site(csvOf(1));
  const { devices: store } = system.context;
  const spies = [vi.spyOn(store, 'snapshot'), vi.spyOn(store, 'changesBetween')];
  const looked = vi.spyOn(store, 'carriedOut');
  const unread = new AbortController();
  const places = openWaitSlots({ call: 0, stream: 1 });
  const following = followed(name, '', 3_600_000, undefined, { unread: unread.signal, places });
  await expect.poll(() => looked.mock.calls.length).toBeGreaterThan(3);
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  expect(places.take('stream', 'another')).toBeNull();
  unread.abort();
  await following;
  expect(places.take('stream', 'another')).not.toBeNull();
  const looks = looked.mock.calls.length;
  await sleep(10 * POLL_MS);
  expect(looked).toHaveBeenCalledTimes(looks);
  vi.restoreAllMocks();
});

test('delete all and restore: the same collection, byte for byte, and the events say so', async () => {
  const { name, ask, events, store } = await site();
  const record = (i: number) => ({
    ...BLANK_DEVICE,
    devName: `device ${i}`,
    devComments: `★ ${i}\n"x"`,
    devIsNew: 1 as const,
  });
  const put = Array.from({ length: 1_200 }, (_, i): StoredDevice => {
    if (i % 10 === 0) return { key: `~${String(i).padStart(8, '0')}-0000`, record: record(i) };
    const sightings = { main: { epoch: 1, n: i, online: i % 2 === 0, since: 5 } };
    return { key: macOf(i), record: { ...record(i), devMac: macOf(i) }, byPerson: ['devName'], sightings };
  });
  put.push({ key: 'Internet', record: { ...BLANK_DEVICE, devMac: 'Internet' } });
  await store.change(name, { actor: 'test', cause: 'edit' }, () => ({ put, remove: [] }));
  const look = async () => ({
    csv: (await ask('GET', '/devices/export?columns=all')).text,
    one: (await ask('GET', `/devices/${macOf(1)}`)).text,
    stored: (await store.snapshot(name)).devices,
  });
  const before = await look();
  const { change } = (await ask('DELETE', '/devices')).json as { change: string };
  expect((await ask('GET', '/devices/totals')).json).toEqual([0, 0, 0, 0, 0, 0]);

  const all = { success: true, restored: 1_201, skipped: 0, change };
  expect((await ask('POST', '/devices/restore?dryRun=true')).json).toEqual(all);
  expect((await ask('GET', '/devices/totals')).json).toEqual([0, 0, 0, 0, 0, 0]);
  expect((await ask('POST', '/devices/restore', { body: { change } })).json).toEqual(all);
  expect(await look()).toEqual(before);
  expect((await events()).events).toMatchObject([
    { type: 'restored', count: 1_201, deleted: 0 },
    { type: 'deleted', count: 1_201, deleted: 1_201 },
    { type: 'edited', count: 1_201 },
  ]);
  expect((await ask('POST', '/devices/restore')).json).toEqual({ ...all, restored: 0, skipped: 1_201 });
});

test('what a replacing import took away comes back; what is there again by now is left alone', async () => {
  const { name, ask } = await site(csvOf(40));
  const content = Buffer.from(`devName,devMac\nonly,${macOf(0)}\n`).toString('base64');
  const replaced = await ask('POST', '/devices/import?mode=replace', { body: { content } });
  const { change } = replaced.json as { change: string };
  expect(replaced.json).toMatchObject({ deleted: 39, change: expect.any(String) });
  await system.importCsv(`devName,devMac\nagain,${macOf(1)}\n`, name);
  await ask('DELETE', `/devices/${macOf(1)}`);
  await system.importCsv(`devName,devMac\nback,${macOf(2)}\n`, name);

  const some = { change: Number(change), macs: [macOf(2), macOf(3).toLowerCase(), macOf(3)] };
  const restore = async (body: object) => (await ask('POST', '/devices/restore', { body })).json;
  expect(await restore(some)).toEqual({ success: true, restored: 1, skipped: 1, change });
  expect(await restore({ change })).toEqual({ success: true, restored: 37, skipped: 2, change });
  const list = devices.listDevices.response.parse((await ask('GET', '/devices')).json).devices;
  const names = list.map(({ devName }) => devName);
  expect(names.slice(0, 4)).toEqual(['only', 'device 1', 'back', 'device 3']);
  expect(names).toHaveLength(40);
});

test('what cannot be restored is said', async () => {
  const { ask, events } = await site(csvOf(3));
  const refused = async (body: object, status: number, message: string | RegExp) =>
    expect([body, await ask('POST', '/devices/restore', { body })]).toMatchObject([
      body,
      { status, json: { message: expect.stringMatching(message) } },
    ]);
  await refused({}, 404, '30 days');
  const { change } = (await ask('DELETE', `/devices/${macOf(0)}`)).json as { change: string };
  await ask('PATCH', `/devices/${macOf(1)}`, patch({ devName: 'nas' }));
  const edit = (await events()).events[0]?.id.split('.')[0];
  await refused({ change: '1' }, 404, 'There is no change 1');
  await refused({ change: edit }, 404, 'has deleted no device');
  await refused({ macs: ['nas'] }, 400, 'macs.0');
  const { context } = system;
  const later = vi.spyOn(context, 'now').mockImplementation(() => new Date(Date.now() + 31 * 86_400_000));
  for (const body of [{}, { change }]) await refused(body, 404, /too long ago.*30 days/);
  later.mockRestore();
  expect((await ask('POST', '/devices/restore', { body: { change } })).json).toMatchObject({ restored: 1 });
});

test('the events of several sites are one list, in pages, of the sites in reach alone', async () => {
  const times = ['2026-11-01T08:00:00Z', '2026-11-01T08:00:05Z', '2026-11-01T08:00:10Z'];
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(times[0] ?? '') });
  await using own = await startTestApi();
  const made = [await site(csvOf(1), own), await site(csvOf(1), own), await site(csvOf(1), own)];
  const [one = '', two = '', three = ''] = made.map(({ name }) => name);
  const edit = (of: string, body: object) => own.request('PATCH', `/devices/${macOf(0)}`, { site: of, body });
  for (const [i, time] of times.entries()) {
    vi.setSystemTime(new Date(time).getTime() + 1_000);
    for (const of of [one, two, three]) await edit(of, { devName: `name ${i}` });
    await edit(two, { devName: `again ${i}` });
    await edit(two, { devOwner: `owner ${i}` });
  }
  const list = async (query: string, token?: string) => {
    const { status, json, text } = await own.request('GET', `/events?${query}`, { token });
    expect([status, text]).toMatchObject([200, expect.any(String)]);
    return devices.listEvents.response.parse(json);
  };
  const { events: all, nextCursor } = await list('sites=*&limit=1000');
  expect(nextCursor).toBeNull();
  // Each site's own order, and names as its own list has them.
  for (const { name, events } of made) {
    const expected = (await events('?limit=1000')).events.map((event) => ({ ...event, site: name }));
    expect(all.filter((event) => event.site === name)).toEqual(expected);
  }
  const recorded = all.map(({ recordedAt }) => recordedAt);
  expect(recorded).toEqual(recorded.toSorted().reverse());
  for (const limit of [1, 2, 7]) {
    const paged: DeviceEvent[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await list(`sites=*&limit=${limit}${from}`);
      paged.push(...page.events);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(all);
  }
  expect((await list(`sites=${one},${two}&type=edited`)).events.map((event) => event.site)).toEqual([two, two, two]);
  expect((await list(`sites=*&since=${times[2]}`)).events).toHaveLength(5);

  const token = await own.createToken({ scopes: ['devices:read'], sites: [one, three] });
  expect(new Set((await list('sites=*', token)).events.map((event) => event.site))).toEqual(new Set([one, three]));
  expect((await list(`sites=${two}`, token)).events).toEqual([]);

  const { headers } = await own.request('GET', '/events?sites=*');
  const known = { 'if-none-match': headers.get('etag') ?? '' };
  expect((await own.request('GET', '/events?sites=*', { headers: known })).status).toBe(304);
  for (const query of ['sites=*&cursor=1.0', 'sites=no%20site', 'cursor=x']) {
    expect((await own.request('GET', `/events?${query}`, { site: one })).status, query).toBe(400);
  }
  const stream = await own.request('GET', '/events?sites=*', { headers: { accept: 'text/event-stream' } });
  expect(stream.status).toBe(400);
  vi.useRealTimers();
});
