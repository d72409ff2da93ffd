/** Which agent gets a command, and scans as clients of NetAlertX ask for them. No packet leaves the machine. */
import { expect, test } from 'vitest';
import { nettools } from '../../shared/api/nettools.ts';
import type { Operation } from '../../shared/api/operation.ts';
import { enrolAgent, standInAt } from '../support/enrolled-agent.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ hasAgent: true });

/** Requests that need nothing but to be sent, one for each operation. */
const COMMANDS = Object.values<Operation>(nettools)
  .filter(({ isCommand }) => isCommand)
  .map(({ method, path, example }) => ({ method, path, body: 'body' in example ? { body: example.body } : {} }));

test('a caller may name the agent, in every command', async () => {
  const site = await system.addSite();
  await using attic = await standInAt(system, site, 'attic');
  await using cellar = await standInAt(system, site, 'cellar');
  expect(COMMANDS).toHaveLength(8);
  for (const [i, { method, path, body }] of COMMANDS.entries()) {
    const agent = i % 2 === 0 ? attic : cellar;
    const name = agent.id.slice(site.length + 1);
    const sent = system.request(method, `${path}?agent=${name}`, { site, ...body, headers: { prefer: 'wait=0' } });
    await agent.take();
    const { status, json } = await sent;
    expect([path, status, json]).toMatchObject([path, 202, { agent: agent.id }]);
  }
});

test('a name that the site does not know is refused with those that it knows; one that is not connected is offline', async () => {
  const site = await system.addSite();
  await using _attic = await enrolAgent(system, site, 'attic');
  await using _cellar = await enrolAgent(system, site, 'cellar');
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
  expect((await system.request('GET', '/nettools/interfaces?agent=', { site })).status).toBe(400);
});

test('a repeated request with the same Idempotency-Key starts nothing, and with another agent is another request', async () => {
  const headers = { 'idempotency-key': 'once' };
  const trigger = (query = '') => {
    const body = { type: 'NMAP', scan: '127.0.0.2', mode: 'fast' };
    return system.request('POST', `/nettools/trigger-scan${query}`, { body, headers });
  };
  const [first, second] = [await trigger(), await trigger()];
  expect([first.status, second.status]).toEqual([202, 202]);
  expect((second.json as { scan_id: string }).scan_id).toBe((first.json as { scan_id: string }).scan_id);
  expect(await trigger('?agent=main')).toMatchObject({ status: 422, json: { code: 'idempotency_mismatch' } });
});

test.each([{}, { type: 'ARPSCAN' }, { type: 'NMAPDEV' }])(
  'while discovery is off, %j is refused, and the answer says how to switch it on',
  async (body) => {
    expect(await system.request('POST', '/nettools/trigger-scan', { body })).toMatchObject({
      status: 409,
      json: { code: 'conflict', message: expect.stringContaining('lanreach site discover home on') },
    });
  },
);

test.each([
  [{ type: 'INTRNT' }, 'type'],
  [{ type: 'NMAP', scan: 'nas' }, 'scan'],
  [{ type: 'NMAP', scan: '127.0.0.1', mode: 'quick' }, 'mode'],
  [{ type: 'ARPSCAN', scan: '127.0.0.1' }, 'scan'],
  [{ mode: 'fast' }, 'mode'],
])('%j is refused, naming the field', async (body, path) => {
  const refused = await system.request('POST', '/nettools/trigger-scan', { body });
  expect(refused).toMatchObject({ status: 400, json: { errors: [{ path }] } });
});
