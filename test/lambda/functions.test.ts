/** Each built function answers as `npm start` does; `test/thorough/lambda/operations.test.ts` has all operations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { groups } from '../../functions/groups/list.ts';
import { signIn } from '../../shared/api/sign-in.ts';
import { CLIENT_ID, type HostileProvider, startHostileProvider } from '../support/hostile-provider.ts';
import { newVerifier } from '../support/signed-in.ts';
import { startCloudAgent } from './agents.ts';
import { type Cloud, HOME, STAGE, startCloud } from './cloud.ts';
import { API_HOST, readAnswer, wholeOf } from './gateway.ts';
import { neededRuntime, ROOT, runtime } from './needed-runtime.ts';
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
  const running: AsyncDisposable[] = [];

  beforeAll(async () => {
    provider = await startHostileProvider();
    running.push(provider);
    const rules = [{ claim: 'sub', value: '*', role: 'viewer', sites: '*' }] as const;
    cloud = await startCloud(ROOT, neededRuntime(), {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_ROLES: JSON.stringify(rules),
    });
    running.push(cloud);
    running.push(await startCloudAgent(cloud, HOME, 'main'));
  });
  afterAll(async () => {
    for (const one of running.reverse()) await one[Symbol.asyncDispose]();
  });

  test.each(FIRST)('%s answers: %s %s', async (group, method, path, body) => {
    expect(cloud.integrationOf(path.split('/')[1] ?? '').name).toBe(group);
    const options = {
      ...(body === undefined ? {} : { body }),
      headers: { accept: 'application/json, text/event-stream' },
    };
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
      const { status } = await readAnswer(await cloud.functions.access.invoke(event), 'streamed');
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
      const { status, body } = await readAnswer(await integration.function.invoke(event), integration.mode);
      expect([name, status, JSON.parse((await wholeOf(body)).toString())]).toMatchObject([
        name,
        403,
        { success: false, error: 'Forbidden', message: 'ERROR: Not authorized', code: 'forbidden' },
      ]);
    }
  });
});
