/** `/hooks` from the API to receivers on this host. */
import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { eraseSite } from '../support/erase-site.ts';
import { testApi } from '../support/test-api.ts';
import { type Received, startReceiver, status } from './receiver.ts';

const api = testApi({ delivers: true, privateHooks: true });

const CSV = 'devMac,devName\n00:1E:06:00:00:01,nas\n00:1E:06:00:00:02,printer';
const NAS = '/devices/00:1E:06:00:00:01';

type AnyHook = Record<'id' | 'secret' | 'url', string>;

async function addHook(site: string, url: string, wanted: object = {}): Promise<AnyHook> {
  const body = { url, events: ['renamed', 'imported'], ...wanted };
  const { status: code, json, text } = await api.request('POST', '/hooks', { site, body });
  expect([code, text]).toMatchObject([201, expect.any(String)]);
  return json as AnyHook;
}

async function deliveriesOf(site: string, hook: string, query = ''): Promise<Record<string, unknown>[]> {
  const { json } = await api.request('GET', `/hooks/${hook}/deliveries${query}`, { site });
  return (json as { deliveries: Record<string, unknown>[] }).deliveries;
}

const rename = (site: string, devName: string) => api.request('PATCH', NAS, { site, body: { devName } });

function signatureOf({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string): string {
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  mac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return `v1,${mac.digest('base64')}`;
}

test('an event is delivered once, and signed, with another secret when it was replaced', async () => {
  await using receiver = await startReceiver();
  const site = await api.addSite(CSV);
  const { id, secret } = await addHook(site, receiver.url);
  await rename(site, 'media');
  await expect.poll(() => deliveriesOf(site, id)).toMatchObject([{ state: 'delivered', status: 204, attempts: 1 }]);
  const [{ headers, body, path }] = receiver.received as [Received];
  expect([path, receiver.received.length]).toEqual(['/hook', 1]);
  expect(JSON.parse(body)).toMatchObject({
    type: 'device.renamed',
    data: { site, device: { name: 'media' }, changes: { devName: { from: 'nas', to: 'media' } } },
  });
  expect(headers['webhook-signature']).toBe(signatureOf({ headers, body }, secret));
  expect(headers['user-agent']).toBe('LanReach');

  const replaced = await api.request('PATCH', `/hooks/${id}`, { site, body: { secret: 'new' } });
  const other = (replaced.json as AnyHook).secret;
  expect([other, other === secret]).toEqual([expect.stringMatching(/^whsec_/), false]);
  await api.request('POST', `/hooks/${id}/test`, { site });
  await expect.poll(() => receiver.received.length).toBe(2);
  const [, tested] = receiver.received as [Received, Received];
  expect(tested.headers['webhook-signature']).toBe(signatureOf(tested, other));
});

describe('/hooks', () => {
  test('shows no URL and no secret after a hook was added, in no answer, audit or log', async () => {
    await using receiver = await startReceiver();
    receiver.answer = status(500);
    const site = await api.addSite(CSV);
    const hook = await addHook(site, `${receiver.url}/T024/B0/verysecretpath0123`);
    expect(hook.url).toBe(`http://127.0.0.1:${receiver.port}/…0123`);
    await api.request('POST', `/hooks/${hook.id}/test`, { site });
    await expect.poll(() => receiver.received.length).toBe(1);
    await api.request('PATCH', `/hooks/${hook.id}`, { site, body: { events: ['new'] } });
    const texts = await Promise.all(
      ['/hooks', `/hooks/${hook.id}`, `/hooks/${hook.id}/deliveries`, '/audit'].map(
        async (path) => (await api.request('GET', path, { site })).text,
      ),
    );
    for (const text of [...texts, JSON.stringify(api.logged)]) {
      expect(text).not.toContain('verysecret');
      expect(text).not.toContain(hook.secret);
    }
    const { entries } = JSON.parse(texts[3] ?? '') as { entries: { action: string }[] };
    expect(entries.map(({ action }) => action).slice(0, 3)).toEqual(['hook.change', 'hook.test', 'hook.add']);
  });

  test('tries a receiver before there is a hook, says what it answered, and keeps nothing; not without end', async () => {
    await using receiver = await startReceiver();
    const site = await api.addSite();
    const token = await api.createToken({ sites: [site] });
    const attempt = (body: object) => api.request('POST', '/hooks/test', { site, token, body });
    const wanted = { url: `${receiver.url}/secretpath`, format: 'gotify' };
    const list = async () => (await api.request('GET', '/hooks', { site, token })).json as { hooks: AnyHook[] };
    const before = (await list()).hooks.map(({ id }) => id);
    expect((await attempt(wanted)).json).toEqual({ success: true, delivered: true, status: 204, reason: null });
    expect(receiver.received.map(({ body }) => JSON.parse(body).message)).toEqual([
      `${site}: this is a test of LanReach.`,
    ]);
    receiver.answer = status(404);
    expect((await attempt(wanted)).json).toMatchObject({ delivered: false, status: 404, reason: 'it answered 404' });
    receiver.answer = status(204); // By which Apprise says that it has not delivered.
    expect((await attempt({ ...wanted, format: 'apprise' })).json).toMatchObject({ delivered: false, status: 204 });
    expect((await attempt({ url: 'http://169.254.169.254/latest' })).status).toBe(400);
    expect((await attempt({ url: 'http://127.0.0.1:1/' })).json).toMatchObject({ delivered: false, status: null });
    expect((await list()).hooks.map(({ id }) => id)).toEqual(before);
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt(wanted)));
    expect(answers.map(({ status: code }) => code)).toContain(429);
    expect(JSON.stringify(api.logged)).not.toContain('secretpath');
  });

  test('keeps a name, quiet hours and chosen devices, and lets them go again', async () => {
    const site = await api.addSite();
    const quiet = { from: '22:00', to: '07:00', exceptEvents: ['down'] };
    const wanted = { name: 'phones', quiet, only: { types: ['Camera'], devices: ['001e06000001'] } };
    const { id } = await addHook(site, 'https://hooks.example.org/x', { events: ['new'], ...wanted });
    const only = { types: ['Camera'], devices: ['00:1E:06:00:00:01'] };
    const path = `/hooks/${id}`;
    expect((await api.request('GET', path, { site })).json).toMatchObject({ ...wanted, only });
    await api.request('PATCH', path, { site, body: { name: 'us' } });
    expect((await api.request('GET', path, { site })).json).toMatchObject({ name: 'us', quiet, only });
    await api.request('PATCH', path, { site, body: { name: null, quiet: null, only: null } });
    expect((await api.request('GET', path, { site })).json).toMatchObject({ name: null, quiet: null, only: null });
    expect((await api.request('GET', path, { site: 'home' })).status).toBe(404); // It is of its site alone.
    for (const wrong of [{ only: {} }, { quiet: { from: '7', to: '8' } }, { quiet: { from: '07:00', to: '07:00' } }]) {
      expect((await api.request('PATCH', path, { site, body: wrong })).status).toBe(400);
    }
  });

  test('tells nothing of what happened while a hook was disabled', async () => {
    await using receiver = await startReceiver();
    const site = await api.addSite(CSV);
    const { id } = await addHook(site, receiver.url);
    await api.request('PATCH', `/hooks/${id}`, { site, body: { enabled: false } });
    await rename(site, 'unheard');
    expect((await api.request('POST', `/hooks/${id}/test`, { site })).status).toBe(409);
    await api.request('PATCH', `/hooks/${id}`, { site, body: { enabled: true } });
    await rename(site, 'heard');
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '').data.device.name).toBe('heard');
  });

  test('has room for no more than twenty when several are added at the same time', async () => {
    const site = await api.addSite();
    const url = 'https://hooks.example.org/x';
    for (let i = 0; i < 18; i++) await addHook(site, url);
    const { hooks } = api.context;
    const list = hooks.list.bind(hooks);
    const counted: (() => void)[] = [];
    // All of them have counted the hooks before one is added.
    const spy = vi.spyOn(hooks, 'list').mockImplementation(async (of) => {
      const found = await list(of);
      if (counted.length < 4) {
        await new Promise<void>((resolve) => {
          counted.push(resolve);
          if (counted.length === 4) for (const goOn of counted) goOn();
        });
      }
      return found;
    });
    const body = { url, events: ['new'] };
    const add = () => api.request('POST', '/hooks', { site, body });
    const answers = await Promise.all([add(), add(), add(), add()]);
    spy.mockRestore();
    const ids = (await hooks.list(site)).hooks.map(({ id }) => id);
    expect(ids.length).toBeLessThanOrEqual(20);
    const added = answers.filter(({ status: code }) => code === 201).map(({ json }) => (json as AnyHook).id);
    expect(ids).toEqual(expect.arrayContaining(added));
    expect(ids).toHaveLength(18 + added.length);
    for (let i = ids.length; i < 20; i++) await addHook(site, url);
    expect((await add()).status).toBe(409);
  });

  test('has the deliveries in pages, and forgets all of a site that is removed', async () => {
    await using receiver = await startReceiver();
    const site = await api.addSite(CSV);
    const { id } = await addHook(site, receiver.url);
    for (let i = 0; i < 3; i++) await rename(site, `media ${i}`);
    await expect.poll(() => deliveriesOf(site, id)).toMatchObject(Array(3).fill({ state: 'delivered' }));
    const { json } = await api.request('GET', `/hooks/${id}/deliveries?limit=2`, { site });
    const { deliveries, nextCursor } = json as { deliveries: unknown[]; nextCursor: string };
    const rest = await deliveriesOf(site, id, `?limit=2&cursor=${nextCursor}`);
    expect([...deliveries, ...rest]).toEqual(await deliveriesOf(site, id));
    await eraseSite(api, api.context, site);
    const { table } = api.context;
    for await (const page of table.query(`H#${site}`, null, { consistent: true })) expect(page).toEqual([]);
  });
});
