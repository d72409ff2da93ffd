/** Every operation through the built functions; the answers are compared with those of `npm start`. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personId } from '../../../functions/access/people/person-store.ts';
import { Job } from '../../../shared/api/jobs.ts';
import type { Operation } from '../../../shared/api/operation.ts';
import { makeAgentKey } from '../../agent-key.ts';
import type { ApiClient } from '../../api-client.ts';
import { startCloudAgent, startWholeCloud } from '../../lambda/agents.ts';
import { type Cloud, HOME } from '../../lambda/cloud.ts';
import { readAnswer, STAGE, wholeOf } from '../../lambda/gateway.ts';
import { runtime } from '../../lambda/needed-runtime.ts';
import { eventFor, operations, type RequestParts } from '../../lambda/operations.ts';
import { newVerifier, SIGN_IN } from '../../support/signed-in.ts';

const names = [...operations.keys()];
/** Tools that would send packets to other hosts: the agent's policy switches them off. */
const SWITCHED_OFF: Record<string, string> = {
  wakeOnLan: 'wakeonlan',
  speedtest: 'speedtest',
  nslookup: 'nslookup',
  internetInfo: 'internetinfo',
  arpscan: 'arpscan',
};

/** Operations that answer the same thing twice, when they are asked about the same data. */
const SAME_TWICE = new Set([
  ...names.filter((name) => operations.get(name)?.path.startsWith('/devices')),
  ...'health getMetrics ready listJobs getJob followJob getBatch followBatch compareBatch cancelBatch'.split(' '),
  ...'listSites getSite listAudit revokeToken revokeAgent'.split(' '),
]);

const DEVICES = [
  'devMac,devName,devLastIP,devType,devVendor,devFavorite,devPresentLastScan,devFirstConnection,devParentMAC,devParentPort',
  '00:1E:06:00:00:01,switch,192.168.1.2,Switch,Ubiquiti,0,1,2026-10-01 08:00:00,,',
  '00:1E:06:00:00:11,nas,192.168.1.20,NAS,Synology,1,1,2026-10-02 08:00:00,00:1E:06:00:00:01,4',
  '00:1E:06:00:00:12,"Küche, ★",192.168.1.21,Phone,Apple,0,0,2026-10-03 08:00:00,00:1E:06:00:00:01,5',
  ',(unknown),192.168.1.30,,,0,0,2026-10-04 08:00:00,,',
  ',(name not found),192.168.1.31,,,0,0,2026-10-05 08:00:00,,',
].join('\r\n');

describe.skipIf(runtime === null)('operations', () => {
  let cloud: Cloud;
  let whole: Awaited<ReturnType<typeof startWholeCloud>>;
  let agent: AsyncDisposable;
  beforeAll(async () => {
    const off = Object.values(SWITCHED_OFF).map((tool) => [tool, { enabled: false }]);
    whole = await startWholeCloud();
    cloud = whole.cloud;
    agent = await startCloudAgent(cloud, HOME, 'main', Object.fromEntries(off));
    Object.assign(cloud.context.settings, { signIn: { ...SIGN_IN, issuer: whole.provider.issuer } });
    for (const site of ['alpha', 'beta']) await cloud.atHome.request('POST', '/sites', { body: { id: site } });
  });
  afterAll(async () => {
    for (const one of [agent, whole]) await one?.[Symbol.asyncDispose]();
  });

  test.each(names)('%s', async (name) => {
    await compare(name);
    // An import cannot take a joined device apart.
    if (name !== 'joinDevices') return;
    for (const site of ['alpha', 'beta']) {
      await ok(cloud.atHome.request('DELETE', '/devices/00:1E:06:00:00:11', { site }), 200);
    }
  });

  /** Asks the function and `npm start` for the same thing, and compares what they answer. */
  async function compare(name: string) {
    const operation = operations.get(name)!;
    const changes = operation.method !== 'GET' && operation.path.startsWith('/devices');
    // A change is made twice, each time on a site that looks the same.
    const [ours, theirs] = changes ? ['alpha', 'beta'] : [HOME, HOME];
    if (operation.path.startsWith('/devices')) await Promise.all(['alpha', 'beta', HOME].map(resetSite));
    const answer = await asked(eventFor(name, await partsFor(name, ours, cloud, cloud)));
    const isOff = name in SWITCHED_OFF;
    const expected = isOff ? 403 : (operation.status ?? 200);
    expect([name, answer.status, answer.text]).toMatchObject([name, expected, expect.any(String)]);
    if (!isOff) checkShape(operation, answer);

    const twin = await askedAtHome(eventFor(name, await partsFor(name, theirs, cloud.atHome, cloud)));
    expect(answer.status).toBe(twin.status);
    if (SAME_TWICE.has(name)) {
      expect(lastEventOf(answer)).toBe(lastEventOf(twin));
      expect(answer.headers).toEqual(twin.headers);
    } else {
      expect(Object.keys(answer.headers).filter(isNotOfLength)).toEqual(
        Object.keys(twin.headers).filter(isNotOfLength),
      );
      expect(Object.keys(Object(answer.json))).toEqual(Object.keys(Object(twin.json)));
    }
    return answer;
  }

  async function resetSite(site: string): Promise<void> {
    const content = Buffer.from(DEVICES).toString('base64');
    const { status, text } = await cloud.atHome.request('POST', '/devices/import?mode=replace', {
      site,
      body: { content },
    });
    expect([status, text]).toMatchObject([200, expect.stringContaining('"inserted":5')]);
  }

  /** The function's answer to an event. */
  async function asked(event: APIGatewayProxyEvent): Promise<Comparable> {
    const integration = cloud.integrationOf(event.path.split('/')[1] ?? '');
    if (integration === null) throw new Error(`no function answers ${event.path}`);
    for (let tries = 1; ; tries++) {
      const answered = await integration.function.invoke(event);
      const { status, headers, body } = await readAnswer(answered);
      const answer = comparable(status, headers, await wholeOf(body));
      // Where the machine stood still, the agent counts as silent, and callers are told to try again.
      if (tries === 3 || !answer.text.includes('"agent_silent"')) return answer;
    }
  }

  /** The answer of `npm start` to the request of an event. */
  function askedAtHome(event: APIGatewayProxyEvent): Promise<Comparable> {
    const query = new URLSearchParams();
    for (const [name, values = []] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
      for (const value of values) query.append(name, value);
    }
    const url = `${cloud.atHome.url}/${STAGE}${event.path}${query.size === 0 ? '' : `?${query}`}`;
    const headers = { ...event.multiValueHeaders };
    delete headers.Host;
    const body = event.body === null ? null : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        {
          method: event.httpMethod,
          headers: { ...headers, ...(body === null ? {} : { 'Content-Length': body.length }) },
        },
        async (response) => {
          const { statusCode = 0, rawHeaders } = response;
          const pairs = rawHeaders.flatMap((name, i): [string, string][] =>
            i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
          );
          resolve(comparable(statusCode, pairs, await wholeOf(response)));
        },
      );
      sent.once('error', reject);
      sent.end(body ?? undefined);
    });
  }
});

interface Comparable {
  status: number;
  /** Sorted, in small letters, without those of the connection and of this one request. */
  headers: Record<string, string>;
  /** Decompressed. */
  text: string;
  json: unknown;
}

const OF_THE_CONNECTION = /^(?:date|connection|keep-alive|transfer-encoding|content-length|x-request-id)$/;
/** An answer that varies in length is compressed or not. */
const isNotOfLength = (name: string) => name !== 'content-encoding';

function comparable(status: number, pairs: [string, string][], body: Buffer): Comparable {
  const small = pairs.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  expect(small.map(([name]) => name)).toContain('x-request-id');
  const kept = small.filter(([name]) => !OF_THE_CONNECTION.test(name)).sort(([a], [b]) => a.localeCompare(b));
  const headers = Object.fromEntries(kept);
  expect(Object.keys(headers)).toHaveLength(kept.length); // None twice.
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
  const isJson = headers['content-type']?.startsWith('application/json');
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Whether the agent or the database is heard first of a command that has ended is a matter of luck. */
function lastEventOf({ headers, text }: Comparable): string {
  const last = headers['content-type'] === 'text/event-stream' ? text.slice(text.lastIndexOf('event: ')) : text;
  // A change is named by the version of the collection, which begins with the time at which its site was made.
  return last.replace(/"change":"\d+"/, '"change":"…"');
}

function checkShape(operation: Operation, { headers, text, json }: Comparable): void {
  const type = headers['content-type']?.split(';')[0] ?? '';
  if (type === 'application/json') return void operation.response.parse(json);
  expect(operation.mediaType === undefined ? operation.otherMedia : [operation.mediaType]).toContain(type);
  expect(text).not.toBe('');
}

/** Parts of a request that depend on what is there. What the request uses up or changes is made by the same side before. */
async function partsFor(name: string, site: string, api: ApiClient, cloud: Cloud): Promise<RequestParts> {
  const made: Record<string, () => Promise<RequestParts>> = {
    ...each(
      'getDevice showDevice editDevice deleteDevice setAlias listDeviceEvents listDevicePorts explainDevice',
      async () => ({ params: { mac: '00-1e-06-00-00-11' } }),
    ),
    editDevices: async () => ({
      body: { devices: ['00-1e-06-00-00-11', '00:1E:06:00:00:12', '00:1E:06:00:00:99'], set: { devOwner: 'me' } },
    }),
    joinDevices: async () => ({ params: { mac: '00:1E:06:00:00:11' }, body: { macs: ['00:1E:06:00:00:12'] } }),
    splitDevice: async () => {
      const body = { macs: ['00:1E:06:00:00:12'] };
      await ok(api.request('POST', '/devices/00:1E:06:00:00:11/join', { site, body }), 200);
      return { params: { mac: '00:1E:06:00:00:11' }, body };
    },
    restoreDevices: async () => {
      await ok(api.request('DELETE', '/devices/00:1E:06:00:00:11', { site }), 200);
      return { body: {} };
    },
    importDevices: async () => ({ body: { content: encoded(IMPORTED) } }),
    startBatch: async () => ({ body: { tool: 'interfaces', sites: [HOME] } }),
    ...each('getBatch followBatch compareBatch cancelBatch', async () => ({ params: { id: await finishedBatch() } })),
    listJobs: async () => ({ query: { tool: 'interfaces', limit: '10' } }),
    createSession: async () => {
      const { verifier, challenge } = newVerifier();
      return {
        body: { code: await cloud.context.signIns.prove({ challenge, person: await freshPerson() }), verifier },
      };
    },
    addPerson: async () => ({
      body: { email: `${uniqueName()}@example.org`, grants: [{ role: 'viewer', sites: '*' }] },
    }),
    ...each('changePerson removePerson', async () => ({ params: { id: await freshPerson() } })),
    revokeOwnToken: async () => ({ token: (await freshToken()).token as string }),
    readShare: async () => {
      const made = await ok(api.request('POST', '/shares', { body: { name: 'Büro', of: site } }), 201);
      return { token: made.token as string };
    },
    ...each('revokeToken rotateToken', async () => ({ params: { id: (await freshToken()).id as string } })),
    ...each('getAccessRequest approveAccessRequest denyAccessRequest', async () => ({
      params: { id: await freshAccessRequest() },
    })),
    addSite: async () => ({ body: { id: `site-${uniqueName()}`, name: 'Außenstelle' } }),
    // A site without an agent, which would watch the network of this machine.
    changeSite: async () => ({ params: { site: await freshSite() } }),
    removeSite: async () => {
      const site = await freshSite();
      await ok(api.request('POST', '/devices/import', { site, body: { content: encoded(IMPORTED) } }), 200);
      return { params: { site }, query: { confirm: site } };
    },
    restoreSite: async () => {
      const site = await freshSite();
      await ok(api.request('DELETE', `/sites/${site}?confirm=${site}`), 200);
      return { params: { site } };
    },
    enrolAgent: async () => ({ body: { code: (await enrolmentCode()).code, csr: (await makeAgentKey()).csr } }),
    revokeEnrolmentCode: async () => ({ params: { id: (await enrolmentCode()).id } }),
    renewAgent: async () => {
      const { agent, key } = await enrolledAgent();
      return { body: key.renewal(agent, (await makeAgentKey()).csr) };
    },
    revokeAgent: async () => {
      const [agentSite = '', agentName = ''] = (await enrolledAgent()).agent.split(':');
      return { params: { site: agentSite, name: agentName } };
    },
    changeUpdates: async () => {
      const { write } = await cloud.context.rollOuts.read({ consistent: true });
      const ring = { ring: 1, since: Date.now(), size: 1, well: 0, early: {} } as const;
      await write({ version: '0.4.0', state: 'stopped', ...ring, underWay: {}, failures: [] });
      return {};
    },
    ...each('getJob followJob', async () => ({ params: { id: await finishedJob() } })),
    ...each('getHook changeHook removeHook testHook listDeliveries', async () => ({
      params: { hook: await freshHook() },
    })),
    ...each('getSchedule changeSchedule removeSchedule', async () => ({ params: { schedule: await freshSchedule() } })),
    ...each('getTemplate removeTemplate', async () => ({ params: { template: await freshTemplate() } })),
    addCheck: async () => ({ body: { kind: 'ping', host: '127.0.0.1', enabled: false } }),
    ...each('getCheck changeCheck removeCheck', async () => ({ params: { check: await freshCheck() } })),
    ...each('getSeries exportSeries', async () => ({ query: { check: await freshCheck() } })),
    addMatrix: async () => ({ body: { sites: [HOME, await freshSite()] } }),
    startScan: async () => ({ body: { range: freshNetwork() } }),
    ...each('getScan cancelScan', async () => ({ params: { scan: await freshScan() } })),
    cancelJob: async () => {
      const options = { body: LONG_SCAN, headers: { prefer: 'respond-async' } };
      return { params: { id: (await ok(api.request('POST', '/nettools/nmap', options), 202)).id as string } };
    },
  };

  function freshToken() {
    const body = { name: 'of one request', scopes: ['devices:read'], sites: [HOME] };
    return ok(api.request('POST', '/tokens', { body }), 201);
  }

  /** Of a command line. */
  function freshAccessRequest(): Promise<string> {
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const asked = {
      clientId: 'x',
      clientName: 'x',
      purpose: 'api' as const,
      scopes: ['devices:read' as const],
      sourceAddress: null,
      redirect: { uri: 'http://127.0.0.1:49152/callback', state: null, challenge: 'x', issuer: 'https://x.example' },
    };
    return cloud.context.accessRequests.add({ ...asked, expiresAt });
  }

  async function freshPerson(): Promise<string> {
    const subject = uniqueName();
    const id = personId(SIGN_IN.issuer, subject);
    const at = new Date().toISOString();
    const who = { id, issuer: SIGN_IN.issuer, subject, name: 'Ada', email: null, isDisabled: false };
    const grants = [{ role: 'viewer' as const, sites: '*' as const }];
    await cloud.context.people.change(id, () => ({
      ...who,
      grants,
      grantsBy: 'hand',
      createdAt: at,
      lastSignInAt: at,
    }));
    return id;
  }

  /** A site may have twenty: each of them is removed before there are more. */
  async function freshHook(): Promise<string> {
    const { hooks } = await ok(api.request('GET', '/hooks'), 200);
    for (const { id } of hooks as { id: string }[]) await ok(api.request('DELETE', `/hooks/${id}`), 200);
    return fresh('/hooks', { url: 'https://hooks.example.org/lan/7d0e5a1b3f9c', events: ['new'] });
  }

  async function freshTemplate(): Promise<string> {
    const name = uniqueName();
    await ok(api.request('PUT', `/templates/${name}`, { body: { tags: ['nobody'] } }), 200);
    return name;
  }

  const fresh = async (path: string, body: object) => (await ok(api.request('POST', path, { body }), 201)).id as string;
  const freshSchedule = () =>
    fresh('/schedules', { name: 'monthly', tool: 'interfaces', everySeconds: 30 * 86_400, enabled: false });
  /** One that is not made: it would send packets. */
  const freshCheck = () => fresh('/checks', { kind: 'ping', host: '127.0.0.1', enabled: false });

  /** A part of the loopback network that no other scan has: nothing leaves this machine. */
  function freshNetwork(): string {
    scanned++;
    return `127.${100 + Math.floor(scanned / 64)}.${4 * (scanned % 64)}.0/29`;
  }

  /** A site may have a few that run: each of them is stopped before there are more. */
  async function freshScan(): Promise<string> {
    const { scans } = await ok(api.request('GET', '/scans'), 200);
    for (const { id, state } of scans as { id: string; state: string }[]) {
      if (state === 'running') await ok(api.request('DELETE', `/scans/${id}`), 200);
    }
    return fresh('/scans', { range: freshNetwork() });
  }

  const freshSite = () => fresh('/sites', { id: `site-${uniqueName()}` });

  async function enrolmentCode(): Promise<{ id: string; agent: string; code: string }> {
    const body = { name: uniqueName() };
    const { id, agent, code } = await ok(api.request('POST', `/sites/${HOME}/agents`, { body }), 201);
    return { id: id as string, agent: agent as string, code: code as string };
  }

  async function enrolledAgent() {
    const { agent, code } = await enrolmentCode();
    const key = await makeAgentKey();
    await ok(api.request('POST', '/enrol', { token: null, body: { code, csr: key.csr } }), 201);
    return { agent, key };
  }

  /** The id of a command that has ended, the same one for each that asks: others end meanwhile. */
  async function finishedJob(): Promise<string> {
    if (finished.job === null) {
      await ok(api.request('GET', '/nettools/interfaces'), 200);
      const list = async () => (await ok(api.request('GET', '/jobs?state=succeeded&tool=interfaces'), 200)).jobs;
      await expect.poll(list).not.toEqual([]);
      finished.job = Job.array().parse(await list())[0]?.id ?? expect.fail('no job');
    }
    return finished.job;
  }

  async function finishedBatch(): Promise<string> {
    if (finished.batch === null) {
      const { id } = await ok(api.request('POST', '/batches', { body: { tool: 'interfaces', sites: [HOME] } }), 202);
      await expect.poll(async () => (await ok(api.request('GET', `/batches/${id}`), 200)).state).toBe('done');
      finished.batch = String(id);
    }
    return finished.batch;
  }

  return { token: api.token, site, ...(await made[name]?.()) };
}

/** The same parts for several operations. */
const each = (operationIds: string, parts: () => Promise<RequestParts>) =>
  Object.fromEntries(operationIds.split(' ').map((name) => [name, parts]));

let scanned = 0;
const finished: { job: string | null; batch: string | null } = { job: null, batch: null };
/** Takes more than ten seconds. */
const LONG_SCAN = { scan: '127.0.0.0/22', mode: 'normal' };
/** Text beyond ASCII, a name in quotes, and a row that is refused. */
const IMPORTED = [
  'devName,devMac,devLastIP,devType,devFavorite,devStatus',
  '"Küche ★, links",00:1E:06:00:00:31,192.168.1.31,Phone,1,online',
  'nas,00:1E:06:00:00:01,192.168.1.20,NAS,1,online',
  'broken,not a MAC,,,,',
].join('\r\n');

const encoded = (csv: string) => Buffer.from(csv).toString('base64');
const uniqueName = () => Math.random().toString(36).slice(2, 10);

async function ok(
  asked: Promise<{ status: number; text: string; json: unknown }>,
  expected: number,
): Promise<Record<string, unknown>> {
  const { status, text, json } = await asked;
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${text}`);
  return json as Record<string, unknown>;
}
