/** Each built function answers as `npm start` does; `test/thorough/lambda/operations.test.ts` has all operations. */
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { groups } from '../../functions/groups/list.ts';
import { signIn } from '../../shared/api/sign-in.ts';
import type { HostileProvider } from '../support/hostile-provider.ts';
import { newVerifier } from '../support/signed-in.ts';
import { startObedientCloudAgent, startWholeCloud } from './agents.ts';
import { type Cloud, HOME } from './cloud.ts';
import { API_HOST, readAnswer, STAGE, wholeOf } from './gateway.ts';
import { runtime } from './needed-runtime.ts';
import { eventFor, operations } from './operations.ts';

/** Of each subject: a command, where it runs commands. */
const FIRST: [group: keyof typeof groups, method: string, path: string, body?: object][] = [
  ['data', 'GET', '/devices'],
  ['data', 'GET', '/schedules'],
  ['commands', 'GET', '/nettools/interfaces'],
  ['commands', 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ['access', 'GET', '/tokens'],
  ['access', 'GET', '/sign-in'],
  ['console', 'GET', '/console/'],
];
/** Where the browser is sent at the end. */
const CODE = /^\.\.\/console\/#\/sign-in\?code=([\w-]{43})$/;

describe.skipIf(runtime === null)('functions', () => {
  let provider: HostileProvider;
  let cloud: Cloud;
  let whole: Awaited<ReturnType<typeof startWholeCloud>>;
  let agent: AsyncDisposable;
  beforeAll(async () => {
    whole = await startWholeCloud();
    ({ provider, cloud } = whole);
    agent = await startObedientCloudAgent(cloud, HOME, 'main');
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await whole?.[Symbol.asyncDispose]();
  });

  test.each(FIRST)('%s answers: %s %s', async (group, method, path, body) => {
    expect(cloud.integrationOf(path.split('/')[1] ?? '').name).toBe(group);
    const options = { body, headers: { accept: 'application/json, text/event-stream' } };
    const ours = await cloud.request(method, path, options);
    expect([ours.status, ours.text]).toMatchObject([200, expect.stringMatching(/./)]);
    if (path === '/sign-in') return; // `npm start` of these tests has no provider.
    const theirs = await cloud.atHome.request(method, path, options);
    expect([theirs.status, Object.keys(Object(theirs.json))]).toEqual([200, Object.keys(Object(ours.json))]);
  });

  test.each(['ingest', 'worker'] as const)('%s takes an event of its queue', async (name) => {
    const { body } = await cloud.functions[name].invoke({ Records: [] });
    expect((await wholeOf(body)).toString()).toBe('{"batchItemFailures":[]}');
  });

  test('the worker does what is due when its clock calls it', async () => {
    const { body } = await cloud.functions.worker.invoke({});
    expect((await wholeOf(body)).toString()).toBe('null');
  });

  test('access gives the first token to whoever may invoke it, and to no request', async () => {
    for (const path of ['/', '/tokens', '/sites/home']) {
      const event = { ...eventFor('createToken'), path, replace: true, body: '{"replace":true}' };
      const { status } = await readAnswer(await cloud.functions.access.invoke(event));
      expect([path, status]).toEqual([path, 403]);
    }
    const { body } = await cloud.functions.access.invoke({});
    expect(JSON.parse((await wholeOf(body)).toString())).toMatchObject({ success: true, revoked: null });
  });

  test('somebody signs in: the library for it is in a file of its own, which the function finds', async () => {
    const { verifier, challenge } = newVerifier();
    const go = (path: string) => fetch(cloud.url + path, { redirect: 'manual' });
    const begun = await go(`/sign-in/start?challenge=${challenge}`);
    expect(begun.status).toBe(302);
    const asked = new URL(begun.headers.get('location') ?? '');
    expect(asked.searchParams.get('redirect_uri')).toBe(`https://${API_HOST}/${STAGE}/sign-in/callback`);
    const back = await go(`/sign-in/callback?${provider.visit(asked.href)}`);
    expect([back.status, back.headers.get('location')]).toEqual([303, expect.stringMatching(CODE)]);
    const code = CODE.exec(back.headers.get('location') ?? '')?.[1];
    const answer = await cloud.request('POST', '/sign-in/session', { token: null, body: { code, verifier } });
    const { token } = signIn.createSession.response.parse(answer.json);
    const own = await cloud.request('GET', '/people/self', { token });
    expect(own.json).toMatchObject({ person: { subject: 'ada', grants: [{ role: 'viewer', sites: '*' }] } });
  });

  test('without a token every operation but the open ones is refused, in the words of the contract', async () => {
    for (const [name, operation] of operations) {
      if (operation.scope === null) continue;
      const event = eventFor(name, { site: HOME, token: 'lr_0000000000000000.wrong' });
      const integration = cloud.integrationOf(event.path.split('/')[1] ?? '');
      const { status, body } = await readAnswer(await integration.function.invoke(event));
      expect([name, status, JSON.parse((await wholeOf(body)).toString())]).toMatchObject([
        name,
        403,
        { success: false, error: 'Forbidden', message: 'ERROR: Not authorized', code: 'forbidden' },
      ]);
    }
  });

  describe('the worker, for hooks', () => {
    // Its tasks are carried out here.
    beforeAll(() => cloud.working[Symbol.asyncDispose]());

    async function invoke(event: object): Promise<unknown> {
      const { body } = await cloud.functions.worker.invoke(event);
      return JSON.parse((await wholeOf(body)).toString());
    }

    test('does not reach this host, whatever name leads to it, and says so', async () => {
      const body = { url: 'https://localhost:9/secret-path-of-a-hook', events: ['imported', 'new'] };
      for (const url of ['http://example.org/x', 'https://127.0.0.1/x']) {
        const { status, json } = await cloud.request('POST', '/hooks', { body: { ...body, url } });
        expect([url, status, json]).toMatchObject([url, 400, { errors: [{ path: 'url' }] }]);
      }
      const added = await cloud.request('POST', '/hooks', { body });
      expect([added.status, added.text]).toMatchObject([201, expect.not.stringContaining('secret-path')]);
      const { id } = added.json as { id: string };
      const none = { batchItemFailures: [] };
      const { queue } = cloud.tasks;
      /** Lambda's way with what is in the queue now. */
      async function carryOut(event: SQSEvent): Promise<void> {
        expect(event.Records).toHaveLength(1);
        expect(await invoke(event)).toEqual(none);
        for (const record of event.Records) queue.delete(record);
      }
      // A new hook is woken, and finds nothing to send.
      await carryOut(queue.receive());
      await carryOut(queue.receive());
      const content = Buffer.from('devMac,devName\n00:1E:06:00:00:01,nas').toString('base64');
      expect((await cloud.request('POST', '/devices/import', { body: { content } })).status).toBe(200);
      // The function that has made the import wakes the hooks of the site, and that has each take a turn.
      const woken = queue.receive();
      expect(woken.Records.map(({ body: text }) => JSON.parse(text))).toEqual([{ site: HOME }]);
      await carryOut(woken);
      const turns = queue.receive();
      expect(turns.Records).toMatchObject([{ attributes: { MessageGroupId: id } }]);
      await carryOut(turns);

      const { json } = await cloud.request('GET', `/hooks/${id}/deliveries`);
      const { deliveries } = json as { deliveries: { reason: string }[] };
      expect(deliveries).toMatchObject([{ event: 'imported', state: 'pending', attempts: 1, status: null }]);
      expect(deliveries[0]?.reason).toMatch(
        /^its host is at (?:127\.0\.0\.1|::1), which is an address of this host or of an overlay network: not allowed$/,
      );
      // To be tried again later, in a group of its own, so that it holds up no other hook.
      cloud.tasks.passTime(15 * 60_000);
      expect(queue.receive().Records).toMatchObject([{ attributes: { MessageGroupId: id } }]);
    });
  });
});
