/** Open ports of devices, from the result that an agent sends to what the API shows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openIngest } from '../../api/sightings/ingest.ts';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { devices } from '../../shared/api/devices.ts';
import type { DevicePorts } from '../../shared/api/one-device.ts';
import { agentId, type JobId } from '../../shared/identity.ts';
import { Command } from '../../shared/tools/list.ts';
import { rows } from '../../store/rows.ts';
import { ackFor, enrolAgent, resultFor, startStandIn } from '../support/enrolled-agent.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';

let system: TestApi;
beforeAll(async () => {
  system = await startTestApi();
});
afterAll(() => system.close());

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
}

/** A site with two devices, and scans of an agent there, which are not carried out. */
async function site(on = system) {
  const name = await on.addSite(CSV);
  const { context } = on;
  const silent = { info() {}, warn() {}, error() {} };
  const ingest = openIngest({ ...context, agents: { confirmStored: async () => {}, control: async () => {} } }, silent);
  const agent = agentId(name, 'main');

  async function send(id: JobId, { mac = NAS, address = '192.168.1.20', open = [], tried = '1-100', ago = 0 }: Scan) {
    const port = (port: number) => ({
      port,
      protocol: 'tcp',
      state: 'open',
      service: 'x',
      product: null,
      version: null,
    });
    const host = {
      address,
      mac,
      vendor: null,
      names: [],
      state: 'up',
      timedOut: false,
      os: null,
      ports: open.map(port),
    };
    const at = Date.now() - ago;
    const result: Result = {
      v: PROTOCOL_VERSION,
      t: 'result',
      id,
      state: 'succeeded',
      reason: null,
      message: null,
      output: '',
      truncated: false,
      result: { hosts: [host], hostsUp: 1, hostsTotal: 256, triedTcpPorts: tried },
      startedAt: at,
      endedAt: at,
    };
    await ingest.result(agent, packResult(result) ?? Buffer.alloc(0));
  }
  async function start(mode: Scan['mode'] = 'fast'): Promise<JobId> {
    const id: JobId = `${name}.${uuidv7({ msecs: Date.now() - 3_600_000 })}`;
    const command = Command.parse({ tool: 'nmap', target: '192.168.1.0/24', mode });
    await context.jobs.create({ id, agent, command, actor: 'test', sourceAddress: null });
    // The times of a result are held to be later than its job.
    await context.table.update(rows.job(id), { set: { createdAt: Date.now() - 3_600_000 } });
    return id;
  }
  async function scan(found: Scan = {}): Promise<JobId> {
    const id = await start(found.mode);
    await send(id, found);
    return id;
  }
  const ask = (method: string, path: string, options = {}) => on.request(method, path, { site: name, ...options });
  async function ports(mac = NAS): Promise<DevicePorts> {
    const { status, json } = await ask('GET', `/devices/${mac}/ports`);
    expect(status).toBe(200);
    return devices.listDevicePorts.response.parse(json);
  }
  const numbers = async (mac = NAS) => (await ports(mac)).ports.map(({ port }) => port);
  return { name, context, start, send, scan, ask, ports, numbers };
}

test('the ports that a scan found are shown with the device, with the time and the job', async () => {
  const { scan, ports, ask } = await site();
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
});

test('an ETag spares the body, and changes with the next scan', async () => {
  const { scan, ask } = await site();
  await scan({ open: [22], ago: 1_000 });
  const path = `/devices/${NAS}/ports`;
  const etag = (await ask('GET', path)).headers.get('etag') ?? '';
  const headers = { 'if-none-match': etag };
  expect((await ask('GET', path, { headers })).status).toBe(304);
  await scan({ open: [22, 80] });
  expect((await ask('GET', path, { headers })).status).toBe(200);
});

test('a device that does not exist has no ports to show, nor has a path that names none', async () => {
  const { ask } = await site();
  expect(await ask('GET', '/devices/00:1E:06:FF:FF:FF/ports')).toMatchObject({
    status: 404,
    json: { code: 'not_found' },
  });
  expect((await ask('GET', '/devices/nonsense/ports')).status).toBe(404);
});

test('a newer scan of the same ports removes what is closed, a shorter one does not', async () => {
  const { scan, numbers } = await site();
  await scan({ open: [22, 80, 8006], tried: '1-10000', mode: 'normal', ago: 5_000 });
  await scan({ open: [22], tried: '1-100', ago: 4_000 });
  expect(await numbers()).toEqual([22, 8006]);
  await scan({ open: [], tried: null, ago: 3_000 });
  expect(await numbers()).toEqual([22, 8006]);
  await scan({ open: [22, 443], tried: '1-10000', mode: 'normal', ago: 2_000 });
  expect(await numbers()).toEqual([22, 443]);
});

test('of two scans whose results arrive in the wrong order, the newer one holds', async () => {
  const { start, send, numbers } = await site();
  const [older, newer] = [await start(), await start()];
  await send(newer, { open: [22], ago: 1_000 });
  await send(older, { open: [22, 80], ago: 9_000 });
  expect(await numbers()).toEqual([22]);
});

test('six scans that are stored at once are all merged', async () => {
  const { scan, numbers } = await site();
  const all = Array.from({ length: 6 }, (_, i) => i + 1);
  await Promise.all(all.map((port) => scan({ open: [port], tried: String(port) })));
  expect(await numbers()).toEqual(all);
});

test('a result that comes twice, also after a crash between the ports and the job, is stored once', async () => {
  const { start, send, ports, context, ask } = await site();
  const id = await start();
  const { finish } = context.jobs;
  context.jobs.finish = async () => {
    throw new Error('the function was stopped');
  };
  const found = { open: [22], ago: 1_000 };
  try {
    await expect(send(id, found)).rejects.toThrow('stopped');
  } finally {
    context.jobs.finish = finish;
  }
  expect((await ports()).ports).toHaveLength(1);
  await send(id, found);
  expect((await ask('GET', `/jobs/${id}`)).json).toMatchObject({ state: 'succeeded' });
  const before = await ports();
  await send(id, { open: [22, 80] });
  expect(await ports()).toEqual(before);
});

test('deleting a device hides its ports, restoring it brings them back', async () => {
  const { scan, numbers, ask } = await site();
  await scan({ open: [22] });
  await ask('DELETE', `/devices/${NAS}`);
  expect((await ask('GET', `/devices/${NAS}/ports`)).status).toBe(404);
  await ask('POST', '/devices/restore');
  expect(await numbers()).toEqual([22]);
});

test('ports expire 90 days after the last scan', async () => {
  const { name, scan, ports, context } = await site();
  await scan({ open: [22] });
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
  await ask('DELETE', `/sites/${name}?confirm=${name}`);
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
  await using agent = await startStandIn(system, await enrolAgent(system, name, 'attic'));
  const { merge } = context.ports;
  const slow = vi.spyOn(context.ports, 'merge').mockImplementation(async (...args) => {
    await sleep(500);
    return merge(...args);
  });
  const host = { address: '192.168.1.20', mac: NAS, vendor: null, names: [], state: 'up', timedOut: false, os: null };
  const port = { port: 443, protocol: 'tcp', state: 'open', service: 'https', product: null, version: null };
  const hosts = [{ ...host, ports: [port] }];
  const result = { hosts, hostsUp: 1, hostsTotal: 1, triedTcpPorts: '1-1000' };
  const answer = ask('POST', '/nettools/nmap', { body: { scan: '192.168.1.20', mode: 'fast' } });
  const request = await agent.request();
  await agent.say(request.replyTo, ackFor(request));
  await agent.say(request.replyTo, resultFor(request, { result }));
  expect((await answer).status).toBe(200);
  expect(await numbers()).toEqual([443]);
  expect((await ask('GET', '/jobs')).json).toMatchObject({ jobs: [{ id: request.id, state: 'succeeded' }] });
  slow.mockRestore();
});

test('a row of ports that cannot be read is named, and the next scan replaces it', async () => {
  const { name, scan, numbers, context, ask } = await site();
  await scan({ open: [22] });
  await context.table.update(rows.ports(name, NAS), { set: { d: Buffer.from('nonsense') } });
  const { status, json } = await ask('GET', `/devices/${NAS}/ports`);
  expect([status, json]).toMatchObject([404, { message: expect.stringContaining('The next port scan') }]);
  await scan({ open: [80] });
  expect(await numbers()).toEqual([80]);
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
