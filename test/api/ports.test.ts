/** Open ports of devices, from the result that an agent sends to what the API shows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import type * as z from 'zod';
import { storePorts } from '../../functions/sightings/port-scans.ts';
import { rows } from '../../functions/table/rows.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { devices } from '../../shared/api/devices.ts';
import type { EventList } from '../../shared/api/events.ts';
import type { DevicePorts } from '../../shared/api/one-device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { agentId, type JobId } from '../../shared/identity.ts';
import { Command } from '../../shared/tools/list.ts';
import { openIngest } from '../support/background-work.ts';
import { resultFor, standInAt } from '../support/enrolled-agent.ts';
import { eraseSite } from '../support/erase-site.ts';
import { macOf } from '../support/fixtures.ts';
import { foundHost, nmapResult, openPort } from '../support/found-host.ts';
import { startTestApi } from '../support/in-process.ts';
import { NO_AGENTS, SILENT } from '../support/ingest-messages.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const NAS = '00:1E:06:AA:BB:01';
const PRINTER = '00:1E:06:AA:BB:02';
const CSV = `devName,devMac,devLastIP\nnas,${NAS},192.168.1.20\nprinter,${PRINTER},192.168.1.30`;

interface Scan {
  mac?: string;
  address?: string;
  open?: number[];
  tried?: string | null;
  mode?: 'fast' | 'normal' | 'detail';
  /** How many ms before now it ended. */
  ago?: number;
  /** What the host says of itself. */
  said?: object;
}

/** A site with two devices, and scans of an agent there, which are not carried out. */
async function site(on = system) {
  const name = await on.addSite(CSV);
  const { context } = on;
  const ingest = openIngest({ ...context, agents: NO_AGENTS }, SILENT);
  const agent = agentId(name, 'main');

  async function send(id: JobId, scan: Scan) {
    const { mac = NAS, address = '192.168.1.20', open = [], tried = '1-100', ago = 0, said = {} } = scan;
    const found = open.map((port) => openPort(port));
    const host = { ...foundHost(address, mac, found), ...said };
    const at = Date.now() - ago;
    const ended = resultFor({ id }, { result: nmapResult([host], tried, 256), output: '', startedAt: at, endedAt: at });
    await ingest.result(agent, packResult(ended) ?? Buffer.alloc(0));
  }
  async function start(mode: Scan['mode'] = 'fast'): Promise<JobId> {
    const id: JobId = `${name}.${uuidv7({ msecs: Date.now() - 3_600_000 })}`;
    const command = Command.parse({ tool: 'nmap', target: '192.168.1.0/24', mode });
    await context.jobs.create({ id, agent, command, actor: 'test', sourceAddress: null });
    // The times of a result are held to be later than its job.
    await context.table.update(rows.job(id), { set: { createdAt: Date.now() - 3_600_000 } });
    return id;
  }
  async function scan(found: Scan): Promise<JobId> {
    const id = await start(found.mode);
    await send(id, found);
    return id;
  }
  const ask = (method: string, path: string, options = {}) => on.request(method, path, { site: name, ...options });
  async function ports(mac = NAS, query = ''): Promise<DevicePorts> {
    const { status, json } = await ask('GET', `/devices/${mac}/ports${query}`);
    expect(status).toBe(200);
    return devices.listDevicePorts.response.parse(json);
  }
  const numbers = async (mac = NAS) => (await ports(mac)).ports.map(({ port }) => port);
  async function portEvents() {
    const { json } = await ask('GET', '/events?type=port-opened,port-closed&limit=500');
    return (json as z.infer<typeof EventList>).events.reverse();
  }
  return { name, context, start, send, scan, ask, ports, numbers, portEvents };
}

afterEach(() => void vi.useRealTimers());

test('the ports that a scan found are shown with the device, with the time and the job', async () => {
  const { name, context, scan, ports, numbers, ask } = await site();
  expect(await ports()).toEqual({ success: true, mac: NAS, scannedAt: null, ports: [] });
  const id = await scan({ open: [80, 22], ago: 60_000 });
  const answer = await ports();
  expect(answer.ports).toMatchObject([
    { port: 22, protocol: 'tcp', state: 'open', service: 'x', scan: id, mode: 'fast' },
    { port: 80, scan: id },
  ]);
  expect(answer.scannedAt).toBe(answer.ports[0]?.seenAt);
  expect(Date.now() - Date.parse(answer.scannedAt ?? '')).toBeGreaterThanOrEqual(60_000);
  expect((await ask('GET', `/jobs/${id}`)).json).toMatchObject({ state: 'succeeded' });
  expect(await ports(PRINTER)).toMatchObject({ scannedAt: null, ports: [] });
  for (const mac of ['00:1E:06:FF:FF:FF', 'nonsense']) {
    expect(await ask('GET', `/devices/${mac}/ports`)).toMatchObject({ status: 404, json: { code: 'not_found' } });
  }
  // An ETag spares the body, until the next scan; a row that cannot be read is named, and replaced by one.
  const again = async (etag = '') => ask('GET', `/devices/${NAS}/ports`, { headers: { 'if-none-match': etag } });
  const etag = (await again()).headers.get('etag') ?? '';
  expect((await again(etag)).status).toBe(304);
  await scan({ open: [22], ago: 30_000 });
  expect((await again(etag)).status).toBe(200);
  await context.table.update(rows.ports(name, NAS), { set: { d: Buffer.from('nonsense') } });
  expect(await again()).toMatchObject({
    status: 404,
    json: { message: expect.stringContaining('The next port scan') },
  });
  await scan({ open: [80] });
  expect(await numbers()).toEqual([80]);
});

test('the list has those on which a port is open, and only as it is now', async () => {
  const { scan, ask } = await site();
  await scan({ open: [22, 80] });
  await scan({ open: [80], mac: PRINTER, address: '192.168.1.30' });
  const found = async (query: string) => {
    const { json } = await ask('GET', `/devices?${query}`);
    return devices.listDevices.response.parse(json).devices.map(({ devName }) => devName);
  };
  expect(await found('port=22')).toEqual(['nas']);
  expect(await found('port=80&sort=-name&limit=5')).toEqual(['printer', 'nas']);
  expect(await found('port=23&limit=5')).toEqual([]);
  expect((await ask('GET', '/devices?port=0')).status).toBe(400);
  expect((await ask('GET', `/devices?port=22&at=${new Date().toISOString()}`)).status).toBe(400);
});

test('the list says when not all scans were looked at, and reads them once a minute for each port', async () => {
  const { name, context, ask } = await site();
  const { withPort } = context.ports;
  const read: number[] = [];
  let isAll = false;
  using _ports = vi.spyOn(context.ports, 'withPort').mockImplementation(async (of, port, collection, most) => {
    if (of !== name) return withPort(of, port, collection, most);
    read.push(port.number);
    if (port.number === 99) throw new ServiceError('busy', 'no time');
    return { devices: new Set([NAS]), rows: most, isAll };
  });
  const list = async (query: string) =>
    devices.listDevices.response.parse((await ask('GET', `/devices?${query}`)).json);
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 });
  for (const query of ['port=22', 'port=80', 'port=22&limit=5']) {
    expect(await list(query)).toMatchObject({ devices: [{ devName: 'nas' }], truncated: true });
  }
  expect(read).toEqual([22, 80]);
  expect(await list('limit=5')).not.toHaveProperty('truncated');
  // A failure is not kept.
  for (let i = 0; i < 2; i++) expect((await ask('GET', '/devices?port=99')).status).not.toBe(200);
  expect(read).toEqual([22, 80, 99, 99]);
  isAll = true;
  vi.setSystemTime(Date.now() + 60_000);
  expect(await list('port=22')).not.toHaveProperty('truncated');
});

test('six scans that are stored at once are all merged', async () => {
  const { scan, numbers } = await site();
  const all = Array.from({ length: 6 }, (_, i) => i + 1);
  await Promise.all(all.map((port) => scan({ open: [port], tried: String(port) })));
  expect(await numbers()).toEqual(all);
});

test('a result that comes several times, also after a crash between the ports and the job, is stored once, with its event', async () => {
  const { start, send, scan, ports, portEvents, context, ask } = await site();
  await scan({ open: [22], ago: 9_000 });
  const id = await start();
  const finish = vi.spyOn(context.jobs, 'finish').mockRejectedValue(new Error('the function was stopped'));
  const found = { open: [22, 80], ago: 1_000 };
  const sent = await Promise.allSettled(Array.from({ length: 4 }, () => send(id, found)));
  finish.mockRestore();
  expect(sent.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  expect((await ports()).ports).toHaveLength(2);
  await send(id, found);
  expect(await portEvents()).toMatchObject([{ type: 'port-opened', detail: { port: 80, scan: id } }]);
  expect((await ports(NAS, '?diff=last')).diff?.opened).toHaveLength(1);
  expect((await ask('GET', `/jobs/${id}`)).json).toMatchObject({ state: 'succeeded' });
  const before = await ports();
  await send(id, { open: [22, 80, 443] });
  expect(await ports()).toEqual(before);
});

test('a port that opens and closes is two events; what the first scan finds is none', async () => {
  const { scan, ports, portEvents, name } = await site();
  await scan({ open: [22, 80], ago: 50_000 });
  await scan({ open: [22, 80, 90, 8006], tried: '1-10000', mode: 'normal', ago: 40_000 });
  expect(await portEvents()).toMatchObject([{ type: 'port-opened', detail: { port: 90 } }]);
  const opening = await scan({ open: [22, 80, 443], tried: '1-10000', mode: 'normal', ago: 30_000 });
  expect((await ports()).ports.map(({ port, new: isNew }) => [port, isNew])).toEqual([
    [22, undefined],
    [80, undefined],
    [443, true],
  ]);
  const closing = await scan({ open: [22, 80], tried: '1-10000', mode: 'normal', ago: 20_000 });
  await scan({ open: [22, 80], ago: 10_000 });
  const opened = { type: 'port-opened', detail: { port: 443, scan: opening } };
  const events = (await portEvents()).slice(1);
  expect(events).toMatchObject([
    { type: 'port-closed', detail: { port: 90, protocol: 'tcp', service: 'x', scan: opening } },
    { ...opened, device: { key: NAS, name: 'nas' }, actor: `${name}:main` },
    { type: 'port-closed', detail: { port: 8006, scan: opening } },
    { type: 'port-closed', device: { key: NAS }, detail: { port: 443, protocol: 'tcp', service: 'x', scan: closing } },
  ]);
  expect(Date.now() - Date.parse(events[1]?.at ?? '')).toBeGreaterThan(29_000);
});

test('what has changed is shown since a time, after a scan, and by the last one', async () => {
  const { scan, ports, ask } = await site();
  await scan({ open: [22], ago: 30_000 });
  const second = await scan({ open: [22, 80], ago: 20_000 });
  const third = await scan({ open: [80, 44], ago: 10_000 });
  const diff = async (since: string) => {
    const { opened = [], closed = [] } = (await ports(NAS, `?diff=${since}`)).diff ?? {};
    return [opened.map(({ port }) => port), closed.map(({ port }) => port)];
  };
  expect(await diff('last')).toEqual([[44], [22]]);
  expect(await diff(second)).toEqual([[44], [22]]);
  expect(await diff(third)).toEqual([[], []]);
  expect(await diff(new Date(Date.now() - 25_000).toISOString())).toEqual([[44, 80], [22]]);
  expect((await ports(NAS, `?diff=${second}`)).diff?.closed).toMatchObject([{ port: 22, scan: third }]);
  expect((await ports()).diff).toBeUndefined();
  expect(await ports(PRINTER, '?diff=last')).toMatchObject({ diff: { since: null, opened: [], closed: [] } });
  expect((await ask('GET', `/devices/${NAS}/ports?diff=yesterday`)).status).toBe(400);
});

test('a host that opens a thousand ports makes twenty events, and one that says how many more', async () => {
  const { scan, numbers, portEvents } = await site();
  await scan({ open: [22], tried: '1-2000', ago: 3_000 });
  const id = await scan({ open: Array.from({ length: 900 }, (_, i) => i + 1), tried: '1-2000', ago: 2_000 });
  const events = await portEvents();
  expect(events).toHaveLength(21);
  expect(events.at(-1)).toMatchObject({ type: 'port-opened', detail: { more: 879, scan: id } });
  expect(await numbers()).toHaveLength(900);
});

test('news of many devices is told in entries that fit, each device once', async () => {
  const { name, context, start, portEvents } = await site();
  const macs = Array.from({ length: 250 }, (_, i) => macOf(i));
  const lines = macs.map((mac, i) => `d${i},${mac},192.168.1.${1 + (i % 250)}`);
  await system.importCsv(`devName,devMac,devLastIP\n${lines.join('\n')}`, name);
  const agent = agentId(name, 'main');
  const command = { tool: 'nmap', target: '192.168.1.0/24', mode: 'fast' } as const;
  const store = async (open: number[], endedAt: number) => {
    const found = open.map((port) => openPort(port));
    const hosts = macs.map((mac, i) => foundHost(`192.168.1.${1 + i}`, mac, found));
    const result = nmapResult(hosts, '1-100', 256);
    const outcome = { state: 'succeeded', reason: null, message: null, output: '', truncated: false, result } as const;
    await storePorts(context, { id: await start(), agent, command }, { ...outcome, startedAt: endedAt, endedAt });
  };
  await store([22], Date.now() - 5_000);
  await store([22, 80], Date.now() - 1_000);
  const events = await portEvents();
  expect(events).toHaveLength(250);
  expect(new Set(events.map(({ device }) => device?.key)).size).toBe(250);
  expect(new Set(events.map(({ id }) => id.split('.')[0])).size).toBe(3);
});

test('ports are hidden while their device is deleted, and expire 90 days after the last scan', async () => {
  const { name, scan, ports, numbers, context, ask } = await site();
  await scan({ open: [22] });
  await ask('DELETE', `/devices/${NAS}`);
  expect((await ask('GET', `/devices/${NAS}/ports`)).status).toBe(404);
  await ask('POST', '/devices/restore');
  expect(await numbers()).toEqual([22]);
  const key = rows.ports(name, NAS);
  const ttl = (await context.table.get(key, { consistent: true }))?.ttl;
  expect(Math.round((Number(ttl) - Date.now() / 1000) / 86_400)).toBe(90);
  await context.table.update(key, { set: { ttl: Math.floor(Date.now() / 1000) - 1 } });
  expect(await ports()).toMatchObject({ scannedAt: null, ports: [] });
});

test('a site that is made again has no ports of the one before, also when a late writer left them', async () => {
  const { name, scan, numbers, context, ask } = await site();
  await scan({ open: [22] });
  const left = await context.table.get(rows.ports(name, NAS), { consistent: true });
  await eraseSite(system, system.context, name);
  expect(await context.table.get(rows.ports(name, NAS), { consistent: true })).toBeNull();
  await ask('POST', '/sites', { body: { id: name } });
  await system.importCsv(CSV, name);
  if (left !== null) await context.table.put(left);
  expect(await numbers()).toEqual([]);
  await scan({ open: [80] });
  expect(await numbers()).toEqual([80]);
});

test('whoever has the answer of a scan finds its ports, however long they take to be stored, and its end', async () => {
  const { name, numbers, context, ask } = await site();
  await using agent = await standInAt(system, name, 'attic');
  const { merge } = context.ports;
  const slow = vi.spyOn(context.ports, 'merge').mockImplementation(async (...args) => {
    await sleep(500);
    return merge(...args);
  });
  const result = nmapResult([foundHost('192.168.1.20', NAS, [openPort(443, 'https')])]);
  const answer = ask('POST', '/nettools/nmap', { body: { scan: '192.168.1.20', mode: 'fast' } });
  const request = await agent.take();
  await agent.say(request.replyTo, resultFor(request, { result }));
  expect((await answer).status).toBe(200);
  expect(await numbers()).toEqual([443]);
  expect((await ask('GET', '/jobs')).json).toMatchObject({ jobs: [{ id: request.id, state: 'succeeded' }] });
  slow.mockRestore();
});

test('the ports of a device cost two read units beside the token', async () => {
  await using system = await startTestApi();
  const { name, scan } = await site(system);
  // The list of nmap's 1,000 ports is the longest that it has.
  const tried = Array.from({ length: 1_000 }, (_, i) => 3 * i + 1).join(',');
  await scan({ open: [22, 80, 443], ago: 2_000 });
  await scan({ open: [22, 80, 443, 8006], tried, mode: 'normal' });
  const cost = async (path: string) => (await system.measured('GET', path, { site: name })).consumed.readUnits;
  const token = (await cost('/devices/totals')) - 1;
  expect((await cost(`/devices/${NAS}/ports`)) - token).toBeLessThanOrEqual(2);
});

test('what a detailed scan heard is evidence, in place of what an earlier one heard, and other scans leave it alone', async () => {
  const { scan, ask } = await site();
  const heard = async () => {
    const { json } = await ask('GET', `/devices/${NAS}/evidence`);
    const { observations } = devices.explainDevice.response.parse(json);
    return observations.map(({ by, source, value }) => `${by} ${source} ${value}`);
  };
  const said = {
    os: 'Linux 5.4',
    ports: [
      { port: 22, protocol: 'tcp', state: 'open', service: 'ssh', product: 'OpenSSH', version: '9.2p1' },
      { port: 81, protocol: 'tcp', state: 'closed', service: 'http', product: 'no', version: null },
    ],
    banners: [{ source: 'http-title', value: 'DiskStation' }],
  };
  await scan({ said });
  expect(await heard()).toEqual([]);
  await scan({ mode: 'detail', said, ago: 60_000 });
  const all = ['os Linux 5.4', 'http-title DiskStation', 'service 22/tcp OpenSSH ssh', 'ssh OpenSSH 9.2p1'];
  expect(await heard()).toEqual(all.map((one) => `scans ${one}`));
  await scan({ mode: 'detail', said: { os: 'late' }, ago: 120_000 });
  expect(await heard()).toHaveLength(all.length);
  await scan({ mode: 'detail', said: { os: 'Linux 6.1' } });
  expect(await heard()).toEqual(['scans os Linux 6.1']);
});
