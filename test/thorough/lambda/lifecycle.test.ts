import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenMade } from '../../../functions/access/first-token.ts';
import { digestOf } from '../../../functions/http/token.ts';
import { PROTOCOL_VERSION, type Presence } from '../../../shared/agent/messages.ts';
import { topics } from '../../../shared/agent/topics.ts';
import { clientIdOf } from '../../../shared/identity.ts';
import { enrolInCloud, startCloudAgent } from '../../lambda/agents.ts';
import { type Cloud, type FunctionName, HOME, startCloud } from '../../lambda/cloud.ts';
import { type FunctionOptions, type Instance, startInstance } from '../../lambda/function-process.ts';
import { readAnswer, STAGE, wholeOf } from '../../lambda/gateway.ts';
import type { RoleKeys } from '../../lambda/iot-core.ts';
import { runtime } from '../../lambda/needed-runtime.ts';
import { eventFor } from '../../lambda/operations.ts';
import { follow, invokeForQueue, MessageQueue } from '../../lambda/queue.ts';
import { queued } from '../../lambda/rules.ts';
import { type WatchedDatabase, watchDatabase } from '../../lambda/watched-database.ts';
import { type EnrolledAgent, type StandIn, startStandIn } from '../../support/enrolled-agent.ts';

const VARIABLES = ['TABLE_NAME', 'STAGE', 'IOT_ENDPOINT', 'AGENT_BROKER', 'AGENT_POLICY'];
const LEFT_ALONE_MS = 150;
const OTHER_KEYS: RoleKeys = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE02',
  secretAccessKey: 'another/SECRET+key+of+the+same+role+0001',
  sessionToken: 'another+session/token==',
};

describe.skipIf(runtime === null)('the life of a function', () => {
  let cloud: Cloud;
  const running: AsyncDisposable[] = [];
  beforeAll(async () => {
    cloud = await startCloud();
    running.push(cloud);
    running.push(await startCloudAgent(cloud, HOME, 'main'));
  });
  afterAll(async () => {
    for (const one of running.reverse()) await one[Symbol.asyncDispose]();
  });

  /** One more instance of a function, with some variables of its own. */
  function start(name: FunctionName, changes: Record<string, string> = {}): Promise<Instance> {
    const options: FunctionOptions = cloud.optionsOf(name);
    return startInstance({ ...options, environment: { ...options.environment, ...changes } });
  }

  /** Asks again, as callers are told to, where the machine stood still for so long that the agent counts as silent. */
  async function responseOf(
    instance: Instance,
    event: APIGatewayProxyEvent,
    environment?: Record<string, string>,
    isSilent = false,
  ) {
    for (let tries = 1; ; tries++) {
      const answered = await instance.invoke(event, environment === undefined ? {} : { environment });
      const { status, body } = await readAnswer(answered);
      const text = (await wholeOf(body)).toString();
      if (isSilent || tries === 3 || !text.includes('"agent_silent"')) return { status, text };
    }
  }

  describe('loading', () => {
    test('without its variables a function names each of them', async () => {
      const missing = Object.fromEntries(VARIABLES.map((variable) => [variable, '']));
      const message = VARIABLES.map((variable) => `${variable} is not set`).join('\n');
      const failure = { name: 'FunctionError', type: 'ConfigError', message };
      await expect(start('ingest', missing)).rejects.toMatchObject(failure);
    });

    test('without a broker the function is there, says what is missing, and works as soon as there is one', async () => {
      cloud.iot.data.isDown = true;
      try {
        await using commands = await start('commands');
        expect(commands.output.join('\n')).toContain('the broker could not be reached when the function started');
        expect(await responseOf(commands, eventFor('health'))).toMatchObject({ status: 200 });
        const { status, text } = await responseOf(commands, eventFor('ready'));
        expect([status, JSON.parse(text)]).toMatchObject([503, { code: 'unavailable' }]);
        const jobs = eventFor('listJobs', { token: cloud.token, site: HOME });
        expect(await responseOf(commands, jobs)).toMatchObject({ status: 200 });
        cloud.iot.data.isDown = false;
        expect(await responseOf(commands, eventFor('ready'))).toMatchObject({ status: 200 });
        const interfaces = eventFor('interfaces', { token: cloud.token, site: HOME });
        expect(await responseOf(commands, interfaces)).toMatchObject({ status: 200 });
      } finally {
        cloud.iot.data.isDown = false;
      }
    });
  });

  test('access has nothing left to do when it has given a first token, and keeps none in its log', async () => {
    await using database = await watchDatabase(cloud.optionsOf('access').environment.DYNAMODB_ENDPOINT ?? '');
    await using access = await start('access', { DYNAMODB_ENDPOINT: database.url });
    for (const payload of [{}, { replace: true }]) {
      const { body } = await access.invoke(payload);
      const { token } = JSON.parse((await wholeOf(body)).toString()) as TokenMade;
      expect(database.underWay).toBe(0);
      await access.runIdle(LEFT_ALONE_MS);
      expect((await cloud.request('GET', '/tokens', { token })).status).toBe(200);
      for (const secret of [token, token.split('.')[1], digestOf(token)])
        expect(access.output.join()).not.toContain(secret);
    }
  });

  describe('between two requests', () => {
    const interfaces = () => eventFor('interfaces', { token: cloud.token, site: HOME });

    test('the connection ends, or the broker is away for a while: the next request is answered', async () => {
      await using commands = await start('commands');
      for (let cuts = 0; cuts < 3; cuts++) {
        if (cuts > 0) cloud.iot.data.cut();
        expect([cuts, await responseOf(commands, interfaces())]).toMatchObject([cuts, { status: 200 }]);
      }
      cloud.iot.data.isDown = true;
      cloud.iot.data.cut();
      try {
        const { status, text } = await responseOf(commands, interfaces());
        expect([status, JSON.parse(text)]).toMatchObject([503, { code: 'unavailable' }]);
      } finally {
        cloud.iot.data.isDown = false;
      }
      expect(await responseOf(commands, interfaces())).toMatchObject({ status: 200 });
    });

    test('the keys of the role are replaced: the next connection is signed with the new ones', async () => {
      const before = cloud.iot.data.keys;
      await using commands = await start('commands');
      const { accepted } = cloud.iot.data;
      cloud.iot.data.keys = OTHER_KEYS;
      try {
        cloud.iot.data.cut();
        expect(await responseOf(commands, interfaces())).toMatchObject({ status: 503 });
        expect(cloud.iot.data.refusals.at(-1)).toBe('unknown access key');
        const answer = await responseOf(commands, interfaces(), {
          AWS_ACCESS_KEY_ID: OTHER_KEYS.accessKeyId,
          AWS_SECRET_ACCESS_KEY: OTHER_KEYS.secretAccessKey,
          AWS_SESSION_TOKEN: OTHER_KEYS.sessionToken,
        });
        expect(answer).toMatchObject({ status: 200 });
        expect(cloud.iot.data.accepted).toBe(accepted + 1);
      } finally {
        cloud.iot.data.keys = before;
        cloud.iot.data.cut();
      }
    });

    test('ingest stores what comes after its connection has ended', async () => {
      cloud.iot.data.cut();
      const { json } = await cloud.request('GET', '/nettools/interfaces');
      expect(json).toMatchObject({ success: true });
      const stored = async () => (await cloud.atHome.request('GET', '/jobs?limit=1')).json;
      await expect.poll(stored).toMatchObject({ jobs: [{ state: 'succeeded' }] });
    });
  });

  test('ingest leaves to the queue what it cannot store, and stores it when it comes again', async () => {
    await cloud.atHome.request('POST', '/sites', { body: { id: 'queued' } });
    await using enrolled = await enrolInCloud(cloud, 'queued', 'main');
    await using database = await watchDatabase(cloud.optionsOf('ingest').environment.DYNAMODB_ENDPOINT ?? '');
    await using ingest = await start('ingest', { DYNAMODB_ENDPOINT: database.url });
    const queue = new MessageQueue({ name: 'q', visibilityMs: 500, maxReceives: 1_000 });
    let most = 0;
    await using _ = follow(
      queue,
      async (event) => {
        most = Math.max(...event.Records.map(({ attributes }) => Number(attributes.ApproximateReceiveCount)));
        return invokeForQueue(ingest, event);
      },
      1,
    );
    database.isDown = true;
    const presence: Presence = { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session: Date.now() };
    const payload = Buffer.from(JSON.stringify(presence));
    queue.send(queued(topics.presence(clientIdOf(STAGE, enrolled.identity.agent)), payload));
    queue.send(queued('lr/v1/another/p/another:queued:main', payload));
    await expect.poll(() => [queue.size, most]).toEqual([1, 3]);
    database.isDown = false;
    await expect.poll(() => queue.size).toBe(0);
    const { json } = await cloud.atHome.request('GET', '/sites/queued/agents');
    expect(json).toMatchObject({ agents: [{ id: 'queued:main', state: 'online' }] });
  });

  describe('when it has answered', () => {
    let agent: StandIn;
    let enrolled: EnrolledAgent;
    beforeAll(async () => {
      await cloud.atHome.request('POST', '/sites', { body: { id: 'silent' } });
      enrolled = await enrolInCloud(cloud, 'silent', 'main');
      agent = await startStandIn(cloud, enrolled);
    });
    afterAll(async () => {
      for (const one of [agent, enrolled]) await one?.[Symbol.asyncDispose]();
    });

    const requests: [FunctionName, string, number, Partial<APIGatewayProxyEvent>][] = [
      ['data', 'importDevices', 200, {}],
      ['data', 'listDevices', 200, {}],
      ['data', 'deleteDevices', 200, {}],
      ['data', 'searchDevices', 400, { body: '{"query":1}' }],
      ['data', 'countDevices', 405, { httpMethod: 'PUT' }],
      ['commands', 'interfaces', 200, {}],
      ['commands', 'nmap', 200, {}],
      ['commands', 'nmap', 400, { body: '{}' }],
      ['commands', 'getJob', 404, {}],
      ['commands', 'listJobs', 200, {}],
      ['access', 'addSite', 201, { body: '{"id":"cellar"}' }],
      ['access', 'createToken', 201, {}],
      ['access', 'createToken', 400, { body: '{}' }],
      ['access', 'createEnrolmentCode', 201, {}],
      ['access', 'enrolAgent', 403, { body: '{"code":"lre_0","csr":"-----BEGIN CERTIFICATE REQUEST-----"}' }],
    ];

    describe.each(['data', 'commands', 'access'] as const)('%s in one instance', (name) => {
      let database: WatchedDatabase;
      let instance: Instance;
      beforeAll(async () => {
        database = await watchDatabase(cloud.optionsOf(name).environment.DYNAMODB_ENDPOINT ?? '');
        instance = await start(name, { DYNAMODB_ENDPOINT: database.url });
      });
      afterAll(async () => {
        for (const one of [instance, database]) await one?.[Symbol.asyncDispose]();
      });

      test.each(requests.filter(([of]) => of === name))('%s has nothing left to do: %s, %i', async (...request) => {
        const [, operation, expected, changes] = request;
        // Its use is noted at the first request.
        const body = { name: 'fresh', scopes: ['devices:read', 'devices:write', 'nettools:run', 'admin'], sites: '*' };
        const { json } = await cloud.atHome.request('POST', '/tokens', { body });
        const { token } = json as { token: string };
        const event = { ...eventFor(operation, { token, site: HOME }), ...changes };
        const begunAt = performance.now();
        const { status, text } = await responseOf(instance, event);
        const answeredAt = performance.now();
        expect([status, text]).toMatchObject([expected, expect.any(String)]);
        expect(database.underWay).toBe(0);
        await instance.runIdle(LEFT_ALONE_MS);
        expect(database.lastAskedAt).toBeLessThan(answeredAt);
        if (expected !== 405) expect(database.lastAskedAt).toBeGreaterThan(begunAt);
      });
    });

    test('a command that its agent has not taken has been called off, and the broker has that', async () => {
      await using instance = await start('commands');
      const event = eventFor('interfaces', { token: cloud.token, site: 'silent' });
      const { status, text } = await responseOf(instance, event, undefined, true);
      expect([status, JSON.parse(text)]).toMatchObject([503, { code: 'agent_silent' }]);
      const { id } = await agent.request();
      await agent.control('cancel', id); // While the function stands still.
      const sentBefore = cloud.iot.data.lastSentAt; // Others publish as well, such as ingest.
      await instance.runIdle(LEFT_ALONE_MS);
      expect(cloud.iot.data.lastSentAt).toBe(sentBefore);
    });
  });
});
