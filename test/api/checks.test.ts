/** `/checks`: what is asked for, what agents are told to do, what they say of it, and what it costs. */
import { expect, test } from 'vitest';
import { rows } from '../../functions/table/rows.ts';
import type { Change, MeasurementsBody, Point } from '../../shared/agent/measurements.ts';
import { MAX_CHECKS, type Plan } from '../../shared/agent/plan.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packMeasurements, unpackPlan } from '../../shared/agent/wire.ts';
import { type Check, checks } from '../../shared/api/checks.ts';
import { EventList } from '../../shared/api/events.ts';
import type { Reason } from '../../shared/reasons.ts';
import type { RequestOptions } from '../api-client.ts';
import { becomes, type StandIn, standInAt } from '../support/enrolled-agent.ts';
import { sightingsMessage } from '../support/ingest-messages.ts';
import { testApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

const NAS = '02:A0:00:00:00:02';
const COLLECTION = ['devName,devMAC,devIP', `nas,${NAS},192.168.1.20`, '(unknown),02:A0:00:00:00:03,192.168.1.30'].join(
  '\n',
);

const system = testApi();

async function ask(method: string, path: string, options: RequestOptions = {}) {
  const { status, json } = await system.request(method, path, options);
  return { status, json: json as Record<string, unknown> & { checks: Check[]; message: string; id: string } };
}

async function add(site: string, body: object): Promise<Check> {
  const { status, text, json } = await system.request('POST', '/checks', { site, body });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return checks.addCheck.response.parse(json);
}

const show = async (site: string, id: string) =>
  checks.getCheck.response.parse((await ask('GET', `/checks/${id}`, { site })).json);
const listed = async (site: string, query = '') =>
  checks.listChecks.response.parse((await ask('GET', `/checks${query}`, { site })).json).checks;

/** The fields that an answer names as wrong. */
async function faults(site: string, body: object): Promise<string[]> {
  const { status, json } = await ask('POST', '/checks', { site, body });
  expect([status, JSON.stringify(body)]).toEqual([400, JSON.stringify(body)]);
  return (json.errors as { path: string }[]).map(({ path }) => path);
}

interface Watcher extends StandIn {
  /** The plan that it was told last. */
  plan(): Plan | null;
  /** Tells what it has measured, and waits until that is stored. */
  tell(changes: Change[], points?: MeasurementsBody['points'], n?: number): Promise<void>;
}

let messages = Date.now() - 3_600_000;
async function agentAt(site: string, name: string): Promise<Watcher> {
  const agent = await standInAt(system, site, name);
  const told = (n: number) => agent.plans.filter((one) => one.t === 'measured' && one.n === n).length;
  return {
    ...agent,
    plan() {
      const [last] = agent.plans
        .flatMap((one) => (one.t === 'plan' ? one : []))
        .sort((a, b) => b.revision - a.revision);
      return last === undefined ? null : unpackPlan(last.plan);
    },
    async tell(changes, points = null, n = ++messages) {
      const before = told(n);
      await agent.publish(topics.measurements(agent.client), packMeasurements({ n, changes, points }));
      await waitFor('the measurements to be stored', () => told(n) > before);
    },
  };
}

const planned = (agent: Watcher) => (agent.plan()?.checks ?? []).map(({ id }) => id).sort();
const says = (check: string, ok: boolean, at: number, reason = 'no answer', reasonCode?: Reason): Change => ({
  ...{ t: 'check', check, at, ok },
  ...(ok ? {} : { reason, reasonCode }),
});

async function eventsOf(site: string) {
  const { json } = await ask('GET', '/events?type=check-down,check-up,certificate-ending,route-changed', { site });
  return EventList.parse(json).events;
}

test('each kind with its fields, a label of its own, and the same answer wherever it is read', async () => {
  const site = await system.addSite(COLLECTION);
  for (const [body, expected] of [
    [
      { kind: 'ping', device: NAS.toLowerCase() },
      { device: NAS, label: 'nas' },
    ],
    [{ kind: 'ping', device: '02:A0:00:00:00:03' }, { label: '192.168.1.30' }],
    [
      { kind: 'ping', host: '::FFFF:192.168.1.1' },
      { host: '192.168.1.1', label: '192.168.1.1' },
    ],
    [
      { kind: 'tcp', host: 'fd00::0001', port: 445 },
      { host: 'fd00::1', label: '[fd00::1]:445' },
    ],
    [{ kind: 'tcp', device: NAS, port: 22, label: ' ssh\u0007 ' }, { label: 'ssh' }],
    [
      { kind: 'http', url: 'HTTPS://Nas.lan/x#y', status: '200,401' },
      { url: 'https://nas.lan/x', label: 'nas.lan' },
    ],
    [
      { kind: 'dns', name: 'Example.org.', server: '9.9.9.9' },
      { name: 'example.org', server: '9.9.9.9' },
    ],
    [{ kind: 'dns', name: '192.168.1.20', record: 'PTR' }, { name: '192.168.1.20' }],
    [{ kind: 'internet' }, { label: 'internet', everySeconds: 60, agents: 'auto', enabled: true }],
    [{ kind: 'internet', anchors: ['1.1.1.1', '1.1.1.1'] }, { anchors: ['1.1.1.1'] }],
  ] as const) {
    const added = await add(site, body);
    expect(added).toMatchObject({ site, kind: body.kind, state: 'unknown', since: null, measured: [], ...expected });
    expect(await show(site, added.id)).toEqual(added);
  }
  expect(await listed(site)).toHaveLength(10);
  expect((await listed(site, `?device=${NAS}`)).map(({ kind }) => kind).sort()).toEqual(['ping', 'tcp']);
  expect(await listed(site, '?state=up')).toEqual([]);
});

test('a check that no agent could make is refused, with the field', async () => {
  const site = await system.addSite(COLLECTION);
  const ping = { kind: 'ping', host: '192.168.1.1' };
  for (const [body, path] of [
    [{ kind: 'ping' }, 'device'],
    [{ ...ping, device: NAS }, 'device'],
    [{ ...ping, port: 1 }, 'port'],
    [{ kind: 'ping', host: '192.168.1.0/24' }, 'host'],
    [{ kind: 'ping', host: '-c1' }, 'host'],
    [{ kind: 'ping', host: 'a b' }, 'host'],
    [{ kind: 'ping', host: '1234' }, 'host'],
    [{ kind: 'ping', host: '224.0.0.1' }, 'host'],
    [{ kind: 'ping', host: '169.254.169.254' }, 'host'],
    [{ kind: 'ping', host: '64:ff9b::a9fe:a9fe' }, 'host'],
    [{ kind: 'tcp', host: '192.168.1.1' }, 'port'],
    [{ kind: 'http', url: 'ftp://nas/' }, 'url'],
    [{ kind: 'http', url: 'http://:secret@nas/' }, 'url'],
    [{ kind: 'http', url: 'http://2852039166/latest/' }, 'url'],
    [{ kind: 'http', url: 'http://[fd00:ec2::254]/' }, 'url'],
    [{ kind: 'http', url: 'http://nas/', status: '99' }, 'status'],
    [{ kind: 'dns', name: '192.168.1.20' }, 'name'],
    [{ kind: 'dns', name: 'example.org', server: '100.100.100.200' }, 'server'],
    [{ kind: 'internet', anchors: ['1.1.1.1', '::'] }, 'anchors.1'],
    [{ ...ping, label: '\u200b' }, 'label'],
    [{ ...ping, agents: ['missing'] }, 'agents'],
  ] as const) {
    expect([body, await faults(site, body)]).toEqual([body, [path]]);
  }
  const missing = await ask('POST', '/checks', { site, body: { kind: 'ping', device: '02:A0:00:00:00:99' } });
  expect(missing.status).toBe(404);
  expect(await listed(site)).toEqual([]);
});

test('it is changed and removed, with an entry of the audit that tells no secret', async () => {
  const site = await system.addSite(COLLECTION);
  const { id } = await add(site, { kind: 'http', url: 'https://nas.lan/?key=s3cret' });
  const body = { label: 'web', everySeconds: 300, agents: 'all', enabled: false };
  expect((await ask('PATCH', `/checks/${id}`, { site, body })).json).toMatchObject({ id, ...body, kind: 'http' });
  expect(await show(site, id)).toMatchObject(body);
  for (const [method, options] of [
    ['PATCH', { body: {} }],
    ['PATCH', { body: { kind: 'ping' } }],
    ['PATCH', { body: { label: '\u200b' } }],
  ] as const)
    expect((await ask(method, `/checks/${id}`, { site, ...options })).status).toBe(400);
  expect((await ask('DELETE', `/checks/${id}`, { site })).status).toBe(200);
  for (const [method, options] of [['GET'], ['DELETE'], ['PATCH', { body }]] as const)
    expect((await ask(method, `/checks/${id}`, { site, ...options })).status).toBe(404);
  const audit = (await system.request('GET', '/audit', { site })).text;
  expect(audit).not.toContain('s3cret');
  for (const action of ['check.add', 'check.change', 'check.remove']) expect(audit).toContain(action);
});

test('a check of another site takes a token for both, and no site checks itself', async () => {
  const site = await system.addSite();
  const stranger = await system.createToken();
  for (const [method, body] of [['GET'], ['POST', { kind: 'internet' }]] as const)
    expect((await ask(method, '/checks', { site, token: stranger, body })).status).toBe(403);
  const other = await system.addSite();
  await ask('PATCH', `/sites/${other}`, { body: { reachableAt: '198.51.100.7' } });
  const limited = await system.createToken({ sites: [site] });
  const toOther = { kind: 'site', toSite: other };
  expect((await ask('POST', '/checks', { site, body: toOther, token: limited })).status).toBe(403);
  expect(await faults(site, { kind: 'site', toSite: site })).toEqual(['toSite']);
  expect((await add(site, toOther)).label).toBe(other);
});

test('a site has room for a thousand, and for what fits into a plan; what cannot be read is named', async () => {
  const site = await system.addSite();
  const { id } = await add(site, { kind: 'ping', host: '192.168.1.1' });
  const row = (await system.context.table.get(rows.check(site, id))) ?? expect.fail('no row');
  const idOf = (i: number) => i.toString(16).padStart(12, '0');
  for (let i = 1; i < MAX_CHECKS - 1; i++) await system.context.table.put({ ...row, ...rows.check(site, idOf(i)) });
  await system.context.table.put({ ...rows.check(site, idOf(0)), d: '{' });
  const full = await ask('POST', '/checks', { site, body: { kind: 'internet' } });
  expect(full).toMatchObject({ status: 409, json: { message: expect.stringContaining('1000 checks') } });
  const { json } = await ask('GET', '/checks', { site });
  expect(json.checks).toHaveLength(MAX_CHECKS - 1);
  expect(json.unreadable).toMatchObject([{ id: idOf(0) }]);
  const wordy = await system.addSite();
  const letters = () => Math.random().toString(36).slice(2);
  const url = () => `http://nas/${Array.from({ length: 150 }, letters).join('').slice(0, 1_900)}`;
  const statuses: number[] = [];
  for (let i = 0; i < 80; i++)
    statuses.push((await ask('POST', '/checks', { site: wordy, body: { kind: 'http', url: url() } })).status);
  expect(new Set(statuses)).toEqual(new Set([201, 409]));
  expect(id).toHaveLength(12);
});

test('two of them make a check, with the address that its device has; a check that is no more is in no plan', async () => {
  const site = await system.addSite(COLLECTION);
  await ask('PATCH', `/sites/${site}`, { body: { discovery: { enabled: true } } });
  await using attic = await agentAt(site, 'attic');
  await using barn = await agentAt(site, 'barn');
  await using cellar = await agentAt(site, 'cellar');
  const ping = await add(site, { kind: 'ping', device: NAS });
  const all = await add(site, { kind: 'internet', agents: 'all', everySeconds: 300 });
  const own = await add(site, { kind: 'tcp', device: NAS, port: 445, agents: ['cellar'] });
  await waitFor('their plans', () => planned(cellar).length === 2 && planned(barn).length === 2);
  expect(planned(attic)).toEqual([ping.id, all.id].sort());
  expect(planned(cellar)).toEqual([own.id, all.id].sort());
  expect(attic.plan()?.checks.find(({ id }) => id === ping.id)).toEqual({
    ...{ id: ping.id, everySeconds: 60, probe: { kind: 'ping', host: '192.168.1.20' } },
  });
  // The device is seen elsewhere.
  const now = Date.now();
  const seen = { mac: NAS, n: 1, ip: '192.168.1.77', online: true, since: now, seenAt: now };
  await barn.publish(topics.sightings(barn.client), sightingsMessage({ epoch: now, n: 1, sightings: [seen] }));
  const hostOf = (agent: Watcher) => agent.plan()?.checks.flatMap(({ probe }) => ('host' in probe ? probe.host : []));
  await waitFor('the new address', () => [attic, cellar].every((agent) => hostOf(agent)?.includes('192.168.1.77')));
  await ask('PATCH', `/checks/${ping.id}`, { site, body: { enabled: false } });
  await ask('DELETE', `/checks/${all.id}`, { site });
  await waitFor('plans without them', () => planned(attic).length === 0 && planned(cellar).length === 1);
  expect(planned(cellar)).toEqual([own.id]);
  // A device that is gone has no address.
  await system.request('DELETE', `/devices/${NAS}`, { site });
  await ask('PATCH', `/checks/${own.id}`, { site, body: { everySeconds: 90 } });
  await waitFor('a plan without it', () => planned(cellar).length === 0);
  expect(await show(site, own.id)).toMatchObject({ state: 'unknown' });
});

test('down when both say so, up when one does that is connected; reported once, also when a message comes again, at its time', async () => {
  const site = await system.addSite(COLLECTION);
  const attic = await agentAt(site, 'attic');
  await using barn = await agentAt(site, 'barn');
  const { id } = await add(site, { kind: 'ping', device: NAS });
  const start = Date.now() - 600_000;
  expect((await show(site, id)).state).toBe('unknown');
  await attic.tell([says(id, true, start)]);
  expect(await show(site, id)).toMatchObject({ state: 'up', since: new Date(start).toISOString() });
  const failing = ++messages;
  await attic.tell([says(id, false, start + 60_000)], null, failing);
  expect((await show(site, id)).state).toBe('up');
  // Of an agent of a newer release: the code is passed over.
  const later = { code: 'what-comes-later' } as unknown as Reason;
  await barn.tell([says(id, false, start + 90_000, 'no \u001b[31mroute', later)]);
  const down = { state: 'down', since: new Date(start + 90_000).toISOString(), reason: 'no answer' };
  expect(await show(site, id)).toMatchObject(down);
  expect((await listed(site, '?state=down')).map((check) => check.id)).toEqual([id]);
  await attic.tell([says(id, true, start + 300_000)]);
  await attic.tell([says(id, false, start + 60_000)], null, failing);
  await attic.tell([says('0000000000ff', false, start)]);
  expect(await show(site, id)).toMatchObject({ state: 'up', since: new Date(start + 300_000).toISOString() });
  const events = await eventsOf(site);
  expect(events).toMatchObject([
    { type: 'check-up', detail: { seconds: 210 }, actor: attic.id, cause: 'observation' },
    { type: 'check-down', device: { key: NAS, name: 'nas' }, subject: { kind: 'check', id, name: 'nas' } },
  ]);
  expect(Math.abs(Date.parse(events[1]?.at ?? '') - (start + 90_000))).toBeLessThan(2_000);
  await attic[Symbol.asyncDispose]();
  await waitFor('the verdict of the other', async () => (await show(site, id)).state === 'down');
});

test('measurements show that a check answers; a check that no agent makes has no state', async () => {
  const site = await system.addSite();
  const attic = await agentAt(site, 'attic');
  const ping = await add(site, { kind: 'ping', host: '192.168.1.1' });
  const web = await add(site, { kind: 'http', url: 'https://nas.lan/' });
  const from = Math.floor(Date.now() / 300_000) * 300_000 - 300_000;
  const good: Point = [60, 1.2, 5, 0, 0.1];
  const bad: Point = [120, null, 5, 5, null];
  const measured = { from, before: null, checks: [[ping.id, [good]] as const, [web.id, [good, bad]] as const] };
  await attic.tell([], measured as unknown as MeasurementsBody['points']);
  expect(await show(site, ping.id)).toMatchObject({ state: 'up', since: new Date(from + 60_000).toISOString() });
  expect((await show(site, web.id)).state).toBe('unknown');
  await system.context.series.record(attic.id, measured as never);
  const at = new Date(from + 60_000).toISOString();
  const last = { agent: 'attic', at, rttMs: 1.2, lossPercent: 0, jitterMs: 0.1 };
  expect((await show(site, ping.id)).measured).toEqual([last]);
  expect((await show(site, web.id)).measured).toMatchObject([{ rttMs: null, lossPercent: 100, jitterMs: null }]);
  const endsAt = Date.now() + 5 * 86_400_000;
  const reasonCode = { code: 'status', values: { status: 500 } } as const;
  await attic.tell([
    says(web.id, false, from, 'it answers with status 500', reasonCode),
    { t: 'certificate', check: web.id, at: from, endsAt, soon: true },
  ]);
  expect(await show(site, web.id)).toMatchObject({
    ...{ state: 'down', reason: 'it answers with status 500', certificateEndsAt: new Date(endsAt).toISOString() },
    reasonCode,
  });
  const events = await eventsOf(site);
  expect(events.map(({ type }) => type)).toEqual(['certificate-ending', 'check-down']);
  expect(events[1]).toMatchObject({ detail: { reason: 'it answers with status 500' }, reasonCode });
  await attic[Symbol.asyncDispose]();
  await becomes(system, attic.id, 'offline');
  expect((await listed(site)).map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  // What is disabled begins anew when it is enabled.
  await ask('PATCH', `/checks/${web.id}`, { site, body: { enabled: false } });
  const { state } = await system.context.siteStates.read(site);
  expect([Object.keys(state.downSince), Object.keys(state.upSince)]).toEqual([[], [ping.id]]);
});

test('sites check each other where they can be reached; who sees both, sees what lies between', async () => {
  const [home, cabin, boat] = [await system.addSite(), await system.addSite(), await system.addSite()];
  await ask('PATCH', `/sites/${home}`, { body: { reachableAt: 'home.example.org' } });
  await ask('PATCH', `/sites/${cabin}`, { body: { reachableAt: '198.51.100.7' } });
  await using attic = await agentAt(home, 'attic');
  const before = await add(home, { kind: 'site', toSite: cabin });
  const body = { sites: [home, cabin, boat], everySeconds: 120 };
  const made = await ask('POST', '/checks/matrix', { body });
  // From the boat to both, and from the cabin home.
  expect(made).toMatchObject({ status: 201, json: { added: 3, unreachable: [boat] } });
  expect((await ask('POST', '/checks/matrix', { body })).json).toMatchObject({ added: 0 });
  await waitFor('the plan', () => planned(attic).length === 1);
  expect(attic.plan()?.checks).toMatchObject([{ probe: { kind: 'site', host: '198.51.100.7', site: cabin } }]);
  const hops = ['192.168.1.1', '', '198.51.100.7'];
  await attic.tell([says(before.id, true, 1_000), { t: 'path', check: before.id, at: Date.now(), hops }]);

  const matrixFor = async (token: string) =>
    checks.getMatrix.response.parse((await ask('GET', '/checks/matrix', { token })).json);
  const two = await matrixFor(await system.createToken({ scopes: ['devices:read'], sites: [home, cabin] }));
  expect(two.sites.map(({ id }) => id)).toEqual([home, cabin].sort());
  expect(two.edges.map(({ from, to, state, path }) => [from, to, state, path]).sort()).toEqual(
    [
      [home, cabin, 'up', hops],
      [cabin, home, 'unknown', null],
    ].sort(),
  );
  const one = await matrixFor(await system.createToken({ scopes: ['devices:read'], sites: [home] }));
  expect(one).toEqual({ success: true, sites: [], edges: [], unreadable: [] });
  const all = await system.createToken({ scopes: ['devices:read'], sites: [home, cabin, boat] });
  expect((await matrixFor(all)).edges).toHaveLength(4);

  const limited = await system.createToken({ sites: [home, cabin] });
  expect((await ask('POST', '/checks/matrix', { body, token: limited })).status).toBe(403);
  expect((await ask('POST', '/checks/matrix', { body: { sites: [home, home] } })).status).toBe(400);
});

test('a list of 100 checks costs what their rows do, and a message that says nothing new no write', async () => {
  const site = await system.addSite(COLLECTION);
  await using attic = await agentAt(site, 'attic');
  const { id } = await add(site, { kind: 'ping', device: NAS });
  const row = (await system.context.table.get(rows.check(site, id))) ?? expect.fail('no row');
  for (let i = 1; i < 100; i++)
    await system.context.table.put({ ...row, ...rows.check(site, i.toString(16).padStart(12, '0')) });
  const token = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  await system.request('GET', '/checks', { site, token });
  const { consumed, json } = await system.measured('GET', '/checks', { site, token });
  expect((json as { checks: unknown[] }).checks).toHaveLength(100);
  // Half a unit for the token, and for what each agent has measured last; one each for the site, its agents, its state, and
  // the version of its collection; six for 24 KB of rows.
  expect(consumed).toEqual({ readUnits: 5 + 6, writeUnits: 0 });

  await attic.tell([says(id, true, Date.now())]);
  const { state } = await system.context.siteStates.read(site);
  const from = Math.floor(Date.now() / 300_000) * 300_000 - 300_000;
  const points = {
    from,
    before: null,
    checks: [[id, [[60, 1.2, 5, 0, 0.1]]]],
  } as unknown as MeasurementsBody['points'];
  await attic.tell([says(id, true, Date.now())], points);
  expect((await system.context.siteStates.read(site)).state).toEqual(state);
});
