/** What is left of a site in the deployment that it has moved away from. */
import { expect, test } from 'vitest';
import { ackFor, enrolAgent, resultFor, startStandIn } from '../support/enrolled-agent.ts';
import { startTestApi } from '../support/in-process.ts';

const FAILED = { state: 'failed', reason: 'tool_failed', message: 'it ended with 1', output: '' } as const;
const WEST = 'https://west.example.org';

test('it is read, not changed, and what its agents have to tell is kept for where it goes', async () => {
  await using api = await startTestApi();
  const site = await api.addSite();
  await using enrolled = await enrolAgent(api, site, 'main');
  await using agent = await startStandIn(api, enrolled);
  const ask = (method: string, path: string, body?: unknown) =>
    api.request(method, path, { site, ...(body === undefined ? {} : { body }) });
  const move = (to: string, token = api.token) => api.request('POST', `/sites/${site}/move`, { body: { to }, token });

  const asked = ask('GET', '/nettools/interfaces?wait=30');
  const request = await agent.request();
  await agent.say(request.replyTo, ackFor(request));

  // Who is not responsible for all sites cannot send one away, and nobody sends agents where they could be deceived.
  expect((await move(WEST, await api.createToken({ sites: [site], scopes: ['admin'] }))).status).toBe(403);
  expect((await move('http://west.example.org')).status).toBe(400);
  expect((await move(WEST)).json).toMatchObject({ movedTo: WEST });
  expect((await move('https://north.example.org')).status).toBe(409);
  await expect.poll(() => agent.discovery.at(-1)).toMatchObject({ t: 'settings', movedTo: WEST });

  for (const [method, path, body] of [
    ['DELETE', '/devices/00:1E:06:AA:BB:01', undefined],
    ['PATCH', `/sites/${site}`, { name: 'Other' }],
    ['POST', `/sites/${site}/agents`, { name: 'second' }],
    ['GET', '/nettools/interfaces', undefined],
  ] as const) {
    const refused = await ask(method, path, body);
    expect([path, refused.status]).toEqual([path, 421]);
    expect(refused.text).toContain(WEST);
  }
  expect((await ask('GET', '/devices')).status).toBe(200);

  // The agent keeps what is not confirmed, and tells it again.
  await agent.say(request.replyTo, resultFor(request, FAILED));
  await expect
    .poll(() => api.logged.map(({ msg }) => msg))
    .toContain('its agent keeps what it tells: the site has moved');
  const { json } = await api.request('GET', `/jobs/${request.id}`);
  expect(json).not.toMatchObject({ state: 'failed' });
  expect(agent.controls.filter(({ t }) => t === 'stored')).toEqual([]);

  expect((await api.request('DELETE', `/sites/${site}/move`)).json).not.toHaveProperty('movedTo');
  await expect.poll(() => agent.discovery.at(-1)).not.toHaveProperty('movedTo');
  await agent.say(request.replyTo, resultFor(request, FAILED));
  await agent.control('stored', request.id);
  expect((await api.request('GET', `/jobs/${request.id}`)).json).toMatchObject({ state: 'failed' });
  expect((await asked).json).toMatchObject({ code: 'command_failed' });
  expect((await ask('PATCH', `/sites/${site}`, { name: 'Other' })).status).toBe(200);
  const { json: audit } = await api.request('GET', `/audit?site=${site}`);
  const actions = (audit as { entries: { action: string }[] }).entries.map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['site.move', 'site.move_undo']));
});
