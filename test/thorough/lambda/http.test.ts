/** What of HTTP passes through the gateway and the built functions: framing, streams, caching, uploads, prefixes. */
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRow } from '../../../functions/http/audit-log.ts';
import { type Output, PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { enrolInCloud } from '../../lambda/agents.ts';
import { type Cloud, HOME, startCloud } from '../../lambda/cloud.ts';
import { startInstance } from '../../lambda/function-process.ts';
import { readAnswer, STAGE, wholeOf } from '../../lambda/gateway.ts';
import { runtime } from '../../lambda/needed-runtime.ts';
import { eventFor } from '../../lambda/operations.ts';
import { PAYLOAD_BYTES } from '../../lambda/runtime-api.ts';
import { watchDatabase } from '../../lambda/watched-database.ts';
import { ackFor, type EnrolledAgent, resultFor, type StandIn, startStandIn } from '../../support/enrolled-agent.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(runtime === null)('HTTP', () => {
  let cloud: Cloud;
  let enrolled: EnrolledAgent;
  let agent: StandIn;

  beforeAll(async () => {
    cloud = await startCloud();
    enrolled = await enrolInCloud(cloud, HOME, 'stand-in');
    agent = await startStandIn(cloud, enrolled);
  });
  afterAll(async () => {
    for (const one of [agent, enrolled, cloud]) await one?.[Symbol.asyncDispose]();
  });

  async function addSite(id: string, csv?: string): Promise<void> {
    await cloud.atHome.request('POST', '/sites', { body: { id } });
    if (csv === undefined) return;
    const body = { content: Buffer.from(csv).toString('base64') };
    const { status, text } = await cloud.atHome.request('POST', '/devices/import', { site: id, body });
    expect([status, text]).toMatchObject([200, expect.stringContaining('"skipped_lines":[]')]);
  }

  test('a streamed answer begins with its head as JSON and eight NULs; one without a body, too', async () => {
    const event = eventFor('countDevices', { token: cloud.token, site: HOME });
    for (const [method, status, body] of [
      ['GET', 200, '[0,0,0,0,0,0]'],
      ['HEAD', 200, ''],
    ] as const) {
      // A body with these methods is none of the API's, and not an error either.
      const answered = await cloud.functions.data.invoke({ ...event, httpMethod: method, body: '{}' });
      expect(answered).toMatchObject({
        mode: 'streaming',
        contentType: 'application/vnd.awslambda.http-integration-response',
      });
      const bytes = await wholeOf(answered.body);
      const end = bytes.indexOf(Buffer.alloc(8));
      expect(bytes.subarray(end + 8).toString()).toBe(body);
      expect(JSON.parse(bytes.subarray(0, end).toString())).toEqual({
        statusCode: status,
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        cookies: [],
      });
    }
  });

  test('behind the stage the gateway renames the challenge, which assistants need to find the authorization server', async () => {
    const ask = async (path: string, method = 'GET') => {
      const answer = await cloud.fetch(method, path, { token: null });
      return { answer, json: (await answer.json()) as Record<string, unknown> };
    };
    const { headers } = (await ask('/mcp', 'POST')).answer;
    expect(headers.get('www-authenticate')).toBeNull(); // DEPLOY.md says that it takes a domain.
    const challenge = headers.get('x-amzn-remapped-www-authenticate') ?? '';
    const [, found = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const base = found.replace('/.well-known/oauth-protected-resource/mcp', '');
    expect(new URL(base)).toMatchObject({ protocol: 'https:', pathname: `/${STAGE}` });
    const { json: resource } = await ask('/.well-known/oauth-protected-resource/mcp');
    expect(resource).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] });
    const { json: server } = await ask('/.well-known/openid-configuration');
    expect(server).toMatchObject({ issuer: base, token_endpoint: `${base}/oauth/token` });
  });

  test('a list of devices that no buffered answer could hold; gzip, and as it is', async () => {
    const rows = Array.from({ length: 1_800 }, (_, i) => {
      const mac = `00:1E:06:00:${(i >> 8).toString(16).padStart(2, '0')}:${(i & 255).toString(16).padStart(2, '0')}`;
      return `${mac.toUpperCase()},device ${i},${`comment ${i} `.padEnd(3_800, '.')}`;
    });
    await addSite('large', ['devMac,devName,devComments', ...rows].join('\n'));
    const options = { 'x-site': 'large' };
    const plain = await cloud.rawGet('/devices?fields=all', options);
    expect(plain.body.length).toBeGreaterThan(PAYLOAD_BYTES);
    const zipped = await cloud.rawGet('/devices?fields=all', { ...options, 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.body.length).toBeLessThan(plain.body.length / 10);
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    const atHome = await cloud.atHome.rawGet('/devices?fields=all', options);
    expect(plain.body.equals(atHome.body)).toBe(true);
    expect(zipped.headers.etag).toBe(atHome.headers.etag);
  });

  test.each([
    ['HEAD', '/devices', 200],
    ['PUT', '/devices', 405],
    ['GET', '/jobs/home.01934c1e-5f00-7a11-8a22-0123456789ab', 404],
    ['OPTIONS', '/nettools/speedtest', 204],
    ['GET', '/', 404],
    ['GET', '/nobody/serves/this', 404],
    ['GET', '/console/', 200],
    ['POST', '/console/', 405],
    ['GET', '/console/assets/..%2findex.html', 404],
  ])('%s %s is %i, as with `npm start`', async (method, path, status) => {
    const [ours, theirs] = await Promise.all([
      cloud.request(method, path),
      cloud.atHome.request(method, `/prod${path}`),
    ]);
    expect([ours.status, theirs.status]).toEqual([status, status]);
    expect(ours.headers.get('allow')).toBe(theirs.headers.get('allow'));
    expect(ours.headers.get('content-type')).toBe(theirs.headers.get('content-type'));
    const withoutId = (json: unknown) => ({ ...Object(json), requestId: null });
    expect(withoutId(ours.json)).toEqual(withoutId(theirs.json));
  });

  test('an uploaded file arrives byte for byte, whatever its bytes are', async () => {
    await addSite('uploaded');
    const boundary = '----WebKitFormBoundary8sLQmTn2vXcL0aZ';
    const upload = (file: Buffer) => ({
      site: 'uploaded',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      raw: Buffer.concat([
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="ü.csv"\r\nContent-Type: text/csv\r\n\r\n`,
        ),
        file,
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]),
    });
    const csv = '\ufeffdevMac,devName,devComments\r\n00:1E:06:00:00:01,"Küche ★ 台所 😀","a\r\nb"\r\n';
    const { json } = await cloud.request('POST', '/devices/import', upload(Buffer.from(csv)));
    expect(json).toMatchObject({ success: true, inserted: 1, skipped_lines: [] });
    const all = await cloud.request('GET', '/devices?fields=all', { site: 'uploaded' });
    expect(all.json).toMatchObject({ devices: [{ devName: 'Küche ★ 台所 😀', devComments: 'a\r\nb' }] });

    const exported = await cloud.rawGet('/devices/export/csv?columns=all', { 'x-site': 'uploaded' });
    const again = await cloud.request('POST', '/devices/import?mode=replace', upload(exported.body));
    expect(again.json).toMatchObject({ inserted: 1, updated: 1, deleted: 0 });
    const twice = await cloud.rawGet('/devices/export/csv?columns=all', { 'x-site': 'uploaded' });
    expect(twice.body.equals(exported.body)).toBe(true);

    // As text, those bytes would become something else on the way, and would be taken.
    const broken = await cloud.request('POST', '/devices/import', upload(Buffer.from([0x64, 0xff, 0xfe, 0x0a])));
    expect([broken.status, broken.json]).toMatchObject([400, { code: 'malformed_csv' }]);
    expect((broken.json as { message: string }).message).toMatch(/UTF-8/);
  });

  test.each([
    ['the stage', '/prod', () => cloud],
    ['a base path of a domain', '/lan', () => cloud.underDomain],
  ] as const)('links lead back through %s', async (_, prefix, client) => {
    const asked = client().request('GET', '/nettools/interfaces', { headers: { prefer: 'respond-async' } });
    const request = await agent.take();
    const { status, headers } = await asked;
    expect([status, headers.get('location')]).toEqual([202, `${prefix}/jobs/${request.id}`]);
    const origin = new URL(client().url).origin;
    const authorization = `Bearer ${cloud.token}`;
    const job = await fetch(`${origin}${headers.get('location')}`, { headers: { authorization } });
    expect([job.status, await job.json()]).toMatchObject([200, { id: request.id, endedAt: null }]);
    await agent.say(request.replyTo, resultFor(request, { output: '[]', result: {} }));
  });

  test('events arrive as they happen, and while one instance streams another one answers', async () => {
    const asked = cloud.stream('POST', '/nettools/nmap', {
      headers: JSON_TYPE,
      raw: JSON.stringify({ scan: '127.0.0.1', mode: 'fast' }),
    });
    const request = await agent.request();
    // Each is waited for before the next is said: what is held back until the end would never come.
    await agent.say(request.replyTo, ackFor(request));
    const stream = await asked;
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    await stream.first('accepted');
    const output: Output = { v: PROTOCOL_VERSION, t: 'output', id: request.id, at: 0, text: 'first\n' };
    await agent.say(request.replyTo, output);
    expect((await stream.first('output')).data).toMatchObject({ text: 'first\n' });
    const running = await cloud.request('GET', `/jobs/${request.id}`);
    expect(running.json).toMatchObject({ id: request.id, endedAt: null });
    expect(cloud.functions.commands.instances.length).toBeGreaterThan(1);
    await agent.say(request.replyTo, resultFor(request, { output: 'first\nsecond\n' }));
    expect((await stream.first('result')).data).toMatchObject({ id: request.id, state: 'succeeded' });
    await stream.ended;
    await agent.control('stored', request.id); // Ingest has it, by way of the queue.
  });

  test('an export that cannot be completed is cut off: no client takes a part of it for all', async () => {
    await addSite('exported');
    const details = Array.from({ length: 5_000 }, () => ({ text: randomBytes(700).toString('hex') }));
    const event = { site: 'exported', actor: 'x', action: 'devices.edit', requestId: '', sourceAddress: null } as const;
    const items = details.map((detail) => ({ put: auditRow({ ...event, detail }, new Date()) }));
    await cloud.context.table.bulk(items);
    const options = cloud.optionsOf('access');
    await using database = await watchDatabase(options.environment.DYNAMODB_ENDPOINT ?? '');
    const environment = { ...options.environment, DYNAMODB_ENDPOINT: database.url };
    await using admin = await startInstance({ ...options, environment });
    const { body, status } = await readAnswer(
      await admin.invoke(eventFor('exportAudit', { token: cloud.token, site: 'exported', query: {} })),
    );
    expect(status).toBe(200);
    // Nobody reads, so the function cannot have read everything.
    database.isDown = true;
    await expect(wholeOf(body)).rejects.toThrow();
    // Whatever became of the process, the function answers the next request.
    const whole = await cloud.request('GET', '/audit/export', { site: 'exported' });
    // Beside them the header, and entries of the site and of all sites.
    expect([whole.status, whole.text.split('\r\n').length > details.length]).toEqual([200, true]);
  });
});
