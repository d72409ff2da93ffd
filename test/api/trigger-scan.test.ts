/** Scans as clients of NetAlertX ask for them. No packet leaves the machine: targets are on loopback, or attached to nothing. */
import { expect, test } from 'vitest';
import { testApi } from '../support/test-api.ts';

const system = testApi({ hasAgent: true });

const trigger = (body: unknown, path = '/nettools/trigger-scan', headers = {}) =>
  system.request('POST', path, { body, headers });
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
    expect({ status, json }).toMatchObject({
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
