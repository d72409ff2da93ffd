/** `/hooks`: what is recorded of quiet hours. */
import { expect, test } from 'vitest';
import { admin } from '../../shared/api/admin.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const QUIET = { from: '22:00', to: '07:00' };

async function change(method: string, path: string, site: string, body: object): Promise<string> {
  const answer = await system.request(method, path, { site, body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return (answer.json as { id: string }).id;
}

async function makeSite(id: string): Promise<string> {
  await system.request('POST', '/sites', { body: { id } });
  return id;
}

const ADDED = { url: 'https://hooks.example.org/x', events: ['new'], quiet: QUIET };

test('the audit says how a hook is called, when it is quiet, and of which devices it tells, in one write unit', async () => {
  const site = await makeSite('audited');
  const devices = Array.from({ length: 100 }, (_, i) => `00:1E:06:AA:BB:${String(i).padStart(2, '0')}`);
  const quiet = { ...QUIET, exceptEvents: ['down', 'outage'] };
  await change('POST', '/hooks', site, { ...ADDED, name: 'phone', quiet, only: { types: ['Camera'], devices } });
  const { json } = await system.request('GET', '/audit?limit=10', { site });
  const { detail } = admin.listAudit.response.parse(json).entries.find(({ action }) => action === 'hook.add') ?? {};
  expect(detail).toMatchObject({
    ...{ name: 'phone', quiet: '22:00 07:00 down outage' },
    only: expect.stringMatching(/^{"types":\["Camera"\],"devices":\["00:1E:06:AA:BB:00"/),
  });
  expect(JSON.stringify(detail).length).toBeLessThan(700);
});
