/** `/audit`: what was done, by whom, and from where. */

import { expect, test } from 'vitest';
import { tokenId } from '../../functions/http/token.ts';
import { rows } from '../../functions/table/rows.ts';
import { admin } from '../../shared/api/admin.ts';
import { makeAgentKey } from '../agent-key.ts';
import { connectAssistant } from '../mcp-client.ts';
import { startObedientAgent } from '../support/enrolled-agent.ts';
import type { TestApi } from '../support/in-process.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const ADDRESS = '203.0.113.9';
const NAS = '00:1E:06:AA:BB:01';

/** A request that a trusted proxy has passed on, with the address of its client. */
async function ask(method: string, path: string, options: Parameters<TestApi['request']>[2] = {}) {
  const headers = { 'x-forwarded-for': ADDRESS, ...options.headers };
  const answer = await system.request(method, path, { ...options, headers });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json as Record<string, unknown>;
}

async function entriesOf(site: string) {
  const { json } = await system.request('GET', '/audit?limit=500', { site });
  return admin.listAudit.response.parse(json).entries;
}

test('every entry names the address from which its request came: changes, commands, and what agents do', async () => {
  const site = 'watched';
  const { defaultSite: _, id: token } = await ask('POST', '/tokens', {
    body: { name: 'test', scopes: ['admin'], sites: '*' },
  });
  await ask('POST', '/sites', { body: { id: site } });
  await ask('PATCH', `/sites/${site}`, { body: { name: 'Watched' } });
  const content = Buffer.from(`devMac,devName\n${NAS},nas\n00:1E:06:AA:BB:02,tv\n`).toString('base64');
  await ask('POST', '/devices/import', { site, body: { content } });
  await ask('PATCH', '/devices', { site, body: { devices: [NAS], set: { devOwner: 'me' } } });
  await ask('PATCH', `/devices/${NAS}`, { site, body: { devName: 'storage' } });
  await ask('DELETE', `/devices/${NAS}`, { site });
  await ask('POST', '/devices/restore', { site, body: {} });
  await ask('DELETE', '/devices', { site, body: { macs: null } });
  const hook = await ask('POST', '/hooks', {
    site,
    body: { url: 'https://hooks.example.org/x', format: 'json', events: ['new'] },
  });
  await ask('DELETE', `/hooks/${hook.id}`, { site });
  const { code } = await ask('POST', `/sites/${site}/agents`, { body: { name: 'attic' } });
  const [first, second] = [await makeAgentKey(), await makeAgentKey()];
  await ask('POST', '/enrol', { token: null, body: { code, csr: first.csr } });
  const agent = `${site}:attic`;
  await ask('POST', '/enrol/renew', { token: null, body: first.renewal(agent, second.csr) });
  await ask('DELETE', `/sites/${site}/agents/attic`);
  await ask('DELETE', `/tokens/${token}`);

  const entries = await entriesOf(site);
  const actions = [
    ...'token.create site.add site.change devices.import devices.edit device.edit device.delete'.split(' '),
    ...'devices.restore devices.delete hook.add hook.remove enrolment.create agent.enrol agent.renew'.split(' '),
    ...['agent.revoke', 'token.revoke'],
  ];
  expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(actions));
  expect(entries.filter(({ sourceAddress }) => sourceAddress !== ADDRESS)).toEqual([]);
  const row = await system.context.table.get(rows.auditEntry(site, entries.at(-1)?.id ?? ''));
  expect(JSON.stringify(row).length).toBeLessThan(1024); // One write unit.
});

test('a command bears the address of its request in the audit, and not in the list of jobs', async () => {
  await using _agent = await startObedientAgent(system, 'home', 'main');
  await ask('GET', '/nettools/interfaces', { site: 'home', headers: { 'x-forwarded-for': '::ffff:198.51.100.7' } });
  await using assistant = await connectAssistant(system.url, system.token, {
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-forwarded-for', '2001:DB8::7');
      return system.service(new Request(url, { ...init, headers }));
    },
  });
  await assistant.call('network_interfaces');
  const entries = (await entriesOf('home')).filter(({ action }) => action === 'tool.interfaces');
  expect(entries.map(({ sourceAddress }) => sourceAddress)).toEqual(['2001:db8::7', '198.51.100.7']);
  const { text } = await system.request('GET', '/jobs', { site: 'home' });
  expect(text).toContain('"tool":"interfaces"');
  expect(text).not.toContain('198.51.100.7');
});

test('an entry that is older than the address is shown without one', async () => {
  const site = await system.addSite();
  const { table } = system.context;
  const [entry] = await entriesOf(site);
  const key = rows.auditEntry(site, entry?.id ?? '');
  const row = await table.get(key);
  const { sourceAddress, ...older } = JSON.parse(String(row?.d));
  expect(sourceAddress).toBe('127.0.0.1');
  await table.put({ ...key, d: JSON.stringify(older), ttl: Number(row?.ttl) });
  expect((await entriesOf(site))[0]).toMatchObject({ action: 'site.add', sourceAddress: null });
});

test('the entry of a hook has its name, its quiet hours and its devices, in one write unit', async () => {
  const site = await system.addSite();
  const devices = Array.from({ length: 100 }, (_, i) => `00:1E:06:AA:BB:${String(i).padStart(2, '0')}`);
  const quiet = { from: '22:00', to: '07:00', exceptEvents: ['down', 'outage'] };
  const hook = { url: 'https://hooks.example.org/x', name: 'phone', events: ['new'], quiet };
  await ask('POST', '/hooks', { site, body: { ...hook, only: { types: ['Camera'], devices } } });
  const { detail } = (await entriesOf(site)).find(({ action }) => action === 'hook.add') ?? {};
  expect(detail).toMatchObject({
    ...{ name: 'phone', quiet: '22:00 07:00 down outage' },
    only: expect.stringMatching(/^{"types":\["Camera"\],"devices":\["00:1E:06:AA:BB:00"/),
  });
  expect(JSON.stringify(detail).length).toBeLessThan(700);
});

test('an edit bears the values before and after; filters by actor, device, action and time', async () => {
  const site = await system.addSite();
  const token = await system.createToken({ scopes: ['devices:write'], sites: [site] });
  const other = tokenId(token);
  await system.importCsv(`devMac,devName,devOwner\n${NAS},nas,Ada\n00:1E:06:AA:BB:02,tv,\n`, site);
  await ask('PATCH', `/devices/${NAS}`, { site, token, body: { devName: 'storage', devOwner: 'Ada' } });
  await ask('PATCH', '/devices/00:1E:06:AA:BB:02', { site, body: { devOwner: 'Ben' } });
  await ask('PATCH', `/sites/${site}`, { body: { timeZone: 'Europe/Berlin' } });

  const list = async (query: string) => {
    const { json } = await system.request('GET', `/audit?${query}`, { site });
    return admin.listAudit.response.parse(json);
  };
  const [edit, ...none] = (await list(`by=${other}`)).entries;
  expect(none).toEqual([]);
  expect(edit).toMatchObject({
    action: 'device.edit',
    detail: { device: NAS, name: 'storage' },
    changes: { devName: { from: 'nas', to: 'storage' } },
  });
  expect(Object.keys(edit?.changes ?? {})).toEqual(['devName']);
  expect((await list(`about=${NAS.toLowerCase()}`)).entries.map(({ id }) => id)).toEqual([edit?.id]);
  expect((await list('about=Ben')).entries.map(({ action }) => action)).toEqual(['device.edit']);
  const actions = async (query: string) => (await list(query)).entries.map(({ action }) => action);
  expect(await actions('action=device,devices')).toEqual(['device.edit', 'device.edit', 'devices.import']);
  expect(await actions('action=site.change')).toEqual(['site.change']);
  const [change] = (await list('action=site.change')).entries;
  expect(change?.changes).toEqual({ timeZone: { from: 'UTC', to: 'Europe/Berlin' } });
  expect(await actions(`since=${change?.at}`)).toEqual(['site.change']);
  expect(await actions(`action=device&until=${edit?.at}`)).toEqual([]);
});

test('the audit of all sites has the entries of those that the token may use, and nothing of others', async () => {
  const [mine, yours] = [await system.addSite(), await system.addSite()];
  const sitesOf = async (token = system.token) => {
    const { json } = await system.request('GET', '/audit?allSites=true&limit=500', { site: mine, token });
    return new Set(admin.listAudit.response.parse(json).entries.map(({ site }) => site));
  };
  expect([...(await sitesOf())]).toEqual(expect.arrayContaining([yours, mine]));
  expect(await sitesOf(await system.createToken({ scopes: ['admin'], sites: [mine] }))).toEqual(new Set([mine]));
});
