/** Scans as clients of NetAlertX ask for them. No packet leaves the machine: targets are on loopback, or attached to nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nettools } from '../shared/api/nettools.ts';
import { startTestSystem, type TestSystem } from './test-system.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system.close());

const trigger = (body: unknown, path = '/nettools/trigger-scan', headers = {}) =>
  system.request('POST', path, { body, headers });
const job = async (id: string) =>
  (await system.request('GET', `/jobs/${id}`)).json as { state: string; message: string };

test('NMAP of a target is answered at once with the job, which ends as any other', async () => {
  const { status, json, headers } = await trigger({ type: 'NMAP', scan: '127.0.0.1' });
  expect(status).toBe(202);
  const answer = nettools.triggerScan.response.parse(json);
  expect(answer).toMatchObject({
    message: 'Scan triggered for type: NMAP',
    jobs: [{ id: answer.scan_id, tool: 'nmap', request: { target: '127.0.0.1', mode: 'fast' } }],
  });
  expect(headers.get('location')).toBe(`/jobs/${answer.scan_id}`);
  await expect.poll(async () => (await job(answer.scan_id)).state).toBe('succeeded');
});

test('a repeated request with the same Idempotency-Key starts nothing', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = { type: 'NMAP', scan: '127.0.0.2', mode: 'fast' };
  const [first, second] = [await trigger(body, undefined, headers), await trigger(body, undefined, headers)];
  expect([first.status, second.status]).toEqual([202, 202]);
  expect((second.json as { scan_id: string }).scan_id).toBe((first.json as { scan_id: string }).scan_id);
});

test.each([{}, { type: 'ARPSCAN' }, { type: 'NMAPDEV' }])(
  'while discovery is off, %j is refused, and the answer says how to switch it on',
  async (body) => {
    const { status, json } = await trigger(body);
    expect([status, json]).toMatchObject([
      409,
      { code: 'conflict', message: expect.stringContaining('lanreach site discover home on') },
    ]);
  },
);

test('while discovery is off, the tool itself says so too', async () => {
  const { status, json } = await system.request('GET', '/nettools/arpscan');
  expect([status, json]).toMatchObject([
    409,
    { code: 'conflict', message: expect.stringContaining('Discovery is off') },
  ]);
});

test.each([
  [{ type: 'INTRNT' }, 'type'],
  [{ type: 'NMAP', scan: 'nas' }, 'scan'],
  [{ type: 'NMAP', scan: '127.0.0.1', mode: 'quick' }, 'mode'],
  [{ type: 'ARPSCAN', scan: '127.0.0.1' }, 'scan'],
  [{ mode: 'fast' }, 'mode'],
])('%j is refused, naming the field', async (body, field) => {
  const { status, json } = await trigger(body);
  expect([status, json]).toMatchObject([400, { errors: [{ path: field }] }]);
});

test('an agent that does not exist, and a site without one', async () => {
  const unknown = await trigger({ type: 'NMAP', scan: '127.0.0.1' }, '/nettools/trigger-scan?agent=nobody');
  expect([unknown.status, unknown.json]).toMatchObject([400, { message: expect.stringContaining('main') }]);
  const site = await system.addSite();
  const empty = await system.request('POST', '/nettools/trigger-scan', { site, body: { type: 'NMAP' } });
  expect([empty.status, empty.json]).toMatchObject([503, { code: 'agent_offline' }]);
});

test('ARPSCAN is a job: where nothing can be seen, it ends with the reason', async () => {
  // Of TEST-NET-3, to which no host is attached: nothing is sent.
  const discovery = { enabled: true, networks: ['203.0.113.0/24'] };
  await system.request('PATCH', '/sites/home', { body: { discovery } });
  try {
    const agents = async () => (await system.request('GET', '/sites/home/agents')).json;
    await expect.poll(agents, { timeout: 60_000 }).toMatchObject({ agents: [{ discovery: { state: 'failing' } }] });
    const { status, json } = await trigger({});
    expect(status).toBe(202);
    const { scan_id, jobs } = nettools.triggerScan.response.parse(json);
    expect(jobs).toMatchObject([{ tool: 'arpscan', agent: 'home:main' }]);
    await expect
      .poll(() => job(scan_id), { timeout: 60_000 })
      .toMatchObject({
        state: 'failed',
        reason: 'tool_failed',
        message: 'this host is not attached to 203.0.113.0/24',
      });
  } finally {
    await system.request('PATCH', '/sites/home', { body: { discovery: { enabled: false } } });
  }
});
