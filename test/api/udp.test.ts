/** UDP is a protocol of a port scan, and no mode: the modes are those of the contract. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { packText, unpackText } from '../../functions/devices/collection/packed-text.ts';
import { rows } from '../../functions/table/rows.ts';
import type { Item } from '../../functions/table/table.ts';
import type { JobId } from '../../shared/identity.ts';
import { ackFor, standInAt } from '../support/enrolled-agent.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const MAC = '00:1E:06:AA:BB:01';
const SCAN = { scan: '10.20.0.5', mode: 'fast' };
const schedule = (given: object) => ({ name: 'ports', tool: 'nmap', everySeconds: 3_600, arguments: given });

test.each([
  ['POST', '/nettools/nmap', { ...SCAN, mode: 'udp' }],
  ['POST', '/nettools/nmap', { ...SCAN, protocol: 'sctp' }],
  ['POST', '/nettools/trigger-scan', { type: 'NMAP', ...SCAN, mode: 'udp' }],
  ['POST', '/scans', { range: '10.20.0.0/22', mode: 'udp' }],
  ['POST', '/schedules', schedule({ ...SCAN, mode: 'udp' })],
  ['POST', '/batches', { tool: 'nmap', arguments: { ...SCAN, mode: 'udp' }, sites: '*' }],
  ['PUT', '/templates/udp', { tags: ['udp'], schedules: [schedule({ ...SCAN, mode: 'udp' })] }],
] as const)('%s %s refuses %j, and names the field', async (method, path, body) => {
  const { status, json } = await system.request(method, path, { body, site: await system.addSite() });
  expect([status, json]).toMatchObject([400, { code: 'validation_failed' }]);
  expect((json as { message: string }).message).toMatch(/mode|protocol/);
});

test('a scan of UDP says so wherever it is shown, and the agent is asked for it', async () => {
  const site = await system.addSite();
  await using agent = await standInAt(system, site, 'main');
  const body = { ...SCAN, protocol: 'udp' };
  const answer = system.request('POST', '/nettools/nmap', { body, site, headers: { prefer: 'respond-async' } });
  const request = await agent.request();
  expect(request).toMatchObject({ command: { mode: 'fast', protocol: 'udp' } });
  await agent.say(request.replyTo, ackFor(request));
  const { status, json } = await answer;
  const { id } = json as { id: string };
  const { json: job } = await system.request('GET', `/jobs/${id}`, { site });
  expect([status, job]).toMatchObject([202, { request: { tool: 'nmap', mode: 'fast', protocol: 'udp' } }]);
});

test('what was stored when UDP was a mode is read as what it meant', async () => {
  const site = await system.addSite(`devName,devMac,devLastIP\nnas,${MAC},10.20.0.5`);
  await using agent = await standInAt(system, site, 'main');
  const udp = { ...SCAN, protocol: 'udp' };
  const { table, ports, devices } = system.context;
  const { born } = await devices.read(site);
  const made = await system.request('POST', '/schedules', { body: schedule(udp), site });
  const { id } = made.json as { id: string };
  await system.request('PUT', '/templates/former', { body: { tags: ['former'], schedules: [schedule(udp)] } });
  const scan = await system.request('POST', '/scans', { body: { range: '10.20.0.0/24', protocol: 'udp' }, site });
  const scanId = (scan.json as { id: string }).id;
  await agent.take();
  const job: JobId = `${site}.${uuidv7()}`;
  const now = Date.now();
  const port = { port: 53, protocol: 'udp' as const, state: 'open', service: 'domain', product: null, version: null };
  const found = { at: now, scan: job, mode: 'fast' as const, tried: '53', protocol: 'udp' as const, unclear: '' };
  await ports.merge({ site, device: MAC }, { version: born, born }, [{ ...found, address: '', open: [port] }]);
  const command = JSON.stringify({ tool: 'nmap', target: '10.20.0.5', mode: 'fast', protocol: 'udp' });
  const times = { createdAt: now, startedAt: now, endedAt: now, leaseUntil: now + 60_000, ttl: now / 1000 + 3_600 };
  const ended = { state: 'succeeded', agent: `${site}:main`, actor: 'token', command, reason: '', ...times };
  await table.put({ ...rows.job(job), ...ended });

  async function asFormer(
    key: { pk: string; sk: string },
    edit: (item: Item, change: (text: string) => string) => Item,
  ) {
    const item = await table.get(key, { consistent: true });
    const change = (text: string) => text.replace('"mode":"fast","protocol":"udp"', '"mode":"udp"');
    await table.put(edit(item!, change));
  }
  const paths = [`/schedules/${id}`, '/templates/former', `/scans/${scanId}`, `/devices/${MAC}/ports`, `/jobs/${job}`];
  const shown = () => Promise.all(paths.map(async (path) => (await system.request('GET', path, { site })).json));
  const before = await shown();
  await asFormer(rows.schedule(site, id), (item, change) => ({ ...item, d: change(String(item.d)) }));
  await asFormer(rows.run(site, scanId), (item, change) => ({ ...item, d: change(String(item.d)) }));
  await asFormer(rows.template('former'), (item, change) => {
    return { ...item, d: packText(change(unpackText(item.d, item.pk)), item.pk) };
  });
  await asFormer(rows.job(job), (item, change) => ({ ...item, command: change(String(item.command)) }));
  await asFormer(rows.ports(site, MAC), (item) => {
    const text = gunzipSync(item.d as Uint8Array).toString();
    expect(text).toContain('"mode":"fast"');
    return { ...item, d: gzipSync(text.replaceAll('"mode":"fast"', '"mode":"udp"')) };
  });
  expect(await shown()).toEqual(before);
  expect(JSON.stringify(before)).not.toContain('"mode":"udp"');
  expect(before[0]).toMatchObject({ request: { mode: 'fast', protocol: 'udp' } });
});
