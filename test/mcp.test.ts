/** `/mcp`: what assistants see and can do. What tools find in a LAN is tested in thorough/lab/tools.test.ts. */
import { fail } from 'node:assert';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../shared/identity.ts';
import { type Assistant, connectAssistant, REVISIONS } from './mcp-client.ts';
import { startObedientAgent } from './support/enrolled-agent.ts';
import { testApi } from './support/test-api.ts';

const system = testApi({ hosts: ['lanreach.example'], corsOrigins: ['https://dash.example'], listens: true });
let agent: AsyncDisposable;
beforeAll(async () => {
  const addresses = { mac: null, ipv4: ['127.0.0.1/8'], ipv6: [], rx_bytes: 0, tx_bytes: 0 };
  const lo = { name: 'lo', short: 'lo', type: 'loopback', state: 'up', mtu: 65_536, ...addresses };
  agent = await startObedientAgent(system, 'home', 'main', { output: '{}', result: { lo } });
});
afterAll(() => agent?.[Symbol.asyncDispose]());

const assistant = (token = system.token, options: Parameters<typeof connectAssistant>[2] = {}) =>
  connectAssistant(system.url, token, options);

const READ = [
  ...'changes_since explain_device find_devices find_same_devices get_latest_device get_network_topology'.split(' '),
  ...'get_open_ports get_series list_checks list_devices list_schedules list_sites propose_topology'.split(' '),
  ...'search_devices site_matrix what_changed'.split(' '),
];
const RUN = [
  ...'add_check add_schedule cancel_batch cancel_job compare_batch dns_lookup get_batch get_job get_scan'.split(' '),
  ...'internet_info network_interfaces remove_schedule run_nmap run_on_sites run_traceroute speed_test'.split(' '),
  ...'start_scan trigger_scan wol_wake_device'.split(' '),
];
const WRITE = ['join_devices', 'set_device_alias', 'split_device'];

const MACS = ['00:1E:06:00:00:01', '00:1E:06:00:00:02', '00:1E:06:00:00:03'] as const;
const CSV = `devMac,devName,devLastIP,devParentMAC,devPresentLastScan,devFirstConnection
${MACS[0]},switch,10.9.0.1,Internet,1,2026-01-01 00:00:00
${MACS[1]},nas,10.9.0.2,${MACS[0]},1,2026-01-02 00:00:00
${MACS[2]},printer,10.9.0.3,${MACS[0]},0,2026-01-03 00:00:00
`;

test.each([
  [['devices:read'], READ],
  [['devices:write'], WRITE],
  [['nettools:run'], RUN],
  [['admin'], []],
  [['devices:read', 'devices:write', 'nettools:run'], [...READ, ...WRITE, ...RUN].sort()],
] as [Scope[], string[]][])(
  'with the scopes %j, these tools are listed, and none of another scope can be called',
  async (scopes, names) => {
    await using limited = await assistant(await system.createToken({ scopes }));
    expect(await limited.toolNames()).toEqual(names);
    for (const name of [READ[0]!, WRITE[0]!, RUN[0]!].filter((one) => !names.includes(one))) {
      await expect(limited.call(name)).rejects.toThrow(`Unknown tool: ${name}`);
    }
  },
);

describe.each(REVISIONS)('revision %s', (revision) => {
  let one: Assistant;
  let site: string;
  beforeAll(async () => {
    site = await system.addSite(CSV);
    one = await assistant(system.token, { revision });
  });
  afterAll(() => one?.[Symbol.asyncDispose]());

  test('every tool says what it is, and has schemas that the client accepts', async () => {
    const { tools } = await one.client.listTools();
    expect(tools).toHaveLength(READ.length + WRITE.length + RUN.length);
    for (const { title, description, annotations, inputSchema, outputSchema } of tools) {
      expect(title).toMatch(/^[A-Z]/);
      expect(description?.length).toBeGreaterThan(60);
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), openWorldHint: expect.any(Boolean) });
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
    }
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(60_000);
    const { properties } = tools.find(({ name }) => name === 'search_devices')?.inputSchema ?? fail();
    expect(properties).toMatchObject({ query: { type: 'string' }, limit: { maximum: 500, default: 50 }, site: {} });
  });

  test('list_devices, search_devices and get_network_topology answer in pages', async () => {
    for (const [tool, args, list] of [
      ['list_devices', {}, 'devices'],
      ['search_devices', { query: '10.9' }, 'devices'],
      ['get_network_topology', {}, 'links'],
    ] as const) {
      const first = await one.call(tool, { ...args, site, limit: 2 });
      expect(JSON.parse(first.text)).toEqual(first.structured);
      expect(first.structured[list]).toHaveLength(2);
      const second = await one.call(tool, { ...args, site, limit: 2, cursor: first.structured.nextCursor });
      expect(second.structured[list]).toHaveLength(1);
      expect(second.structured.nextCursor).toBeNull();
    }
  });

  test('list_devices filters, sorts and counts, and refuses a cursor of another list', async () => {
    const asked = { site, text: '10.9', type: '', sort: '-ip', limit: 2 };
    const { structured } = await one.call('list_devices', asked);
    expect(structured).toMatchObject({ total: 3, devices: [{ devName: 'printer' }, { devName: 'nas' }] });
    const rest = await one.call('list_devices', { ...asked, cursor: structured.nextCursor });
    expect(rest.structured).toMatchObject({ total: 3, devices: [{ devName: 'switch' }], nextCursor: null });
    const other = await one.call('list_devices', { ...asked, sort: 'ip', cursor: structured.nextCursor });
    expect([other.isError, other.text]).toEqual([true, expect.stringMatching(/validation error: cursor: .*sort=ip/)]);
    // The categories have the names of NetAlertX.
    expect((await one.call('list_devices', { site, status: 'connected' })).structured).toMatchObject({
      devices: [{ devName: 'switch' }, { devName: 'nas' }],
    });
  });

  test('set_device_alias renames a device, and what_changed says so, with the token as actor', async () => {
    const since = new Date().toISOString();
    const { structured } = await one.call('set_device_alias', { mac: '001e.0600.0002', alias: 'disk', site });
    expect(structured).toEqual({ success: true });
    const changed = await one.call('what_changed', { site, since, type: 'renamed' });
    expect(changed.structured).toMatchObject({
      events: [{ type: 'renamed', device: { mac: MACS[1] }, changes: { devName: { to: 'disk' } } }],
      nextCursor: null,
    });
    const { json } = await system.request('GET', `/audit?site=${site}`);
    const { entries } = json as { entries: { action: string; actor: string }[] };
    const [event] = changed.structured.events as { actor: string }[];
    expect(entries.find(({ action }) => action === 'device.edit')?.actor).toBe(event?.actor);
  });

  test('network_interfaces reaches the agent; its job is in the audit like any other', async () => {
    const { structured } = await one.call('network_interfaces');
    expect(structured).toMatchObject({ success: true, interfaces: { lo: { type: 'loopback' } } });
    const job = async () => (await one.call('get_job', { id: structured.job })).structured;
    // The caller has the result a moment before it is stored.
    await expect.poll(job).toMatchObject({ id: structured.job, tool: 'interfaces', state: 'succeeded' });
    const { json } = await system.request('GET', '/audit?site=home&limit=500');
    const { entries } = json as { entries: { id: string; action: string; actor: string }[] };
    expect(entries.find(({ id }) => String(structured.job).endsWith(id))).toMatchObject({
      action: 'tool.interfaces',
      actor: ((await job()) as { actor: string }).actor,
    });
  });

  test('get_open_ports takes the address of a device as well as its MAC', async () => {
    for (const target of ['10.9.0.2', MACS[1]]) {
      const { structured } = await one.call('get_open_ports', { target, site });
      expect(structured).toMatchObject({ mac: MACS[1], ports: [] });
    }
  });

  test('failures are results that say what to do', async () => {
    const failures: [string, Record<string, unknown>, RegExp][] = [
      ['list_devices', { site: 'nowhere' }, /site_forbidden[\s\S]*list_sites/],
      ['list_devices', { cursor: '%%', site }, /Input validation error: cursor: /],
      ['list_devices', { limit: 501 }, /Input validation error: limit: .*500/],
      ['list_devices', { statuz: 'online' }, /no argument statuz[\s\S]*status/],
      ['list_devices', { site, sort: 'age' }, /Input validation error: sort: /],
      ['search_devices', {}, /Input validation error: query: /],
      ['search_devices', { query: { a: 1 } }, /Input validation error: query: /],
      ['what_changed', { since: { a: 1 } }, /Input validation error: since: expected a text/],
      ['what_changed', { since: 'yesterday', site }, /Input validation error: since: expected a time/],
      ['set_device_alias', { mac: 'AA:BB:CC:00:00:09', alias: 'x', site }, /not_found[\s\S]*search_devices/],
      ['set_device_alias', { mac: '../totals', alias: 'x', site }, /expected a MAC address/],
      ['get_job', { id: 'home.01934c1e-5f00-7a11-8a22-0123456789ab' }, /not_found[\s\S]*Job ids/],
      ['run_traceroute', { target: 'router.local' }, /Input validation error: target: /],
      ['run_traceroute', { target: '10.9.0.1', site }, /agent_offline[\s\S]*Sites with a connected agent: home/],
      ['get_open_ports', { target: '10.9.0.99', site }, /No device was seen at 10\.9\.0\.99/],
      ['get_open_ports', { target: '10.9.0.2', site: 'nowhere' }, /site_forbidden/],
      ['trigger_scan', { type: 'ARPSCAN' }, /conflict/],
    ];
    for (const [tool, args, said] of failures) {
      const { isError, text } = await one.call(tool, args);
      expect([tool, isError, text]).toEqual([tool, true, expect.stringMatching(said)]);
    }
  });
});

test.each([
  ['/mcp', '*/*', 200],
  ['/mcp', 'application/*, text/*', 200],
  ['/mcp', 'application/json, text/event-stream', 200],
  ['/mcp', 'text/html, */*;q=0.1', 200],
  ['/mcp', 'application/json', 406],
  ['/mcp', 'text/html', 406],
  ['/mcp/sse', '*/*', 200],
  ['/mcp/sse', 'application/json', 200],
  ['/mcp/sse', 'application/*', 200],
  ['/mcp/sse', 'text/event-stream', 406],
])('%s understands Accept: %s (%i)', async (path, accept, status) => {
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'list_sites', arguments: {} } };
  const headers = { accept, authorization: `Bearer ${system.token}`, 'content-type': 'application/json' };
  const answer = await fetch(system.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, expect.any(String)]);
  if (status !== 200) return;
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  expect(isStream).toBe(accept.includes('text/event-stream'));
  expect(JSON.parse(isStream ? (text.split('data:')[1] ?? '') : text)).toMatchObject({ id: 7, result: {} });
});

test('what NetAlertX has at and below /mcp/sse is there', async () => {
  await using one = await assistant(system.token, { revision: '2025-11-25', path: '/mcp/sse' });
  expect(await one.toolNames()).toContain('wol_wake_device');
  for (const prefix of ['/mcp/sse', '/mcp', '/server/mcp/sse']) {
    const { status } = await system.request('GET', `${prefix}/devices/totals`);
    expect([prefix, status]).toEqual([prefix, 200]);
  }
});

/** With a Host header, which fetch does not send. */
function postAs(headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const accept = 'application/json, text/event-stream';
  const common = { 'content-type': 'application/json', accept, authorization: `Bearer ${system.token}` };
  return new Promise((resolve, reject) => {
    httpRequest(`${system.url}/mcp`, { method: 'POST', headers: { ...common, ...headers } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end(body);
  });
}

test.each([
  [{ host: 'evil.example' }, 403],
  [{ host: 'localhost.evil.example' }, 403],
  [{ origin: 'https://evil.example' }, 403],
  [{ origin: 'null' }, 403],
  [{ host: 'localhost:8787', origin: 'http://localhost:5173' }, 200],
  [{ host: 'lanreach.example' }, 200],
  [{ host: '192.168.1.2:8787' }, 200],
  [{ host: '[fd00::2]:8787' }, 200],
  [{ origin: 'https://dash.example' }, 200],
])('a request with %j is answered with %i', async (headers, status) => {
  expect(await postAs(headers)).toBe(status);
});

test('another method, and a body that is no message, of another type, or too large, is refused', async () => {
  for (const method of ['GET', 'DELETE']) {
    const refused = await system.request(method, '/mcp');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  }
  const post = async (raw: string, type = 'application/json') =>
    (await system.request('POST', '/mcp', { raw, headers: { 'content-type': type } })).status;
  expect(await post('{', 'application/json')).toBeGreaterThanOrEqual(400);
  expect(await post('{}', 'text/plain')).toBe(415);
  expect(await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: 'y'.repeat(70_000) }))).toBe(413);
});
