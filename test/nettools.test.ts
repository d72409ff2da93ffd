/** `/nettools` from the HTTP request to the real agent and back, on this machine: what needs no other host. */
import { expect, test } from 'vitest';
import type { Job } from '../shared/api/jobs.ts';
import { nettools } from '../shared/api/nettools.ts';
import type { Operation } from '../shared/api/operation.ts';
import { ackFor, enrolAgent, type StandIn, standInAt } from './support/enrolled-agent.ts';
import { sharedSystem } from './support/shared-system.ts';

const system = sharedSystem();

const post = (path: string, body: unknown) => system.request('POST', `/nettools/${path}`, { body });

test('interfaces: the loopback interface as the kernel shows it', async () => {
  const { status, json } = await system.request('GET', '/nettools/interfaces');
  expect(status).toBe(200);
  const { interfaces } = nettools.interfaces.response.parse(json);
  expect(interfaces.lo).toMatchObject({ name: 'lo', type: 'loopback', state: 'up', mac: null, ipv4: ['127.0.0.1/8'] });
});

test.each(['skipdiscovery', 'detail'])(
  'nmap on loopback, %s: mode and target are echoed, the report comes in lines',
  async (wanted) => {
    const { status, json } = await post('nmap', { scan: '127.0.0.1', mode: wanted });
    expect(status).toBe(200);
    const { mode, ip, output } = nettools.nmap.response.parse(json);
    expect({ mode, ip }).toEqual({ mode: wanted, ip: '127.0.0.1' });
    expect(output.join('\n')).toContain('Nmap scan report for 127.0.0.1');
  },
);

test.each([
  ['8.8.8.8', 'fast'],
  ['::ffff:8.8.8.8', 'fast'],
  ['10.0.0.0/21', 'fast'],
  ['10.0.0.0/23', 'detail'],
  ['10.0.0.0/8', 'normal'],
  ['2001:4860::/120', 'fast'],
  ['64:ff9b::a00:1', 'fast'],
  ['169.254.169.254', 'fast'],
  ['::ffff:169.254.169.254', 'skipdiscovery'],
])('the policy of the agent refuses %s (%s), and no process is started', async (scan, mode) => {
  const { status, json } = await post('nmap', { scan, mode });
  expect([status, json]).toMatchObject([403, { success: false, code: 'target_not_allowed' }]);
});

test.each(['fe80::1%nosuchif0', 'fe80::1%25lo'])(
  'a zone is taken only when the interface exists on the host of the agent: %s',
  async (devLastIP) => {
    const { status, json } = await post('traceroute', { devLastIP });
    expect([status, json]).toMatchObject([400, { errors: [{ path: 'devLastIP' }] }]);
  },
);

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
  for (const name of names) agents.push(await standInAt(system, site, name));
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
  .map(({ method, path, example }) => ({ method, path, body: 'body' in example ? { body: example.body } : {} }));

test('a caller may name the agent, in every command', async () => {
  await using made = await siteWithAgents('attic', 'cellar');
  const { site, agents } = made;
  expect(COMMANDS).toHaveLength(8);
  for (const [i, { method, path, body }] of COMMANDS.entries()) {
    const agent = agents[i % 2]!;
    const name = agent.id.slice(site.length + 1);
    const sent = system.request(method, `${path}?agent=${name}`, { site, ...body, headers: { prefer: 'wait=0' } });
    await agent.take();
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
    expect(unknown).toMatchObject({
      status: 400,
      json: { code: 'validation_failed', errors: [{ path: 'query.agent', message }] },
    });
    const offline = await system.request(method, `${path}?agent=cellar`, { site, ...body });
    expect(offline).toMatchObject({
      status: 503,
      json: { code: 'agent_offline', message: `The agent ${site}:cellar is not connected` },
    });
  }
  const none = await system.request('GET', '/nettools/interfaces?agent=main', { site: await system.addSite() });
  expect(none).toMatchObject({ status: 400, json: { errors: [{ message: expect.stringContaining('it has none') }] } });
  const nowhere = await system.request('GET', '/nettools/interfaces?agent=main', { site: 'no-such-site' });
  expect([nowhere.status, nowhere.json]).toMatchObject([403, { code: 'site_forbidden' }]);
  expect((await system.request('GET', '/nettools/interfaces?agent=', { site })).status).toBe(400);
});

test('the same Idempotency-Key with another agent is another request', async () => {
  await using made = await siteWithAgents('attic');
  const { site, agents } = made;
  const headers = { 'idempotency-key': 'once', prefer: 'wait=0' };
  const first = system.request('GET', '/nettools/speedtest?agent=attic', { site, headers });
  await agents[0]!.take();
  expect((await first).status).toBe(202);
  expect((await system.request('GET', '/nettools/speedtest?agent=attic', { site, headers })).status).toBe(202);
  const other = await system.request('GET', '/nettools/speedtest', { site, headers });
  expect([other.status, other.json]).toMatchObject([422, { code: 'idempotency_mismatch' }]);
});
