/** `/nettools` from the HTTP request to the real agent and back, on this machine: what needs no other host. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Job } from '../shared/api/jobs.ts';
import { nettools } from '../shared/api/nettools.ts';
import type { Operation } from '../shared/api/operation.ts';
import { ackFor, enrolAgent, type StandIn, startStandIn } from './support/enrolled-agent.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system.close());

const post = (path: string, body: unknown) => system.request('POST', `/nettools/${path}`, { body });

test('interfaces: the loopback interface as the kernel shows it', async () => {
  const { status, json } = await system.request('GET', '/nettools/interfaces');
  expect(status).toBe(200);
  const { interfaces } = nettools.interfaces.response.parse(json);
  expect(interfaces.lo).toMatchObject({ name: 'lo', type: 'loopback', state: 'up', mac: null, ipv4: ['127.0.0.1/8'] });
});

test('traceroute to loopback: one string, and the hops parsed', async () => {
  const { status, json } = await post('traceroute', { devLastIP: '127.0.0.1' });
  expect(status).toBe(200);
  const { output, result } = nettools.traceroute.response.parse(json);
  expect(output).toMatch(/^traceroute to 127\.0\.0\.1/);
  expect(result).toMatchObject({ target: '127.0.0.1', reached: true, hops: [{ hop: 1 }] });
});

test('nmap on loopback: mode and target are echoed, the report comes in lines', async () => {
  const { status, json } = await post('nmap', { scan: '127.0.0.1', mode: 'skipdiscovery' });
  expect(status).toBe(200);
  const { mode, ip, output } = nettools.nmap.response.parse(json);
  expect({ mode, ip }).toEqual({ mode: 'skipdiscovery', ip: '127.0.0.1' });
  expect(output.join('\n')).toContain('Nmap scan report for 127.0.0.1');
});

test('a target is echoed as it was sent, and an IPv4-mapped one is scanned as IPv4', async () => {
  const { json } = await post('nmap', { scan: '::FFFF:127.0.0.1', mode: 'fast' });
  expect(json).toMatchObject({ ip: '::FFFF:127.0.0.1' });
  expect((json as { output: string[] }).output.join('\n')).toContain('report for 127.0.0.1');
});

test.each([
  ['8.8.8.8', 'fast'],
  ['::ffff:8.8.8.8', 'fast'],
  ['10.0.0.0/21', 'fast'],
  ['10.0.0.0/23', 'detail'],
  ['10.0.0.0/8', 'normal'],
  ['2001:4860::/120', 'fast'],
  ['64:ff9b::a00:1', 'fast'],
  ['127.0.0.1', 'detail'],
  ['127.0.0.0/28', 'detail'],
  ['::1', 'detail'],
  ['169.254.169.254', 'fast'],
  ['::ffff:169.254.169.254', 'skipdiscovery'],
])('the policy of the agent refuses %s (%s), and no process is started', async (scan, mode) => {
  const { status, json } = await post('nmap', { scan, mode });
  expect([status, json]).toMatchObject([403, { success: false, code: 'target_not_allowed' }]);
});

const INJECTIONS = [
  '-oN x',
  '--script=x',
  '1.2.3.4;id',
  '$(id)',
  '`id`',
  '1.2.3.4\n',
  '\n1.2.3.4',
  ' 1.2.3.4',
  '1.2.3.4 5.6.7.8',
  '127.0.0.1\u0000',
  'x'.repeat(300),
  '１２７.0.0.1',
  '127.0.0.٣',
  '127。0。0。1',
  '010.0.0.1',
  '10.0.0.01',
  '0x7f.0.0.1',
  '2130706433',
  '127.1',
  '10.0.0.256',
  '10.0.0.1.',
  '::1%lo',
  '127.0.0.1%lo',
  'fe80::1%',
  'fe80::1%lo;id',
  'fe80::1%a/b',
  'fe80::1%lo%lo',
  '[::1]',
  '1::2::3',
  '1:2:3:4:5:6:7:8:9',
  '0.0.0.0',
  '::',
  '255.255.255.255',
  '224.0.0.1',
  'ff02::1',
  '::ffff:224.0.0.1',
  '',
];

test.each(INJECTIONS)('no tool takes %j for a target, and nothing becomes a job', async (target) => {
  const before = await system.jobCount();
  for (const [path, body] of [
    ['traceroute', { devLastIP: target }],
    ['nmap', { scan: target, mode: 'fast' }],
    ['wakeonlan', { devMac: target }],
  ] as const) {
    const { status, json } = await post(path, body);
    expect([path, status, json]).toMatchObject([path, 400, { success: false, code: 'validation_failed' }]);
    expect((json as { errors: { path: string }[] }).errors[0]?.path).toBe(Object.keys(body)[0]);
  }
  expect(await system.jobCount()).toBe(before);
});

test.each([
  '-',
  '-type=any',
  'a..b',
  '.',
  '*',
  'a b',
  'a\nserver 1.2.3.4',
  'a;id',
  '$(id)',
  'http://a',
  'a:53',
  'u@a',
  '256.256.256.256',
  '1.2.3',
  '0x7f.1',
  `${'x'.repeat(64)}.test`,
  '10.0.0.0/8',
  '-a',
  'a-',
  '1.1.1.1%lo',
  'ａ.test\u0000',
])('nslookup refuses %j', async (devLastIP) => {
  const { status, json } = await post('nslookup', { devLastIP });
  expect([status, json]).toMatchObject([400, { errors: [{ path: 'devLastIP' }] }]);
});

test.each([
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/024',
  '10.0.0.0/ 24',
  '10.0.0.0/',
  '/24',
  '10.0.0.0/255.0.0.0',
  '10.0.0.0/8/8',
  '0.0.0.0/0',
  '::/0',
  '10.0.0.1-5',
  '10.0.*.1',
  '10.0.0.1,2',
  'fe80::/129',
  'router.lan',
])('nmap refuses the range %j', async (scan) => {
  const { status, json } = await post('nmap', { scan, mode: 'fast' });
  expect([status, json]).toMatchObject([400, { errors: [{ path: 'scan' }] }]);
});

test.each(['FAST', '', '-A', 'fast ', '__proto__', 'constructor', 'toString', null, ['fast'], 5, undefined])(
  'nmap refuses the mode %j',
  async (mode) => {
    const { status, json } = await post('nmap', { scan: '127.0.0.1', mode });
    expect([status, json]).toMatchObject([400, { errors: [{ path: 'mode' }] }]);
  },
);

test.each([
  '00:1e:06:aa:bb',
  '00:1e:06:aa:bb:01:02',
  '00:1g:06:aa:bb:01',
  '00:1e-06:aa:bb:01',
  '0:1e:6:aa:bb:1',
  '001e.06aa',
  '00:00:00:00:00:00',
  'ff:ff:ff:ff:ff:ff',
  'internet',
  null,
  5,
  ['00:1e:06:aa:bb:01'],
])('wakeonlan refuses %j', async (devMac) => {
  const { status, json } = await post('wakeonlan', { devMac });
  expect([status, json]).toMatchObject([400, { errors: [{ path: 'devMac' }] }]);
});

test.each(['fe80::1%nosuchif0', 'fe80::1%25lo'])(
  'a zone is taken only when the interface exists on the host of the agent: %s',
  async (devLastIP) => {
    const { status, json } = await post('traceroute', { devLastIP });
    expect([status, json]).toMatchObject([400, { errors: [{ path: 'devLastIP' }] }]);
  },
);

test('unknown members of a body are passed by', async () => {
  expect((await post('traceroute', { devLastIP: '127.0.0.1', extra: { x: 1 } })).status).toBe(200);
});

test('a site without an agent is offline without a try; a site that does not exist is refused', async () => {
  const site = await system.addSite();
  const offline = await system.request('GET', '/nettools/interfaces', { site });
  expect([offline.status, offline.json]).toMatchObject([
    503,
    { code: 'agent_offline', message: `No agent of site "${site}" is connected` },
  ]);
  expect(Number(offline.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await system.request('GET', '/jobs', { site })).json).toMatchObject({ jobs: [] });
  expect((await system.request('GET', '/nettools/interfaces', { site: 'no-such-site' })).status).toBe(403);
});

test('every command is a job that its site can look up, and no other', async () => {
  await post('traceroute', { devLastIP: '127.0.0.1' });
  const [id = ''] = await system.newestJobs(1);
  const job = await endedJob(id);
  expect(job).toMatchObject({
    site: 'home',
    agent: 'home:main',
    tool: 'traceroute',
    request: { tool: 'traceroute', target: '127.0.0.1' },
    state: 'succeeded',
    reason: null,
    truncated: false,
    result: { reached: true },
  });
  expect(job.output).toContain('127.0.0.1');
  const other = await system.createToken({ sites: [await system.addSite()] });
  expect((await system.request('GET', `/jobs/${id}`, { token: other })).status).toBe(404);
  expect((await system.request('GET', '/jobs/home.0', {})).status).toBe(400);
});

async function endedJob(id: string): Promise<Job> {
  for (;;) {
    const { json } = await system.request('GET', `/jobs/${id}`);
    const job = Job.parse(json);
    if (job.endedAt !== null) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('the agents of a site: state, version, tools', async () => {
  const { json } = await system.request('GET', '/sites/home/agents');
  expect(json).toMatchObject({
    agents: [
      { id: 'home:main', state: 'online', programs: { nmap: expect.any(String), traceroute: expect.any(String) } },
    ],
  });
});

test('many at once: each caller gets its own answer', async () => {
  const targets = Array.from({ length: 24 }, (_, i) => `127.0.${i}.1`);
  const answers = await Promise.all(targets.map((devLastIP) => post('traceroute', { devLastIP })));
  for (const [i, { status, json }] of answers.entries()) {
    if (status === 503) expect(json).toMatchObject({ code: 'agent_busy' });
    else expect((json as { output: string }).output).toContain(`traceroute to ${targets[i]} `);
  }
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(8);
});

/* ---- Which agent ------------------------------------------------------------------------------------------------ */

/** A site with agents of these names, which are connected and take commands. */
async function siteWithAgents(...names: string[]): Promise<{ site: string; agents: StandIn[] } & AsyncDisposable> {
  const site = await system.addSite();
  const agents: StandIn[] = [];
  for (const name of names) agents.push(await startStandIn(system, await enrolAgent(system, site, name)));
  return {
    site,
    agents,
    async [Symbol.asyncDispose]() {
      await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
    },
  };
}

/** Requests that need nothing but to be sent, one for each operation. */
const COMMANDS = Object.values<Operation>(nettools)
  .filter(({ isCommand }) => isCommand)
  .map(({ method, path, example }) => ({
    method,
    path,
    body: 'body' in example ? { body: example.body } : {},
  }));

test('a caller may name the agent, in every command', async () => {
  await using made = await siteWithAgents('attic', 'cellar');
  const { site, agents } = made;
  expect(COMMANDS).toHaveLength(8);
  for (const [i, { method, path, body }] of COMMANDS.entries()) {
    const agent = agents[i % 2]!;
    const name = agent.id.slice(site.length + 1);
    const sent = system.request(method, `${path}?agent=${name}`, { site, ...body, headers: { prefer: 'wait=0' } });
    const request = await agent.request();
    await agent.say(request.replyTo, ackFor(request));
    const { status, json } = await sent;
    expect([path, status, json]).toMatchObject([path, 202, { agent: agent.id }]);
  }
});

test('without a name the agents of a site take turns', async () => {
  await using made = await siteWithAgents('attic', 'cellar', 'shed');
  const { site, agents } = made;
  const headers = { prefer: 'respond-async' };
  const chosen: unknown[] = [];
  for (let i = 0; i < 9; i++) {
    const sent = system.request('GET', '/nettools/speedtest', { site, headers });
    const taken = new AbortController();
    const asked = agents.map(async (agent) => ({ agent, request: await agent.request(taken.signal) }));
    const { agent, request } = await Promise.race(asked);
    taken.abort();
    await agent.say(request.replyTo, ackFor(request));
    chosen.push((await sent).json);
  }
  const ids = chosen.map((job) => (job as Job).agent);
  for (const { id } of agents) expect(ids.filter((one) => one === id)).toHaveLength(3);
});

test('a name that the site does not know is refused with those that it knows; one that is not connected is offline', async () => {
  await using made = await siteWithAgents('attic');
  const { site } = made;
  await enrolAgent(system, site, 'cellar');
  for (const { method, path, body } of COMMANDS) {
    const unknown = await system.request(method, `${path}?agent=garage`, { site, ...body });
    const message = `expected the name of an agent of site "${site}": it has attic, cellar`;
    expect([unknown.status, unknown.json]).toMatchObject([
      400,
      { code: 'validation_failed', errors: [{ path: 'query.agent', message }] },
    ]);
    const offline = await system.request(method, `${path}?agent=cellar`, { site, ...body });
    expect([offline.status, offline.json]).toMatchObject([
      503,
      { code: 'agent_offline', message: `The agent ${site}:cellar is not connected` },
    ]);
  }
  const none = await system.request('GET', '/nettools/interfaces?agent=main', { site: await system.addSite() });
  expect([none.status, none.json]).toMatchObject([
    400,
    { errors: [{ message: expect.stringContaining('it has none') }] },
  ]);
  const nowhere = await system.request('GET', '/nettools/interfaces?agent=main', { site: 'no-such-site' });
  expect([nowhere.status, nowhere.json]).toMatchObject([403, { code: 'site_forbidden' }]);
  expect((await system.request('GET', '/nettools/interfaces?agent=', { site })).status).toBe(400);
});

test('the same Idempotency-Key with another agent is another request', async () => {
  await using made = await siteWithAgents('attic');
  const { site, agents } = made;
  const headers = { 'idempotency-key': 'once', prefer: 'wait=0' };
  const first = system.request('GET', '/nettools/speedtest?agent=attic', { site, headers });
  const request = await agents[0]!.request();
  await agents[0]!.say(request.replyTo, ackFor(request));
  expect((await first).status).toBe(202);
  expect((await system.request('GET', '/nettools/speedtest?agent=attic', { site, headers })).status).toBe(202);
  const other = await system.request('GET', '/nettools/speedtest', { site, headers });
  expect([other.status, other.json]).toMatchObject([422, { code: 'idempotency_mismatch' }]);
});
