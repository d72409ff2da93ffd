/** Every call that the functions make of the table is one that their roles allow. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootTokenRow } from '../functions/access/first-access.ts';
import { makeFirstToken } from '../functions/access/first-token.ts';
import type { RoleRule } from '../functions/access/people/settings.ts';
import { openTokenWatch } from '../functions/access/token-watch.ts';
import { advisorFor } from '../functions/assistants/advisor.ts';
import { tools } from '../functions/assistants/endpoint.ts';
import type { AgentDispatcher } from '../functions/commands/agent-dispatcher.ts';
import { takeTurn } from '../functions/commands/runs/turn.ts';
import { planWake } from '../functions/commands/wake.ts';
import type { Context } from '../functions/context.ts';
import { followEvents } from '../functions/devices/event-handlers.ts';
import { background } from '../functions/groups/background.ts';
import { groups } from '../functions/groups/list.ts';
import { upkeep } from '../functions/groups/upkeep.ts';
import type { Mailer } from '../functions/hooks/mailer.ts';
import { makeSigningSecret } from '../functions/hooks/signature.ts';
import type { HookTask } from '../functions/hooks/tasks.ts';
import { openTurns } from '../functions/hooks/turn.ts';
import type { Routes } from '../functions/http/call.ts';
import { ALL_SITES, reachOf } from '../functions/http/reach.ts';
import { service } from '../functions/http/service.ts';
import { makeToken, tokenId } from '../functions/http/token.ts';
import { openWaitSlots } from '../functions/http/wait-slots.ts';
import type { Batch } from '../functions/monitoring/series/series-store.ts';
import { openIngest } from '../functions/sightings/ingest.ts';
import type { AgentRegistry } from '../functions/sites/agents/agent-registry.ts';
import { openStores } from '../functions/stores.ts';
import { dynamoDbClient } from '../functions/table/dynamodb.ts';
import { rows } from '../functions/table/rows.ts';
import { localAgentRegistry, openCertificateAuthority } from '../local/certificate-authority.ts';
import { PROTOCOL_VERSION, type Result } from '../shared/agent/messages.ts';
import { packMeasurements, packResult } from '../shared/agent/wire.ts';
import { templates } from '../shared/api/templates.ts';
import { BLANK_DEVICE } from '../shared/device.ts';
import { type AgentId, jobOfBatch } from '../shared/identity.ts';
import type { Log } from '../shared/log.ts';
import type { Mac } from '../shared/network.ts';
import { Command, tools as toolDeclarations } from '../shared/tools/list.ts';
import { makeAgentKey } from '../test/agent-key.ts';
import type { RequestOptions } from '../test/api-client.ts';
import { isAllowed, type Request, type Statement } from '../test/cdk/policy.ts';
import { recordCalls } from '../test/cdk/table-calls.ts';
import { startReceiver, status } from '../test/hooks/receiver.ts';
import { aroundCalls } from '../test/support/database-calls.ts';
import { endDeletions } from '../test/support/erase-site.ts';
import { startHostileProvider } from '../test/support/hostile-provider.ts';
import { newVerifier, SIGN_IN, signedIn } from '../test/support/signed-in.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { type EmulatedTable, emulatedTable } from '../test/test-table.ts';
import { privileges } from './privileges.ts';

const FUNCTIONS = { ...groups, ...background };

const TABLE = 'arn:aws:dynamodb:eu-central-1:123456789012:table/test';
const AGENT = 'home:attic';
const JOB = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';
const token = makeToken();
const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
const policyOf = privileges({
  stage: 'prod',
  tableArn: TABLE,
  agentPolicyArn: 'arn:policy',
  taskQueueArn: 'arn:tasks',
  releasesArn: 'arn:releases',
  signInSecretArn: 'arn:secret',
  mailSecretArn: 'arn:mail-secret',
});

let table: EmulatedTable;
beforeAll(async () => {
  table = await emulatedTable();
  const { context } = open();
  await context.tokens.add(tokenId(token)!, rootTokenRow(token, 'test', new Date()));
});
afterAll(() => table[Symbol.asyncDispose]());

interface Opened {
  context: Context & { openApiFile: string; consoleFolder: string };
  calls: Request[];
}

/** What a function would open, with its calls recorded. */
function open(now = () => new Date(), registry?: AgentRegistry, among = table): Opened {
  const dynamoDb = dynamoDbClient(among.settings);
  const calls = recordCalls(dynamoDb, TABLE);
  const stores = openStores(among.open(dynamoDb), now);
  const unused = async () => {
    throw new Error('not a part of this test');
  };
  const agents: AgentDispatcher = {
    ...{ start: unused, follow: unheard, confirmStored: async () => {} },
    ...{ control: async () => {}, ping: unused, close: async () => {} },
  };
  const noRegistry: AgentRegistry = {
    ...{ enrol: unused, isActive: unused, retire: unused, revoke: unused },
    ...{ revokeAll: unused, suspend: unused, resume: unused, publish: unused },
  };
  const settings = { version: 'test', corsOrigins: [] };
  const tokenWatch = openTokenWatch(stores.tokens, silent);
  const waitSlots = openWaitSlots({ call: 1, stream: 0 });
  const queue = { send: async () => {} };
  const queues = { runQueue: queue, hookQueue: queue };
  const rest = { agents, ...queues, waitSlots, registry: registry ?? noRegistry, tokenWatch, log: silent };
  const files = { openApiFile: '', consoleFolder: '' };
  return { context: { ...stores, ...rest, now, settings, ...files }, calls };
}

const unheard = () => {
  throw new Error('not a part of this test');
};

/** A registry that only publishes. */
const PUBLISHING = { publish: async () => {} } as unknown as AgentRegistry;

const enrol = ({ sites }: Pick<Context, 'sites'>, agent: AgentId, certificateId = 'c', replaces = false) =>
  sites.recordEnrolment({ agent, replaces, madeAt: new Date() }, { certificateId, key: 'k' });

function client(context: Opened['context'], group: keyof typeof groups) {
  const routes: Routes<Opened['context']>[] = Object.values(groups[group].routes);
  const app = service(context, ...routes);
  return async (method: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      // As every assistant sends it. Other groups would take it for the wish for a stream.
      ...(path === '/mcp' ? { host: 'localhost', accept: 'application/json, text/event-stream' } : {}),
    };
    const response = await app.request(path, { method, headers, ...init });
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return isJson ? JSON.parse(text) : text;
  };
}

async function read(request: ReturnType<typeof client>, ...paths: string[]): Promise<void> {
  for (const path of paths) await request('GET', path);
}

/** The calls that the role does not allow, as a person would write them. */
function denied(name: keyof typeof FUNCTIONS, calls: readonly Request[]): string[] {
  const statements = policyOf(FUNCTIONS[name].rights).statements.map(
    (statement) => statement.toStatementJson() as Statement,
  );
  expect(calls.length).toBeGreaterThan(0);
  return calls
    .filter((call) => !isAllowed(statements, call))
    .map(({ action, context }) => `${action} ${context?.['dynamodb:LeadingKeys']} ${context?.['dynamodb:Attributes']}`);
}

const BY = { actor: '0123456789abcdef', cause: 'delete' } as const;

test('admin', async () => {
  await using folder = makeTestFolder();
  const ours = localAgentRegistry(await openCertificateAuthority(folder.path, []), 'prod', {
    url: 'b',
    disconnect() {},
    async publish() {},
  });
  let issued = 0;
  const registry: AgentRegistry = {
    ...ours,
    async enrol(...args) {
      if (++issued === 2) throw new Error('not this time');
      return ours.enrol(...args);
    },
  };
  const { context, calls } = open(undefined, registry);
  const request = client(context, 'access');
  await request('POST', '/sites', { id: 'home' });
  await request('GET', '/sites');
  const made = await request('POST', '/tokens', { name: 'x', scopes: ['devices:read'], sites: ['home'] });
  await read(request, '/tokens', '/tokens/self');
  await request('DELETE', `/tokens/${made.id}`);
  const ada = await session();
  await service(context, groups.access.routes.admin).request('/tokens/self', {
    method: 'DELETE',
    headers: { authorization: `Bearer ${ada.token}` },
  });
  await session();
  await read(request, '/people', '/people/self');
  await request('PATCH', `/people/${ada.id}`, { grants: [{ role: 'viewer', sites: ['home'] }] });
  expect(await request('DELETE', `/people/${ada.id}`)).toMatchObject({ revoked: 1 });
  const [present, further] = [await makeAgentKey(), await makeAgentKey()];
  const { csr } = present;
  for (let i = 0; i < 3; i++) {
    const { code } = await request('POST', '/sites/home/agents', { name: 'attic', replace: true });
    const enrolment = service(context, groups.access.routes.admin).request('/enrol', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, csr }),
    });
    expect((await enrolment).status).toBe(i === 1 ? 500 : 201);
  }
  // Twice each: the second finds what the first has left.
  for (let i = 0; i < 2; i++) await request('POST', '/enrol/renew', present.renewal(AGENT, further.csr));
  await read(request, '/sites/home/agents', '/sites/home/agents/attic');
  const job = await enqueue('home.01934c1e-5f00-7a11-8a22-0123456789ad');
  await request('DELETE', '/sites/home/agents/attic');
  expect((await open().context.jobs.find(job))?.reason).toBe('agent_revoked');
  await read(request, '/audit', '/audit/export', '/sites/home');
  await request('PATCH', '/sites/home', { discovery: { enabled: true } });
  await request('POST', '/tokens', { name: 'y', scopes: ['devices:read'], sites: ['home'] });
  await request('POST', '/sites', { id: 'other' });
  await request('POST', '/tokens', { name: 'z', scopes: ['devices:read'], sites: ['home', 'other'] });
  const { code } = await request('POST', '/sites/home/agents', { name: 'cellar' });
  await request('POST', '/enrol', { code, csr });
  const several = await request('POST', '/sites/home/agents', { uses: 2 });
  for (let i = 0; i < 2; i++) await request('POST', '/enrol', { code: several.code, csr, name: 'shop-1' });
  await request('GET', '/enrolment-codes');
  await request('DELETE', `/enrolment-codes/${several.id}`);
  await request('DELETE', '/sites/home?confirm=home');
  await request('GET', '/sites?deleted=true');
  await request('POST', '/sites/home/restore');
  await request('DELETE', '/sites/home?confirm=home');
  await endDeletions(open(undefined, registry).context);
  await request('POST', '/sites', { id: 'home' }); // On what the removal has left.
  expect(Object.keys(groups.access.routes.admin.operations)).toHaveLength(22); // A new one belongs into the list above.
  expect(denied('access', calls)).toEqual([]);
});

test('admin, for clients that get tokens by the consent of a person, and give them back', async () => {
  const { context, calls } = open();
  const request = client(context, 'access');
  const clients = service(context, groups.access.routes.oauthClients);
  const posted = async (path: string, fields: Record<string, string>) => {
    const answer = await clients.request(path, { method: 'POST', body: new URLSearchParams(fields) });
    return (await answer.json()) as Record<string, string>;
  };
  const redirect_uri = 'http://127.0.0.1:49152/callback';
  const { client_id } = await request('POST', '/oauth/register', { client_name: 'x', redirect_uris: [redirect_uri] });
  const { verifier, challenge } = newVerifier();
  const began = async () => {
    const wanted = { client_id, redirect_uri, response_type: 'code', resource: 'http://localhost' };
    const query = new URLSearchParams({ ...wanted, code_challenge: challenge, code_challenge_method: 'S256' });
    return (await clients.request(`/oauth/authorize?${query}`)).headers.get('location')?.slice(-32);
  };
  const id = await began();
  await request('GET', `/oauth/requests/${id}`);
  await request('POST', `/oauth/requests/${await began()}/deny`);
  const body = { scopes: ['devices:read'], sites: ['home'] };
  const { redirectTo } = await request('POST', `/oauth/requests/${id}/approve`, body);
  const code = new URL(redirectTo).searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id, redirect_uri, code_verifier: verifier };
  const { access_token: given = '' } = await posted('/oauth/token', { ...grant, code });
  await request('POST', `/tokens/${tokenId(given)}/rotate`, { overlapHours: 1 });
  await posted('/oauth/revoke', { token: given });
  expect(await context.tokens.find(tokenId(given)!)).toBeNull();
  expect(denied('access', calls)).toEqual([]);
});

test('admin, with a command in the audit of which nothing is heard any more', async () => {
  await enqueue('home.01934c1e-5f00-7a11-8a22-0123456789ae');
  const { context, calls } = open(() => new Date(Date.now() + 86_400_000));
  const { entries } = await client(context, 'access')('GET', '/audit?site=home');
  expect(entries.map(({ outcome }: { outcome: string }) => outcome)).toContain('lost: lease_expired');
  expect(denied('access', calls)).toEqual([]);
});

/** Of a person who signs in, in another process. */
async function session(): Promise<{ id: string; token: string }> {
  const { context } = open();
  Object.assign(context.settings, { signIn: SIGN_IN });
  const post = client(context, 'access');
  const request = async (method: string, path: string, { body }: RequestOptions) => ({
    json: await post(method, path, body as object),
  });
  return signedIn({ context, request }, 'ada', [{ role: 'admin', sites: '*' }]);
}

test('sign-in, of a person with a role, and of one without', async () => {
  await using provider = await startHostileProvider();
  const { verifier, challenge } = newVerifier();
  /** @returns the final query of the console */
  async function comeBack({ context }: Opened, rules: RoleRule[]): Promise<URLSearchParams> {
    Object.assign(context.settings, { signIn: { ...SIGN_IN, issuer: provider.issuer, rules } });
    const pages = service(context, groups.access.routes.signInPages);
    const begun = await pages.request(`/sign-in/start?challenge=${challenge}`);
    const back = await pages.request(`/sign-in/callback?${provider.visit(begun.headers.get('location') ?? '')}`);
    return new URLSearchParams(back.headers.get('location')?.split('?')[1]);
  }

  const known = open();
  const code = (await comeBack(known, [{ claim: 'sub', value: '*', role: 'viewer', sites: '*' }])).get('code');
  await client(known.context, 'access')('POST', '/sign-in/session', { code, verifier });
  await client(known.context, 'access')('GET', '/sign-in');
  expect(denied('access', known.calls)).toEqual([]);

  provider.lies = { claims: { sub: 'stranger' } };
  const stranger = open();
  expect((await comeBack(stranger, [])).get('error')).toBe('no-role');
  expect(denied('access', stranger.calls)).toEqual([]);
});

/** A command that was handed to the agent, written down by another function. */
async function enqueue(id: string): Promise<string> {
  const job = { id, agent: AGENT, actor: 'test', sourceAddress: null } as const;
  await open().context.jobs.create({ ...job, command: { tool: 'interfaces' } });
  return id;
}

test('upkeep, with one site that is deleted, and another one that was deleted a week ago', async () => {
  const unhurried: AgentRegistry = { ...open().context.registry, revokeAll: async () => {}, suspend: async () => {} };
  const { context } = open(undefined, unhurried);
  const request = client(context, 'access');
  await request('POST', '/sites', { id: 'left' });
  await request('POST', '/tokens', { name: 'x', scopes: ['devices:read'], sites: ['left'] });
  await request('POST', '/tokens', { name: 'y', scopes: ['devices:read'], sites: ['home', 'left'] });
  const at = new Date().toISOString();
  const who = { issuer: 'https://login.example.org', subject: 'x', name: 'x', email: null, isDisabled: false };
  await context.people.change('0123456789abcdef', (before) => ({
    ...(before ?? { id: '0123456789abcdef', ...who, grantsBy: 'hand', createdAt: at, lastSignInAt: at }),
    grants: [{ role: 'admin', sites: ['left'] }],
  }));
  const agent = 'left:attic';
  await enrol(context, agent);
  const command = { tool: 'interfaces' } as const;
  const id = 'left.01934c1e-5f00-7a11-8a22-0123456789ad';
  await context.jobs.create({ id, agent, command, actor: 'test', sourceAddress: null });
  await context.devices.change('left', BY, () => ({
    put: [{ key: 'AA:BB:CC:00:00:01', record: { ...BLANK_DEVICE, devMac: 'AA:BB:CC:00:00:01' } }],
    remove: [],
  }));
  await open(() => new Date(Date.now() - 8 * 86_400_000)).context.deletions.delete('left', 'x');
  await request('POST', '/sites', { id: 'young' });
  await enrol(context, 'young:attic', 'd');
  await request('DELETE', '/sites/young?confirm=young');
  const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
  await context.hooks.add('home', '0123456789ab', {
    ...{ url: 'https://hooks.example.org/x', format: 'json', events: [], secret: makeSigningSecret(), enabled: true },
    skipRandomMacs: false,
    ...{ digest: { at: { every: 'day', at: '08:00' }, from }, createdAt: from, createdBy: '0123456789abcdef', from: 0 },
  });
  // An agent of another site without an event of the broker.
  await request('POST', '/sites', { id: 'silent' });
  const lost = 'silent:attic';
  await enrol(context, lost, 's');
  await context.sites.recordPresence(lost, { v: PROTOCOL_VERSION, t: 'presence', state: 'offline', session: 1 });
  const batch = { from: 300_000 * Math.floor(Date.now() / 300_000 - 2 * 288), before: null };
  await context.series.record(AGENT, { ...batch, checks: [['8a11c0ffee42', [[0, 1, 1, 0, null]]]] });
  await context.sites.add({ id: 'home', name: 'home', createdAt: new Date().toISOString() });
  await enrol(context, AGENT, 'c', true);
  const hourly = open(undefined, unhurried);
  let begun = 0;
  await upkeep(hourly.context, silent, () => ++begun > 4); // It notes where it has stopped.
  await upkeep(hourly.context, silent, () => false);
  expect((await context.deletions.list()).map(({ deletion }) => deletion.site)).toEqual(['young']);
  await endDeletions({ ...context, registry: unhurried });
  expect((await context.people.find('0123456789abcdef'))?.grants).toEqual([]);
  expect((await context.siteStates.read('silent')).state.darkSince).not.toBeNull();
  expect(denied('worker', hourly.calls)).toEqual([]);
});

test('devices', async () => {
  const { context, calls } = open();
  const request = client(context, 'data');
  const metrics = service(context, groups.data.routes.metrics);
  const line = (i: number) => `,AA:BB:CC:00:00:${i.toString(16).padStart(2, '0')},10.0.0.${i},PC,,online`;
  const csv = ['devName,devMac,devLastIP,devType,devOwner,devStatus', ...Array.from({ length: 40 }, (_, i) => line(i))];
  await request('POST', '/devices/import', { content: Buffer.from(csv.join('\n')).toString('base64') });
  await read(request, '/devices?limit=10', '/devices/totals');
  const scraped = await metrics.request('/metrics?devices=true', { headers: { authorization: `Bearer ${token}` } });
  expect(await scraped.text()).toContain('netalertx_connected_devices 40');
  await client(context, 'data')('GET', '/overview?limit=1&cursor=a');
  await context.sites.page(reachOf([['home', 'elsewhere']]), null, 10); // With a token for certain sites.
  await request('DELETE', '/devices?dryRun=true');
  await read(request, '/devices/AA:BB:CC:00:00:01', '/devices/AA:BB:CC:00:00:01/ports');
  await request('PATCH', '/devices/AA:BB:CC:00:00:01', { devName: 'nas' });
  await request('POST', '/device/AA:BB:CC:00:00:01/set-alias', { alias: 'media' });
  await request('DELETE', '/devices/AA:BB:CC:00:00:01');
  await request('POST', '/devices/restore');
  const { change } = await request('DELETE', '/devices', { macs: ['AA:BB:CC:00:00:*'] });
  await request('POST', '/devices/restore', { change });
  await read(request, '/events', '/devices/AA:BB:CC:00:00:01/events');
  const { version } = await context.devices.snapshot('home');
  const from = { site: 'home', user: 'token', lastEventId: String(version - 1) };
  const stream = followEvents(context, from, {}, new AbortController().signal, { lastsMs: 0 });
  for await (const _ of stream);
  expect(denied('data', calls)).toEqual([]);
});

test('devices, after a function was stopped in the middle of a change', async () => {
  const { context, calls: before } = open();
  const csv = 'devName,devMac\nPC,AA:BB:CC:00:00:01';
  const request = client(context, 'data');
  await request('POST', '/devices/import', { content: Buffer.from(csv).toString('base64') });
  const stopped = open().context;
  let begun = false;
  aroundCalls(stopped.table, ({ method }, pass) => {
    if (begun) throw new Error('the function was stopped');
    begun = method === 'put';
    return pass();
  });
  const change = stopped.devices.change('home', BY, ({ devices }) => ({
    put: [],
    remove: devices.map(({ key }) => key),
  }));
  await expect(change).rejects.toThrow('the function was stopped');
  const { context: later, calls: after } = open(() => new Date(Date.now() + 60_000));
  await later.devices.change('home', BY, ({ devices }) => ({ put: [], remove: devices.map(({ key }) => key) }));
  expect((await later.devices.snapshot('home')).size).toBe(0);
  expect(after.map(({ action }) => action)).toContain('dynamodb:UpdateItem');
  expect(denied('data', [...before, ...after])).toEqual([]);
});

test('nettools, and a job of which nothing is heard any more', async () => {
  const { context, calls } = open();
  const command = { tool: 'interfaces' } as const;
  await context.sites.find('home');
  await context.sites.agents('home');
  await context.jobs.create({ id: JOB, agent: AGENT, command, actor: 'test', sourceAddress: null });
  await context.jobs.accepted(JOB, 'running');
  const jobs = ['', '/export'].map((path) => `/jobs${path}?site=home&tool=interfaces`);
  await read(client(context, 'commands'), `/jobs/${JOB}`, ...jobs);
  for (const request of ['one request', 'another']) await context.jobs.claimKey('test', 'key', request, JOB);
  await context.jobs.releaseKey('test', 'key', JOB);
  await context.table.ping();
  expect(denied('commands', calls)).toEqual([]);

  const lost = 'home.01934c1e-5f00-7a11-8a22-0123456789ac';
  await context.jobs.create({ id: lost, agent: AGENT, command, actor: 'test', sourceAddress: null });
  const later = open(() => new Date(Date.now() + 86_400_000));
  expect((await later.context.jobs.find(lost))?.state).toBe('lost');
  expect(denied('commands', later.calls)).toEqual([]);
});

test('batches and scans: what starts, shows and stops them, and what works at them', async () => {
  const { context, calls } = open();
  const request = client(context, 'commands');
  const { id } = await request('POST', '/batches', { tool: 'interfaces', sites: ['home'] });
  await request('GET', '/batches');
  await context.jobs.claimKey('test', 'key of a batch', 'request', id);
  const works = open();
  /** As the dispatcher does, without a broker: the first turn leaves it to the second, which finds it lost. */
  works.context.agents = {
    ...works.context.agents,
    async start(job, command, { actor, sourceAddress }) {
      await Promise.all([works.context.sites.find('home'), works.context.sites.agents('home')]);
      await works.context.jobs.create({ id: job, agent: AGENT, command, actor, sourceAddress });
      await works.context.jobs.find(job);
      await works.context.jobs.accepted(job, 'running');
      const end = () => new Promise<null>(() => {});
      return { id: job, agent: AGENT, end, events: unheard, soFar: unheard, cancel: async () => {}, leave() {} };
    },
  };
  expect(await takeTurn(works.context, { run: id, site: null }, { lastsMs: 0 })).not.toBe(null);
  await read(request, `/batches/${id}`, `/batches/${id}/comparison`);
  await request('DELETE', `/batches/${id}`);
  await table.open().update(rows.job(jobOfBatch('home', id)), { set: { leaseUntil: 1 } });
  expect(await takeTurn(works.context, { run: id, site: null }, { lastsMs: 0 })).toBe(null);
  await request('GET', `/batches/${id}/events`);
  expect((await context.runs.find(null, id))?.progress).toMatchObject({ state: 'stopped', ended: { lost: 1 } });
  const online = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() } as const;
  await context.sites.recordPresence(AGENT, online);
  const scan = await request('POST', '/scans', { range: '10.20.0.0/24' });
  expect(await takeTurn(works.context, { run: scan.id, site: 'home' }, { lastsMs: 0 })).not.toBe(null);
  expect(await request('DELETE', `/scans/${scan.id}`)).toMatchObject({ state: 'cancelled' });
  await context.runs.remove('home', scan.id);
  expect(denied('commands', calls)).toEqual([]);
  expect(denied('worker', works.calls)).toEqual([]);
});

test('mcp: every tool, and commands', async () => {
  const { context, calls } = open();
  const device = {
    content: Buffer.from('devName,devMac\nPC,AA:BB:CC:00:00:01\nTV,AA:BB:CC:00:00:02').toString('base64'),
  };
  await client(open().context, 'data')('POST', '/devices/import', device);
  const request = client(context, 'commands');
  const id = await enqueue('home.01934c1e-5f00-7a11-8a22-0123456789af');
  const wanted = { tool: 'interfaces', sites: ['home'] };
  const { id: batch } = await client(open().context, 'commands')('POST', '/batches', wanted);
  const called: [string, object][] = [
    ['list_sites', {}],
    ['list_devices', { limit: 10 }],
    ['search_devices', { query: 'pc' }],
    ['get_latest_device', {}],
    ['get_network_topology', {}],
    ['propose_topology', {}],
    ['find_same_devices', {}],
    ['find_devices', { q: 'nas' }],
    ['join_devices', { mac: 'AA:BB:CC:00:00:01', macs: ['AA:BB:CC:00:00:02'] }],
    ['split_device', { mac: 'AA:BB:CC:00:00:01' }],
    ['explain_device', { target: 'AA:BB:CC:00:00:01' }],
    ['set_device_alias', { mac: 'AA:BB:CC:00:00:01', alias: 'shelf' }],
    ['what_changed', {}],
    ['get_job', { id }],
    ['get_open_ports', { target: 'AA:BB:CC:00:00:01' }],
    ['get_series', { of: 'speed' }],
    ['changes_since', {}],
    ['list_checks', {}],
    ['add_check', { kind: 'ping', host: '192.168.1.1' }],
    ['site_matrix', {}],
    ['list_schedules', {}],
    ['add_schedule', { name: 'nightly', tool: 'interfaces', cron: '0 2 * * *' }],
    ['remove_schedule', { schedule: '0123456789ab' }],
    ['start_scan', { range: '10.0.0.0/16' }],
    ['get_scan', { scan: '0123456789ab' }],
    ['run_on_sites', { tool: 'interfaces', sites: ['home'] }],
    ['get_batch', { id: batch }],
    ['compare_batch', { id: batch }],
    ['cancel_batch', { id: batch }],
  ];
  for (const [name, given] of called) {
    const params = {
      name,
      arguments: {
        ...given,
        ...(/job$|batch$|^run_on_sites$|^list_sites$|^find_devices$|matrix$/.test(name) ? {} : { site: 'home' }),
      },
    };
    const text = await request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    // Also requests for missing items, and without an agent there is no scan.
    if (!/^remove_schedule$|_scan$/.test(name)) expect(text, name).not.toContain('isError');
  }
  // What the connection to the broker would do for the other tools, and the advice when there is none.
  const root = { ...rootTokenRow(token, 'test', new Date()), id: '', lastUsedAt: null };
  await advisorFor(context, { token: root, person: null, isByFormer: false, reach: ALL_SITES }).agents();
  const started = { actor: 'test', sourceAddress: null };
  await context.jobs.create({ id: JOB, agent: AGENT, command: { tool: 'interfaces' }, ...started });
  await context.jobs.accepted(JOB, 'running');
  await context.audit.record({ site: 'home', action: 'job.cancel', detail: {}, requestId: 'test', ...started });
  await planWake(context, 'home', { devName: 'shelf', verify: true });
  const commands = Object.values(toolDeclarations).flatMap((tool) => ('mcp' in tool ? tool.mcp.name : []));
  const others = ['cancel_job', 'trigger_scan', ...commands];
  expect([...tools.keys()].sort()).toEqual([...called.map(([name]) => name), ...others].sort());
  expect(denied('commands', calls)).toEqual([]);
});

test('nettools looks for a device, and writes nothing, also where a writer that is gone has left a change', async () => {
  const { devices } = open().context;
  const key = '00:1E:06:AA:BB:01';
  const record = { ...BLANK_DEVICE, devMac: key, devName: 'nas' };
  await devices.change('home', BY, () => ({ put: [{ key, record }], remove: [] }));
  // Committed, and not carried out.
  const before = (await table.open().get(rows.collection('home'))) ?? expect.fail('no collection');
  const many = Array.from({ length: 40 }, (_, i) => `00:1E:06:AA:CC:${String(i).padStart(2, '0')}`);
  const put = many.map((mac) => ({ key: mac, record: { ...record, devMac: mac, devName: mac } }));
  await devices.change('home', BY, () => ({ put, remove: [] }));
  await table.open().update(rows.collection('home'), { set: { ver: Number(before.ver) } });
  const { context, calls } = open(() => new Date(Date.now() + 86_400_000));
  expect((await planWake(context, 'home', { devName: 'nas', verify: true })).command.mac).toBe(key);
  expect((await planWake(context, 'home', { verify: false, devMac: key as Mac })).command.mac).toBe(key);
  expect(new Set(calls.map(({ action }) => action))).toEqual(new Set(['dynamodb:GetItem', 'dynamodb:Query']));
  await table.open().update(rows.collection('home'), { set: { ver: Number(before.ver) + 1 } });
  expect(denied('commands', calls)).toEqual([]);
});

test('ingest', async () => {
  const { sites } = open().context;
  await enrol({ sites }, AGENT, 'c', true);
  await sites.change('home', ({ name, discovery }) => ({ name, discovery: { ...discovery, enabled: true } }));
  const enrolled = (await open().context.certificates.find(AGENT))!;
  const renewed = { ...enrolled, next: { certificateId: 'next', key: 'k' } };
  expect(await open().context.certificates.replace(AGENT, enrolled, renewed)).toBe(true);
  const { context, calls } = open();
  const retired: string[] = [];
  const registry = { retire: async (_: string, certificateId: string) => void retired.push(certificateId) };
  const ingest = openIngest({ ...context, registry }, silent);
  const message = (value: object) => Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, ...value }));
  const session = Date.now();
  let connections = 0;
  await ingest.presence(AGENT, message({ t: 'presence', state: 'online', session, version: '1', programs: {} }));
  await ingest.presence(AGENT, message({ t: 'presence', state: 'offline', session }));
  for (const eventType of ['connected', 'disconnected', 'connected', 'disconnected']) {
    const about = { clientId: `prod:${AGENT}`, principalIdentifier: 'next' };
    const event = { ...about, eventType, timestamp: session, versionNumber: ++connections };
    await ingest.connection(AGENT, Buffer.from(JSON.stringify(event)));
  }
  expect(retired).toEqual(['c']);
  const now = Date.now();
  const seen = { mac: 'AA:BB:CC:00:00:01', since: now, seenAt: now, ip: '192.168.1.20' };
  for (const [k, online] of [true, false, true].entries()) {
    // Three that go at once are an outage, and its end when they come again.
    const sightings = [1, 2, 3].map((i) => ({ ...seen, mac: `AA:BB:CC:00:00:0${i}`, n: 3 * k + i, online }));
    await ingest.sightings(AGENT, message({ t: 'sightings', epoch: now, n: 3 * k + 3, covers: null, sightings }));
  }
  const { entries } = await context.devices.finalChanges('home', 0, 1_000);
  expect(entries.flatMap(({ occurrences = [] }) => occurrences.map(({ type }) => type))).toEqual(
    expect.arrayContaining(['site-dark', 'outage', 'outage-over']),
  );
  const outcome = { state: 'succeeded', reason: null, message: null, truncated: false, result: null } as const;
  const output = randomBytes(64_000).toString('base64');
  const times = { startedAt: session, endedAt: session };
  const result: Result = { v: PROTOCOL_VERSION, t: 'result', id: JOB, ...outcome, output, ...times };
  expect((await sites.find('home'))?.staleSince).not.toBeNull();
  // The second finds that the job has ended.
  for (let i = 0; i < 2; i++) await ingest.result(AGENT, packResult(result)!);
  const scan = 'home.01934c1e-5f00-7a11-8a22-0123456789ad';
  const command = Command.parse({ tool: 'nmap', target: '192.168.1.20', mode: 'fast' });
  await open().context.jobs.create({ id: scan, agent: AGENT, command, actor: 'test', sourceAddress: null });
  const nas = {
    address: '192.168.1.20',
    mac: seen.mac,
    vendor: null,
    names: [],
    state: 'up',
    timedOut: false,
    os: null,
  };
  const found = { hosts: [{ ...nas, ports: [] }], hostsUp: 1, hostsTotal: 1, triedTcpPorts: '22' };
  await ingest.result(AGENT, packResult({ ...result, id: scan, output: '', result: found })!);
  expect((await open().context.ports.find({ site: 'home', device: seen.mac }))?.history.scans).toHaveLength(1);
  const speed = 'home.01934c1e-5f00-7a11-8a22-0123456789ac';
  const job = { agent: AGENT, command: { tool: 'speedtest' }, actor: 'test', sourceAddress: null } as const;
  await open().context.jobs.create({ id: speed, ...job });
  const measured = { server: 'x', pingMs: 1, downloadMbps: 2, uploadMbps: 3 };
  await ingest.result(AGENT, packResult({ ...result, id: speed, output: '', result: measured })!);
  // The first batch, of which the one before is not known, and of a later day.
  const hour = 3_600_000 * Math.floor(now / 3_600_000);
  for (const [from, before] of [
    [hour - 86_400_000, null],
    [hour, hour - 86_400_000],
    [hour, null],
  ] as const) {
    const points = { from, before, checks: [['8a11c0ffee42', [[0, 1, 1, 0, null]]]] } as Batch;
    await ingest.measurements(AGENT, packMeasurements({ n: from, changes: [], points }));
  }
  const days = { since: (hour - 86_400_000) / 1000, until: hour / 1000 + 1 };
  const asked = { agent: AGENT, check: '8a11c0ffee42', resolution: '5m', ...days } as const;
  expect(await open().context.series.read(asked)).toHaveLength(2);
  // Another scan, which finds a port that was not open.
  const id = 'home.01934c1e-5f00-7a11-8a22-0123456789b1';
  await open().context.jobs.create({ ...job, id, command });
  const port = { ...{ port: 22, protocol: 'tcp', state: 'open' }, service: 'ssh', product: null, version: null };
  const later = { ...found, hosts: [{ ...nas, ports: [port] }] };
  await ingest.result(AGENT, packResult({ ...result, id, output: '', result: later, endedAt: Date.now() })!);
  const row = await open().context.ports.find({ site: 'home', device: seen.mac });
  expect([row?.history.scans.length, row?.history.changes.length]).toEqual([1, 1]);
  const made = calls.length;
  expect((await context.jobs.find(JOB))?.state).toBe('succeeded');
  calls.length = made; // Looking the job up is none of ingest's.
  expect(denied('ingest', calls)).toEqual([]);
});

test('monitors: series of each kind', async () => {
  const { context, calls } = open();
  const request = client(context, 'data');
  const device = { content: Buffer.from('devName,devMac\nPC,AA:BB:CC:00:00:01').toString('base64') };
  await client(open().context, 'data')('POST', '/devices/import', device);
  const kinds = ['check=8a11c0ffee42&resolution=1d', 'device=AA:BB:CC:00:00:01', 'of=speed', 'of=address'];
  await read(request, ...kinds.map((of) => `/series?site=home&since=2026-01-01T00:00:00Z&${of}`));
  await read(request, '/reports');
  expect(denied('data', calls)).toEqual([]);
});

test('checks: what people ask for, what agents say of it, and what follows when one is gone', async () => {
  const site = 'checked';
  const mac = 'AA:BB:CC:00:00:07';
  const agents = [`${site}:attic`, `${site}:barn`];
  const prepared = open().context;
  for (const id of [site, 'cabin']) {
    await prepared.devices.create(id, new Date());
    await prepared.sites.add({ id, name: id, createdAt: new Date().toISOString() });
  }
  await prepared.sites.change('cabin', () => ({ reachableAt: '198.51.100.7' }));
  await prepared.sites.change(site, ({ discovery }) => ({ discovery: { ...discovery, enabled: true } }));
  const device = { key: mac, record: { ...BLANK_DEVICE, devMac: mac, devLastIP: '192.168.1.20' } };
  await prepared.devices.change(site, BY, () => ({ put: [device], remove: [] }));
  const registry = PUBLISHING;
  const people = open(undefined, registry);
  const said = open();
  const ingest = openIngest({ ...said.context, registry }, silent);
  const message = (value: object) => Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, ...value }));
  const presence = (agent: string, state: 'online' | 'offline', session: number) =>
    ingest.presence(agent, message({ t: 'presence', state, session, version: '1', programs: {} }));
  const session = Date.now();
  for (const agent of agents) {
    await enrol(prepared, agent, agent);
    await presence(agent, 'online', session);
  }
  const request = client(people.context, 'data');
  const { id } = await request('POST', `/checks?site=${site}`, { kind: 'ping', device: mac });
  const { id: other } = await request('POST', `/checks?site=${site}`, { kind: 'internet' });
  await request('POST', '/checks/matrix', { sites: [site, 'cabin'] });
  let n = session;
  const says = (agent: string, ok: boolean) => {
    const change = { t: 'check', check: id, at: session + n, ok, ...(ok ? {} : { reason: 'no answer' }) } as const;
    return ingest.measurements(agent, packMeasurements({ n: ++n, changes: [change], points: null }));
  };
  for (const agent of agents) await says(agent, false);
  await says(agents[0]!, true);
  await ingest.sightings(
    agents[0]!,
    message({
      ...{ t: 'sightings', epoch: session, n: 1, covers: null },
      sightings: [{ mac, n: 1, since: session, seenAt: session, ip: '192.168.1.21', online: true }],
    }),
  );
  await presence(agents[0]!, 'offline', session);
  expect((await prepared.siteStates.read(site)).state.downSince).toHaveProperty(id);
  await read(request, `/checks?site=${site}`, '/checks/matrix');
  await presence(agents[0]!, 'online', session + 1);
  await says(agents[0]!, true);
  // The one that says it is well does not make it any more.
  await request('PATCH', `/checks/${id}?site=${site}`, { agents: ['barn'] });
  expect((await prepared.siteStates.read(site)).state.downSince).toHaveProperty(id);
  await request('DELETE', `/checks/${other}?site=${site}`);
  await request('PATCH', `/checks/${id}?site=${site}`, { enabled: false });
  await prepared.checks.change(site, id, (before) => ({ ...before, enabled: true }));
  const hourly = open(undefined, registry);
  await upkeep(hourly.context, silent, () => false);
  const all = [denied('data', people.calls), denied('ingest', said.calls), denied('worker', hourly.calls)];
  expect(all).toEqual([[], [], []]);
});

test('updates: agents of two sites that get a release, one that fails, and the reaction of an administrator', async () => {
  const release = { version: '0.9.0', protocol: PROTOCOL_VERSION, node: '20.19.0', files: [] };
  const releases = { current: async () => release, open: async () => null };
  const prepared = open().context;
  const agents = ['updated:attic', 'updated:barn', 'farm:main'];
  for (const id of ['updated', 'farm']) {
    await prepared.devices.create(id, new Date());
    await prepared.sites.add({ id, name: id, createdAt: new Date().toISOString() });
    await prepared.sites.change(id, () => ({ updates: { mode: 'auto', window: null } }));
  }
  const registry = PUBLISHING;
  const said = open();
  const ingest = openIngest({ ...said.context, registry, releases, settings: { updateSettlesMs: 0 } }, silent);
  const session = Date.now();
  const says = (agent: string, version: string, last: object | null) => {
    const presence = { t: 'presence', state: 'online', session, version, update: { able: true, last } };
    return ingest.presence(agent, Buffer.from(JSON.stringify({ v: PROTOCOL_VERSION, ...presence })));
  };
  for (const agent of agents) {
    await enrol(prepared, agent, agent);
    await says(agent, '0.8.0', null);
  }
  const hourly = open(undefined, registry);
  await upkeep({ ...hourly.context, releases }, silent, () => false);
  const rollOut = async () => (await prepared.rollOuts.read({ consistent: true })).rollOut;
  const [canary] = Object.keys((await rollOut())?.underWay ?? {});
  await says(canary!, '0.9.0', { version: '0.9.0', state: 'done', reason: null, at: session });
  const [second] = Object.keys((await rollOut())?.underWay ?? {});
  await says(second!, '0.8.0', { version: '0.9.0', state: 'failed', reason: 'it died', at: session });
  expect(await rollOut()).toMatchObject({
    state: 'stopped',
    ring: 2,
    failures: [{ agent: second, reason: 'it died' }],
  });
  const people = open(undefined, registry);
  const request = client({ ...people.context, releases }, 'access');
  await read(request, '/updates', '/sites/farm/agents');
  await request('PATCH', '/updates', { version: '0.9.0', state: 'going' });
  await upkeep({ ...hourly.context, releases }, silent, () => false);
  expect(Object.keys((await rollOut())?.underWay ?? {})).toHaveLength(1);
  await request('PATCH', '/updates', { version: '0.9.0', state: 'given-up' });
  const seen = open();
  const ofDevices = client({ ...seen.context, releases }, 'data');
  const shown = await ofDevices('GET', '/overview');
  for (const q of ['nas', ':22']) await ofDevices('GET', `/search?q=${q}`);
  expect(JSON.stringify(shown)).toContain('"updateAvailable":"0.9.0"');
  const all = [denied('ingest', said.calls), denied('worker', hourly.calls), denied('access', people.calls)];
  expect([...all, denied('data', seen.calls)]).toEqual([[], [], [], []]);
});

test('templates: what a request makes, changes and removes, and what it leaves to the upkeep', async () => {
  const people = open(undefined, PUBLISHING);
  const hourly = open(undefined, PUBLISHING);
  const request = client(people.context, 'access');
  const parts = (minute: number, enabled: boolean) => ({
    tags: ['alike'],
    settings: { timeZone: 'Europe/Berlin', discovery: { enabled } },
    schedules: [{ name: 'links', tool: 'interfaces', cron: `${minute} 2 * * *` }],
    checks: [{ label: 'router', kind: 'ping', host: '192.168.1.1', everySeconds: 60 * (minute + 1) }],
    hooks: [{ name: 'team', url: 'https://hooks.example.org/x', events: ['new'], enabled }],
  });
  await request('POST', '/sites', { id: 'alike', tags: ['alike'] });
  await request('PUT', '/templates/all', parts(1, true));
  await request('PUT', '/templates/all', parts(2, false));
  await request('PUT', '/templates/all?dryRun=true', parts(3, true));
  const { tags: _, ...own } = parts(4, true);
  await request('PUT', '/sites/own', own);
  await request('PUT', '/sites/own', { ...own, checks: [{ ...own.checks[0], label: 'other' }], prune: ['checks'] });
  await read(request, '/templates', '/templates/all');
  const { context } = open();
  // Rows as a request has left them that has ended before it came to the sites.
  const stored = async () => (await context.templates.find('all'))!;
  const changed = templates.putTemplate.body.parse(parts(3, true));
  const before = await stored();
  const [hook] = before.hooks;
  const hooks = changed.hooks.map((one) => ({ ...one, secret: hook?.secret }));
  await context.templates.put({ ...before, ...changed, hooks, revision: before.revision + 1 }, before);
  await upkeep(hourly.context, silent, () => false);
  expect((await context.checks.list('alike')).checks).toMatchObject([{ everySeconds: 240 }]);
  await context.templates.remove(await stored());
  await upkeep(hourly.context, silent, () => false);
  expect((await context.checks.list('alike')).checks).toEqual([]);
  await request('PUT', '/templates/all', parts(1, true));
  await request('PATCH', '/sites/alike', { tags: [] });
  await request('PATCH', '/sites/alike', { tags: ['alike'] });
  await request('DELETE', '/templates/all');
  expect((await context.hooks.list('alike')).hooks).toEqual([]);
  expect([denied('access', people.calls), denied('worker', hourly.calls)]).toEqual([[], []]);
});

test('hooks, and what the administration does with them', async () => {
  await using receiver = await startReceiver();
  const { context: admin, calls: adminCalls } = open();
  const ask = client({ ...admin, settings: { ...admin.settings, privateHooks: true } }, 'access');
  const { id } = await ask('POST', '/hooks', { url: receiver.url, events: ['new', 'online', 'deleted'] });
  await read(ask, '/hooks', `/hooks/${id}`);
  await ask('PATCH', `/hooks/${id}`, { enabled: true, secret: 'new' });

  const [first, second] = ['AA:BB:CC:00:01:01', 'AA:BB:CC:00:01:02'];
  const put = (devMac: string, devPresentLastScan: 0 | 1) => {
    const device = { key: devMac, record: { ...BLANK_DEVICE, devMac, devPresentLastScan } };
    return open().context.devices.change('home', BY, () => ({ put: [device], remove: [] }));
  };
  await put(first, 0);
  await put(first, 1); // An event that does not say the name of its device.
  const many = Array.from({ length: 40 }, (_, i) => `AA:BB:CC:00:02:${String(i).padStart(2, '0')}`);
  await open().context.devices.change('home', BY, () => ({
    put: many.map((devMac) => ({ key: devMac, record: { ...BLANK_DEVICE, devMac } })),
    remove: [],
  }));
  const { context, calls } = open();
  const sent: HookTask[] = [];
  const queue = { send: async (task: HookTask) => void sent.push(task) };
  const settings = { allowPrivate: true, resolve: async () => [] };
  const take = openTurns({ ...context, queue, settings, now: context.now, log: silent });
  const turn = async () => {
    await take({ site: 'home' });
    for (const task of sent.splice(0)) await take(task);
  };
  receiver.answer = (_, { body }) => status(body.includes('"new"') ? 200 : 500)(_, { path: '', headers: {}, body });
  await turn();
  const { deliveries } = await ask('GET', `/hooks/${id}/deliveries`);
  expect(deliveries).toMatchObject([{ state: 'pending' }, { state: 'delivered' }]);
  receiver.answer = status(410);
  await ask('PATCH', `/hooks/${id}`, { enabled: true }); // So that the next attempt need not wait.
  await turn();
  await ask('PATCH', `/hooks/${id}`, { enabled: true });
  receiver.answer = status(200);
  await ask('POST', `/hooks/${id}/test`);
  await ask('POST', '/hooks/test', { url: receiver.url });
  // Quiet hours are by the clock of the site, and of chosen devices more is read.
  await ask('PATCH', `/hooks/${id}`, { quiet: { from: '00:00', to: '23:59' }, only: { groups: ['x'] } });
  await put(second, 1);
  await turn();
  const later = () => new Date(context.now().getTime() + 25 * 3_600_000);
  await openTurns({ ...context, queue, settings, now: later, log: silent })({ site: 'home', hook: id });
  // A report reads what happened, and what was measured.
  const mail: Mailer = { from: 'lan@example.org', send: async () => ({ isDelivered: true, status: 250 }) };
  const byMail = client({ ...admin, mail }, 'access');
  const report = { every: 'week', at: '07:00', language: 'en' };
  const { id: mailed } = await byMail('POST', '/hooks', {
    url: 'mailto:me@example.org',
    format: 'email',
    events: [],
    report,
  });
  const nextWeek = () => new Date(context.now().getTime() + 8 * 86_400_000);
  await openTurns({ ...context, queue, settings: { ...settings, mail }, now: nextWeek, log: silent })({
    site: 'home',
    hook: String(mailed),
  });
  expect(await ask('GET', `/hooks/${mailed}/deliveries`)).toMatchObject({
    deliveries: [{ event: 'report', state: 'delivered' }],
  });
  await ask('DELETE', `/hooks/${id}`);
  expect(Object.keys(groups.access.routes.hooks.operations)).toHaveLength(8); // A new one belongs into the list above.
  expect(denied('access', adminCalls)).toEqual([]);
  expect(denied('worker', calls)).toEqual([]);
});

test('setup, with a first token, the same again, another one, and one that was revoked', async () => {
  await using empty = await emulatedTable();
  const { context, calls } = open(undefined, undefined, empty);
  const answers: boolean[] = [];
  for (const replace of [false, false, true]) {
    answers.push((await makeFirstToken(context, { replace }, 'request')).success);
  }
  expect(answers).toEqual([true, false, true]);
  const { tokens } = open(undefined, undefined, empty).context; // An operator's calls are none of the function's.
  for (const { id } of await tokens.list()) expect(await tokens.revoke(id)).toBe(true);
  expect(await makeFirstToken(context, { replace: true }, 'request')).toMatchObject({ success: true, revoked: null });
  expect(calls.map(({ action }) => action)).toContain('dynamodb:DeleteItem');
  expect(denied('access', calls)).toEqual([]);
});

test('what a role does not allow would be seen', async () => {
  const { context, calls } = open();
  await context.devices.change('home', BY, ({ devices }) => ({ put: [], remove: devices.map(({ key }) => key) }));
  await context.table.put({ pk: 'S#home', sk: 'D#~x', d: '{}' }).catch(() => {});
  expect(denied('access', calls)).toContain('dynamodb:PutItem S#home pk,sk,d');
});

test('a transaction is judged item by item, and as a whole', async () => {
  const { context, calls } = open();
  const keys = [
    { pk: 'T#a', sk: 'T' },
    { pk: 'TOKENS', sk: 'N#a' },
  ];
  await context.table.transact([
    ...keys.map((key) => ({ put: { ...key, d: '{}' } })),
    { remove: { pk: 'SETUP', sk: 'x' } },
  ]);
  const judged = calls.map(({ action, context }) => [action, context?.['dynamodb:LeadingKeys']]);
  expect(judged).toEqual([
    ['dynamodb:PutItem', ['T#a']],
    ['dynamodb:PutItem', ['TOKENS']],
    ['dynamodb:DeleteItem', ['SETUP']],
    ['dynamodb:PutItem', ['T#a', 'TOKENS']],
    ['dynamodb:DeleteItem', ['SETUP']],
  ]);
});
