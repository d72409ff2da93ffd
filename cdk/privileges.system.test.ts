/**
 * What the functions without requests do is within the rights of their roles, and so are the tools of assistants. Requests are
 * judged wherever a test makes one of the API in this process: see `test/support/table-rights.ts`.
 */
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { makeFirstToken } from '../functions/access/first-token.ts';
import { tools } from '../functions/assistants/endpoint.ts';
import { upkeep } from '../functions/groups/upkeep.ts';
import type { Mailer } from '../functions/hooks/mailer.ts';
import { makeSigningSecret } from '../functions/hooks/signature.ts';
import type { HookTask } from '../functions/hooks/tasks.ts';
import { openTurns } from '../functions/hooks/turn.ts';
import type { Batch } from '../functions/monitoring/series/series-store.ts';
import { openIngest } from '../functions/sightings/ingest.ts';
import { openStores } from '../functions/stores.ts';
import { PROTOCOL_VERSION, type Result } from '../shared/agent/messages.ts';
import { packMeasurements, packResult } from '../shared/agent/wire.ts';
import { templates } from '../shared/api/templates.ts';
import { BLANK_DEVICE } from '../shared/device.ts';
import { type AgentId, type SiteId, siteOfAgent } from '../shared/identity.ts';
import { Command, tools as toolDeclarations } from '../shared/tools/list.ts';
import { startReceiver, status } from '../test/hooks/receiver.ts';
import { aroundCalls } from '../test/support/database-calls.ts';
import { endDeletions } from '../test/support/erase-site.ts';
import { macOf } from '../test/support/fixtures.ts';
import { NO_AGENTS, SILENT, sightingsMessage } from '../test/support/ingest-messages.ts';
import { resultOf } from '../test/support/made-up-result.ts';
import { openMemoryTable } from '../test/support/memory-table.ts';
import { SIGN_IN, signedIn } from '../test/support/signed-in.ts';
import { storeAgent } from '../test/support/stored-site.ts';
import { actingAs, asFunction, callsOfTransaction, judgedTable } from '../test/support/table-rights.ts';
import { testApi } from '../test/support/test-api.ts';

const mail: Mailer = { from: 'lan@example.org', send: async () => ({ isDelivered: true, status: 250 }) };
const release = { version: '0.9.0', protocol: PROTOCOL_VERSION, node: '20.19.0', files: [] };
const releases = { current: async () => release, open: async () => null };
const api = testApi({ privateHooks: true, updateSettlesMs: 0, signIn: SIGN_IN, mail, releases });

const DAY_MS = 86_400_000;
const BY = { actor: '0123456789abcdef', cause: 'delete' } as const;
const message = (value: object) => Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, ...value }));

/** A registry that hands nothing out. */
const registry = () => ({
  ...api.context.registry,
  ...{ publish: async () => {}, retire: async () => {}, suspend: async () => {}, revokeAll: async () => {} },
});
const ingestOf = (more: object = {}) =>
  actingAs('ingest', openIngest({ ...api.context, agents: NO_AGENTS, registry: registry(), ...more }, SILENT));
const hourly = (isTime = () => false) =>
  asFunction('worker', () => upkeep({ ...api.context, registry: registry() }, SILENT, isTime));

/** @returns what was answered to a request that must succeed */
async function ask(method: string, path: string, body?: object, site?: SiteId): Promise<ReturnType<typeof JSON.parse>> {
  const { status, text, json } = await api.request(method, path, { body, site });
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return json;
}

const putDevices = (site: SiteId, ...devices: Partial<typeof BLANK_DEVICE>[]) =>
  api.context.devices.change(site, BY, () => ({
    put: devices.map((one) => ({ key: one.devMac ?? '', record: { ...BLANK_DEVICE, ...one } })),
    remove: [],
  }));

test('ingest: presence, connections, sightings, results and measurements', async () => {
  const { context } = api;
  const site = await api.addSite();
  const agent = await storeAgent(context, site, 'attic');
  await context.sites.change(site, ({ discovery }) => ({ discovery: { ...discovery, enabled: true } }));
  const enrolled = (await context.certificates.find(agent)) ?? expect.fail('no certificate');
  const renewed = { ...enrolled, next: { certificateId: 'next', key: 'k' } };
  expect(await context.certificates.replace(agent, enrolled, renewed)).toBe(true);
  const retired: string[] = [];
  const ingest = ingestOf({ registry: { retire: async (_: string, id: string) => void retired.push(id) } });
  const now = Date.now();
  await ingest.presence(agent, message({ t: 'presence', state: 'online', session: now, version: '1', programs: {} }));
  await ingest.presence(agent, message({ t: 'presence', state: 'offline', session: now }));
  for (const [i, eventType] of ['connected', 'disconnected', 'connected', 'disconnected'].entries()) {
    const about = { clientId: `local:${agent}`, principalIdentifier: 'next', timestamp: now, versionNumber: i + 1 };
    await ingest.connection(agent, Buffer.from(JSON.stringify({ ...about, eventType })));
  }
  expect(retired).toEqual([agent]);
  const seen = { mac: 'AA:BB:CC:00:00:01', since: now, seenAt: now, ip: '192.168.1.20' };
  for (const [k, online] of [true, false, true].entries()) {
    // Three that go at once are an outage, and its end when they come again.
    const sightings = [1, 2, 3].map((i) => ({ ...seen, mac: `AA:BB:CC:00:00:0${i}`, n: 3 * k + i, online }));
    await ingest.sightings(agent, sightingsMessage({ epoch: now, n: 3 * k + 3, sightings }));
  }
  const { entries } = await context.devices.finalChanges(site, 0, 1_000);
  expect(entries.flatMap(({ occurrences = [] }) => occurrences.map(({ type }) => type))).toEqual(
    expect.arrayContaining(['site-dark', 'outage', 'outage-over']),
  );
  expect((await context.sites.find(site))?.staleSince).not.toBeNull();

  const jobOf = async (command: Command) => {
    const id = `${site}.${uuidv7()}`;
    await context.jobs.create({ id, agent, command, actor: 'test', sourceAddress: null });
    return id;
  };
  const take = (id: string, result: Partial<Result>) => {
    const times = { startedAt: now, endedAt: Date.now() };
    return ingest.result(agent, packResult(resultOf(id, { ...times, ...result })) ?? expect.fail('too large'));
  };
  const large = await jobOf({ tool: 'interfaces' });
  // The second finds that the job has ended.
  for (let i = 0; i < 2; i++) await take(large, { output: randomBytes(64_000).toString('base64') });
  expect((await context.jobs.find(large))?.state).toBe('succeeded');
  const speed = { server: 'x', pingMs: 1, downloadMbps: 2, uploadMbps: 3 };
  await take(await jobOf({ tool: 'speedtest' }), { result: speed });
  const nas = { address: seen.ip, mac: seen.mac, vendor: null, names: [], state: 'up', timedOut: false, os: null };
  const ssh = { port: 22, protocol: 'tcp', state: 'open', service: 'ssh', product: null, version: null };
  for (const ports of [[], [ssh]]) {
    const found = { hosts: [{ ...nas, ports }], hostsUp: 1, hostsTotal: 1, triedTcpPorts: '22' };
    await take(await jobOf(Command.parse({ tool: 'nmap', target: seen.ip, mode: 'fast' })), { result: found });
  }
  const { history } = (await context.ports.find({ site, device: seen.mac })) ?? expect.fail('no ports');
  expect([history.scans.length, history.changes.length]).toEqual([1, 1]);
  // The first batch, of which the one before is not known, and of a later day.
  const hour = 3_600_000 * Math.floor(now / 3_600_000);
  for (const [from, before] of [
    [hour - DAY_MS, null],
    [hour, hour - DAY_MS],
    [hour, null],
  ] as const) {
    const points = { from, before, checks: [['8a11c0ffee42', [[0, 1, 1, 0, null]]]] } as Batch;
    await ingest.measurements(agent, packMeasurements({ n: from, changes: [], points }));
  }
  const days = { since: (hour - DAY_MS) / 1000, until: hour / 1000 + 1 };
  expect(await context.series.read({ agent, check: '8a11c0ffee42', resolution: '5m', ...days })).toHaveLength(2);
});

test('checks: what the upkeep does of what a request or a change of a device has left', async () => {
  const { context } = api;
  const devMac = 'AA:BB:CC:00:00:07';
  const site = await api.addSite(`devName,devMac,devLastIP\nnas,${devMac},192.168.1.20\n`);
  const agent = await storeAgent(context, site, 'attic');
  const { id: check } = await ask('POST', '/checks', { kind: 'ping', device: devMac }, site);
  const ingest = ingestOf();
  const session = Date.now();
  await ingest.presence(agent, message({ t: 'presence', state: 'online', session, version: '1', programs: {} }));
  const down = { t: 'check', check, at: session, ok: false, reason: 'no answer' } as const;
  await ingest.measurements(agent, packMeasurements({ n: 1, changes: [down], points: null }));
  const isDown = async () => check in (await context.siteStates.read(site)).state.downSince;
  expect(await isDown()).toBe(true);
  await putDevices(site, { devMac, devLastIP: '192.168.1.21' });
  await context.checks.change(site, check, (before) => ({ ...before, enabled: false }));
  await hourly();
  expect(await isDown()).toBe(false);
});

test('updates: an agent that gets the release and fails, another one, and the reaction of an administrator', async () => {
  const { context } = api;
  const site = await api.addSite();
  await context.sites.change(site, () => ({ updates: { mode: 'auto', window: null } }));
  const session = Date.now();
  const says = (agent: AgentId, last: object | null) => {
    const presence = { t: 'presence', state: 'online', session, version: '0.8.0', update: { able: true, last } };
    return ingestOf().presence(agent, message(presence));
  };
  for (const name of ['attic', 'barn']) await says(await storeAgent(context, site, name), null);
  const rollOut = async () => (await context.rollOuts.read({ consistent: true })).rollOut;
  const underWay = async () => Object.keys((await rollOut())?.underWay ?? {});
  await hourly();
  const [agent = ''] = await underWay();
  await says(agent, { version: '0.9.0', state: 'failed', reason: 'it died', at: session });
  expect(await rollOut()).toMatchObject({ state: 'stopped', failures: [{ agent, reason: 'it died' }] });
  await ask('PATCH', '/updates', { version: '0.9.0', state: 'going' });
  await hourly();
  expect(await underWay()).toHaveLength(1);
  await ask('PATCH', '/updates', { version: '0.9.0', state: 'given-up' });
  for (const path of ['/search?q=nas', '/search?q=:22']) await ask('GET', path);
  expect(JSON.stringify(await ask('GET', '/overview'))).toContain('"updateAvailable":"0.9.0"');
});

test('templates: what a request leaves to the upkeep', async () => {
  const { context } = api;
  const parts = (minute: number, ...hooks: string[]) => ({
    tags: ['alike'],
    settings: { timeZone: 'Europe/Berlin', discovery: { enabled: minute > 2 } },
    schedules: [{ name: 'links', tool: 'interfaces', cron: `${minute} 2 * * *` }],
    checks: [{ label: 'router', kind: 'ping', host: '192.168.1.1', everySeconds: 60 * (minute + 1) }],
    hooks: hooks.map((name) => ({ name, url: 'https://hooks.example.org/x', events: ['new'] })),
  });
  await ask('POST', '/sites', { id: 'alike', tags: ['alike'] });
  await ask('PUT', '/templates/all', parts(2, 'team'));
  const stored = async () => (await context.templates.find('all')) ?? expect.fail('no template');
  // Rows as a request has left them that has ended before it came to the sites.
  const changed = templates.putTemplate.body.parse(parts(3, 'team', 'more'));
  const before = await stored();
  const hooks = changed.hooks.map((one) => ({ ...one, secret: before.hooks[0]?.secret }));
  await context.templates.put({ ...before, ...changed, hooks, revision: before.revision + 1 }, before);
  await hourly();
  expect((await context.checks.list('alike')).checks).toMatchObject([{ everySeconds: 240 }]);
  await context.templates.remove(await stored());
  await hourly();
  expect((await context.checks.list('alike')).checks).toEqual([]);
});

test('hooks: the turns of the worker', async () => {
  await using receiver = await startReceiver();
  const { context } = api;
  const site = await api.addSite();
  const as = (method: string, path: string, body?: object) => ask(method, path, body, site);
  const { id } = await as('POST', '/hooks', { url: receiver.url, events: ['new', 'online', 'deleted'] });
  const [first, second] = ['AA:BB:CC:00:01:01', 'AA:BB:CC:00:01:02'];
  await putDevices(site, { devMac: first });
  await putDevices(site, { devMac: first, devPresentLastScan: 1 }); // An event that does not say the name of its device.
  await putDevices(site, ...Array.from({ length: 40 }, (_, i) => ({ devMac: macOf(i) })));
  const sent: HookTask[] = [];
  const queue = { send: async (task: HookTask) => void sent.push(task) };
  const settings = { allowPrivate: true, resolve: async () => [], mail };
  const take = (task: HookTask, after = 0) => {
    const now = () => new Date(Date.now() + after);
    return asFunction('worker', () => openTurns({ ...context, queue, settings, now, log: SILENT })(task));
  };
  const turn = async () => {
    await take({ site });
    for (const task of sent.splice(0)) await take(task);
  };
  receiver.answer = (response, request) => status(request.body.includes('"new"') ? 200 : 500)(response, request);
  await turn();
  const { deliveries } = await as('GET', `/hooks/${id}/deliveries`);
  expect(deliveries).toMatchObject([{ state: 'pending' }, { state: 'delivered' }]);
  receiver.answer = status(410);
  await as('PATCH', `/hooks/${id}`, { enabled: true }); // So that the next attempt need not wait.
  await turn();
  receiver.answer = status(200);
  // Quiet hours are by the clock of the site, and of chosen devices more is read.
  const quiet = { from: '00:00', to: '23:59' };
  await as('PATCH', `/hooks/${id}`, { enabled: true, quiet, only: { groups: ['x'] } });
  await putDevices(site, { devMac: second, devPresentLastScan: 1 });
  await turn();
  await take({ site, hook: id }, 25 * 3_600_000);
  // A report reads what happened, and what was measured.
  const report = { every: 'week', at: '07:00', language: 'en' };
  const byMail = { url: 'mailto:me@example.org', format: 'email', events: [], report };
  const { id: mailed } = await as('POST', '/hooks', byMail);
  await take({ site, hook: mailed }, 8 * DAY_MS);
  const reported = await as('GET', `/hooks/${mailed}/deliveries`);
  expect(reported).toMatchObject({ deliveries: [{ event: 'report', state: 'delivered' }] });
});

test('upkeep, with one site that is deleted, and another one that was deleted a week ago', async () => {
  const { context } = api;
  await ask('POST', '/sites', { id: 'left' });
  for (const sites of [['left'], ['home', 'left']]) {
    await ask('POST', '/tokens', { name: 'x', scopes: ['devices:read'], sites });
  }
  const { id: person } = await signedIn(api, 'ada', [{ role: 'admin', sites: ['left'] }]);
  const agent = await storeAgent(context, 'left', 'attic');
  const started = { command: { tool: 'interfaces' }, actor: 'test', sourceAddress: null } as const;
  await context.jobs.create({ id: `left.${uuidv7()}`, agent, ...started });
  await putDevices('left', { devMac: 'AA:BB:CC:00:00:01' });
  const weekAgo = openStores(context.table, () => new Date(Date.now() - 8 * DAY_MS));
  await weekAgo.deletions.delete('left', 'x');
  await ask('POST', '/sites', { id: 'young' });
  await ask('DELETE', '/sites/young?confirm=young');
  const from = new Date(Date.now() - 3 * DAY_MS).toISOString();
  await context.hooks.add('home', '0123456789ab', {
    ...{ url: 'https://hooks.example.org/x', format: 'json', events: [], secret: makeSigningSecret(), enabled: true },
    skipRandomMacs: false,
    ...{ digest: { at: { every: 'day', at: '08:00' }, from }, createdAt: from, createdBy: '0123456789abcdef', from: 0 },
  });
  // An agent of another site without an event of the broker.
  await ask('POST', '/sites', { id: 'silent' });
  const lost = await storeAgent(context, 'silent', 'attic');
  await context.sites.recordPresence(lost, { v: PROTOCOL_VERSION, t: 'presence', state: 'offline', session: 1 });
  const batch = { from: 300_000 * Math.floor(Date.now() / 300_000 - 2 * 288), before: null };
  const measuring = await storeAgent(context, 'home', 'attic');
  await context.series.record(measuring, { ...batch, checks: [['8a11c0ffee42', [[0, 1, 1, 0, null]]]] });
  // It notes where it has stopped, wherever that is.
  for (const most of [4, 8, 12]) {
    let begun = 0;
    await hourly(() => ++begun > most);
  }
  await hourly();
  expect((await context.deletions.list()).map(({ deletion }) => deletion.site)).toEqual(['young']);
  await endDeletions({ ...context, registry: registry() });
  expect((await context.people.find(person))?.grants).toEqual([]);
  expect((await context.siteStates.read('silent')).state.darkSince).not.toBeNull();
});

test('devices, after a function was stopped in the middle of a change', async () => {
  const site = await api.addSite('devName,devMac\nPC,AA:BB:CC:00:00:01');
  const stopped = openStores({ ...api.context.table }, () => new Date());
  let begun = false;
  aroundCalls(stopped.table, ({ method }, pass) => {
    if (begun) throw new Error('the function was stopped');
    begun = method === 'put';
    return pass();
  });
  const removeAll = ({ devices }: typeof stopped) =>
    asFunction('data', () =>
      devices.change(site, BY, (found) => ({ put: [], remove: found.devices.map(({ key }) => key) })),
    );
  await expect(removeAll(stopped)).rejects.toThrow('the function was stopped');
  const later = openStores(api.context.table, () => new Date(Date.now() + 60_000));
  await removeAll(later);
  expect((await later.devices.snapshot(site)).size).toBe(0);
});

test('a command of which nothing is heard any more is found to be lost, by who asks for it and in the audit', async () => {
  const { context } = api;
  const agent = await storeAgent(context, await api.addSite(), 'attic');
  const site = siteOfAgent(agent);
  const jobs = [uuidv7(), uuidv7()].map((id) => `${site}.${id}`);
  const started = { agent, command: { tool: 'interfaces' }, actor: 'test', sourceAddress: null } as const;
  for (const id of jobs) await context.jobs.create({ id, ...started });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS });
  try {
    expect(await ask('GET', `/jobs/${jobs[0]}`)).toMatchObject({ state: 'lost' });
    const { entries } = await ask('GET', `/audit?site=${site}`);
    const outcomes = entries.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes.filter((one: string) => one === 'lost: lease_expired')).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('the tools of assistants, which are all in the function of commands', async () => {
  const [mac, other] = ['AA:BB:CC:00:00:01', 'AA:BB:CC:00:00:02'];
  const site = await api.addSite(`devName,devMac\nPC,${mac}\nTV,${other}\n`);
  const agent = await storeAgent(api.context, site, 'attic');
  const id = `${site}.${uuidv7()}`;
  const command = { tool: 'interfaces' } as const;
  await api.context.jobs.create({ id, agent, command, actor: 'test', sourceAddress: null });
  const { id: batch } = await ask('POST', '/batches', { tool: 'interfaces', sites: [site] });
  const called: [string, object][] = [
    ...['list_sites', 'list_devices', 'get_latest_device', 'get_network_topology', 'propose_topology'],
    ...['find_same_devices', 'what_changed', 'changes_since', 'list_checks', 'site_matrix', 'list_schedules'],
  ].map((name): [string, object] => [name, {}]);
  called.push(
    ['search_devices', { query: 'pc' }],
    ['find_devices', { q: 'nas' }],
    ['join_devices', { mac, macs: [other] }],
    ['split_device', { mac }],
    ['explain_device', { target: mac }],
    ['set_device_alias', { mac, alias: 'shelf' }],
    ['get_job', { id }],
    ['get_open_ports', { target: mac }],
    ['get_series', { of: 'speed' }],
    ['add_check', { kind: 'ping', host: '192.168.1.1' }],
    ['add_schedule', { name: 'nightly', tool: 'interfaces', cron: '0 2 * * *' }],
    ['run_on_sites', { tool: 'interfaces', sites: [site] }],
    ['get_batch', { id: batch }],
    ['compare_batch', { id: batch }],
    ['cancel_batch', { id: batch }],
    // Of what is not there, and without an agent that is connected.
    ['remove_schedule', { schedule: '0123456789ab' }],
    ['start_scan', { range: '10.0.0.0/16' }],
    ['get_scan', { scan: '0123456789ab' }],
  );
  const headers = { accept: 'application/json, text/event-stream' };
  for (const [name, given] of called) {
    const ofAll = /job$|batch$|^run_on_sites$|^list_sites$|^find_devices$|matrix$/.test(name);
    const params = { name, arguments: { ...given, ...(ofAll ? {} : { site }) } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { text } = await api.request('POST', '/mcp', { body, headers });
    if (!/^remove_schedule$|_scan$|^cancel_batch$/.test(name)) expect(text, name).not.toContain('isError');
  }
  // What a start does that fails.
  await asFunction('commands', () => api.context.jobs.releaseKey('test', 'key', id));
  await asFunction('commands', () => api.context.runs.remove(site, id));
  // An agent has to answer these.
  const commands = Object.values(toolDeclarations).flatMap((tool) => ('mcp' in tool ? tool.mcp.name : []));
  expect([...tools.keys()].sort()).toEqual(
    [...called.map(([name]) => name), 'cancel_job', 'trigger_scan', ...commands].sort(),
  );
});

test('what a role does not allow is refused, also where the caller would go on', async () => {
  const denied: string[] = [];
  const table = judgedTable(openMemoryTable(), (call) => denied.push(call));
  const device = { pk: 'S#home', sk: 'D#~x', d: '{}' };
  const text = 'console may not PutItem S#home with pk,sk,d';
  expect(() => asFunction('console', () => table.put(device))).toThrow(text);
  await expect(
    asFunction('worker', () => table.bulk([{ remove: device }, { put: { ...device, x: 1 } }])),
  ).rejects.toThrow();
  expect(() => asFunction('ingest', () => table.get({ pk: 'T#a', sk: 'T' }))).toThrow(
    'ingest may not GetItem T#a with *',
  );
  expect(denied).toHaveLength(3);
  expect(await table.put(device)).toBe(true);
});

test('a transaction is judged item by item, and as a whole', () => {
  const put = (pk: string) => ({ put: { pk, sk: 'x', d: '{}' } });
  const judged = callsOfTransaction([put('T#a'), put('TOKENS'), { remove: { pk: 'SETUP', sk: 'x' } }]);
  expect(judged.map(({ action, keys }) => `${action} ${keys}`)).toEqual([
    ...['PutItem T#a', 'PutItem TOKENS', 'DeleteItem SETUP'],
    ...['PutItem T#a,TOKENS', 'DeleteItem SETUP'],
  ]);
});

test('the first token of a deployment: made, not made again, replaced, and made after it was revoked', async () => {
  const denied: string[] = [];
  const stores = openStores(
    judgedTable(openMemoryTable(), (call) => denied.push(call)),
    () => new Date(),
  );
  const make = (replace: boolean) =>
    asFunction('access', () => makeFirstToken({ ...stores, now: () => new Date() }, { replace }, 'request'));
  const made: boolean[] = [];
  for (const replace of [false, false, true]) made.push((await make(replace)).success);
  expect(made).toEqual([true, false, true]);
  for (const { id } of await stores.tokens.list()) await stores.tokens.revoke(id);
  expect(await make(true)).toMatchObject({ success: true, revoked: null });
  expect(denied).toEqual([]);
});
