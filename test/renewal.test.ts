/** How an agent comes to its certificates: the API's side of it, with a real table and a real authority. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '../functions/context.ts';
import { accessGroup } from '../functions/groups/access.ts';
import { service } from '../functions/http/service.ts';
import type { AgentRegistry } from '../functions/sites/agents/agent-registry.ts';
import { certificateIds } from '../functions/sites/agents/agent-row.ts';
import { openStores } from '../functions/stores.ts';
import { localAgentRegistry, openCertificateAuthority } from '../local/certificate-authority.ts';
import { admin as operations } from '../shared/api/admin.ts';
import { ErrorBody, ServiceError } from '../shared/errors.ts';
import { type AgentId, LOCAL_STAGE } from '../shared/identity.ts';
import { type AgentKey, makeAgentKey } from './agent-key.ts';
import { retirePrevious } from './support/background-work.ts';
import { aroundCalls } from './support/database-calls.ts';
import { asFunction } from './support/table-rights.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { memoryTable } from './test-table.ts';

const temporary = makeTestFolder();
const folder = temporary.path;
const table = memoryTable();
let authority: AgentRegistry;
/** Certificates by what they are good for: nobody can connect with one that is not active. */
let certificates: Map<string, 'new' | 'active' | 'retired' | 'revoked'>;
let agents = 0;
/** An agent of its own for each test, enrolled with a first key. */
let agent: string;
let first: AgentKey;

beforeAll(async () => {
  const { sites } = openStores(table.open(), () => new Date());
  await sites.add({ id: 'home', name: 'Home', createdAt: new Date(1).toISOString() });
  const local = await openCertificateAuthority(folder, []);
  authority = localAgentRegistry(local, LOCAL_STAGE, {
    url: 'mqtts://127.0.0.1:1',
    disconnect() {},
    async publish() {},
  });
});
afterAll(() => temporary.remove());
beforeEach(async () => {
  certificates = new Map();
  agent = `home:a${++agents}`;
  first = await makeAgentKey();
  const { context } = open();
  const { code } = await context.enrolments.create({ site: 'home', agent, replace: false });
  expect((await ask(context, '/enrol', { code, csr: first.csr })).status).toBe(201);
  expect(usable()).toHaveLength(1);
});

const usable = () => [...certificates].filter(([, state]) => state === 'active').map(([id]) => id);

/** Behaves as IoT Core's: a certificate is noted before it is switched on, and undone where that fails. */
function registryOf(step: <T>(act: () => Promise<T>) => Promise<T>): AgentRegistry {
  return {
    async enrol(id, csr, note) {
      let made = '';
      try {
        const issued = await step(() =>
          authority.enrol(id, csr, async ({ certificateId }) => {
            made = certificateId;
            certificates.set(certificateId, 'new');
          }),
        );
        await note?.(issued);
        await step(async () => {
          // Another renewal has thrown it away meanwhile.
          if (certificates.get(issued.certificateId) !== 'new') throw new ServiceError('unavailable', 'it is gone');
          certificates.set(issued.certificateId, 'active');
        });
        return issued;
      } catch (error) {
        if (error instanceof ServiceError) certificates.set(made, 'retired');
        throw error;
      }
    },
    isActive: (id) => step(async () => certificates.get(id) === 'active'),
    retire: (_, id) => step(async () => void certificates.set(id, 'retired')),
    revoke: (_, id) => step(async () => void certificates.set(id, 'revoked')),
    suspend: async () => {},
    resume: async () => {},
    revokeAll: (_, ids) => step(async () => ids.forEach((id) => void certificates.set(id, 'revoked'))),
    publish: (id, message) => authority.publish(id, message),
  };
}

/** @param failAt this call of the table or of the registry fails, before or after it is carried out; all others do when it is killed */
function open({
  failAt = Number.POSITIVE_INFINITY,
  isCarriedOut = false,
  isKilled = false,
  now = () => new Date(),
} = {}) {
  let calls = 0;
  const failure = () => (isKilled ? new Error('the function was killed') : new ServiceError('unavailable', 'not now'));
  async function step<T>(act: () => Promise<T>): Promise<T> {
    const isLast = ++calls === failAt;
    if ((isKilled && calls > failAt) || (isLast && !isCarriedOut)) throw failure();
    const result = await act();
    if (isLast) throw failure();
    return result;
  }
  const stores = openStores(table.open(), now);
  aroundCalls(stores.table, (_, pass) => step(pass));
  const silent = () => {};
  const context = {
    ...stores,
    registry: registryOf(step),
    log: { info: silent, warn: silent, error: silent },
    now,
    settings: { version: 'test', corsOrigins: [] },
  } as unknown as Context; // Without a connection to the broker, which these operations have no use for.
  return { context, calls: () => calls };
}

async function ask(context: Context, path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await asFunction('access', () => service(context, accessGroup.routes.admin).request(path, init));
  const json: unknown = await response.json();
  return { status: response.status, json, code: ErrorBody.safeParse(json).data?.code };
}

const renew = (body: object, context = open().context) => ask(context, '/enrol/renew', body);
/** The broker tells of a connection with the newest certificate. */
const connect = (context = open().context, certificateId = usable().at(-1) ?? '') =>
  retirePrevious(context, agent, certificateId);

test('both certificates are good until the agent connects with the next one; then the one before is retired, and its key refused', async () => {
  const [second, third] = [await makeAgentKey(), await makeAgentKey()];
  const [before = ''] = usable();
  const answer = await renew(first.renewal(agent, second.csr));
  expect(answer.status).toBe(201);
  const issued = operations.renewAgent.response.parse(answer.json);
  expect(issued).toMatchObject({ agent, broker: 'mqtts://127.0.0.1:1' });
  await connect(undefined, before);
  expect(usable()).toHaveLength(2);
  for (let i = 0; i < 2; i++) await connect();
  expect(usable()).toHaveLength(1);
  expect(usable()).not.toContain(before);
  const { context, calls } = open();
  await connect(context);
  expect(calls()).toBe(1); // Nothing is left to do, so no later connection costs more than a look.
  const { entries } = await context.audit.list('home', undefined, 10);
  expect(entries.filter(({ actor }) => actor === agent).map(({ action }) => action)).toEqual(['agent.renew']);
  expect((await renew(first.renewal(agent, third.csr))).code).toBe('enrolment_refused');
  expect((await renew(second.renewal(agent, third.csr))).status).toBe(201);
});

test('a connection of which the service never heard: the key of the next certificate proves it', async () => {
  const [second, third] = [await makeAgentKey(), await makeAgentKey()];
  await renew(first.renewal(agent, second.csr));
  const [before = ''] = usable();
  expect((await renew(second.renewal(agent, third.csr))).status).toBe(201);
  expect(usable()).toHaveLength(2);
  expect(usable()).not.toContain(before);
});

test('a renewal that is begun again retires what was never used', async () => {
  const [lost, second] = [await makeAgentKey(), await makeAgentKey()];
  await renew(first.renewal(agent, lost.csr));
  const unused = usable().at(-1);
  await renew(first.renewal(agent, second.csr));
  expect(usable()).toHaveLength(2);
  await connect(undefined, unused);
  expect(usable()).toHaveLength(2);
  expect((await renew(lost.renewal(agent, lost.csr))).code).toBe('enrolment_refused');
});

test('of renewals at the same time one is noted, and nothing that others got is of use', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, makeAgentKey));
  const answers = await Promise.all(keys.map((key) => renew(first.renewal(agent, key.csr))));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
  expect(statuses.every((status) => [201, 403, 409, 503].includes(status))).toBe(true);
  const row = await open().context.certificates.find(agent as AgentId);
  expect(certificateIds(row).sort()).toEqual(usable().sort());
  expect(usable()).toHaveLength(2);
});

test('an enrolment makes the certificates of a renewal worthless, those under way too', async () => {
  const [second, anew] = [await makeAgentKey(), await makeAgentKey()];
  await renew(first.renewal(agent, second.csr));
  const { context } = open();
  const { code } = await context.enrolments.create({ site: 'home', agent, replace: true });
  expect((await ask(context, '/enrol', { code, csr: anew.csr })).status).toBe(201);
  expect(usable()).toHaveLength(1);
  for (const key of [first, second])
    expect((await renew(key.renewal(agent, second.csr))).code).toBe('enrolment_refused');
  expect((await renew(anew.renewal(agent, second.csr))).status).toBe(201);
  // A code that does not replace it is refused before anything is made.
  const made = certificates.size;
  const late = await context.enrolments.create({ site: 'home', agent, replace: false });
  expect((await ask(context, '/enrol', { code: late.code, csr: second.csr })).code).toBe('enrolment_refused');
  expect(certificates.size).toBe(made);
});

test('a revoked agent gets nothing by its keys, neither by the one in use nor by the one of a renewal', async () => {
  const [second, third] = [await makeAgentKey(), await makeAgentKey()];
  await renew(first.renewal(agent, second.csr));
  const { context } = open();
  const revoked = await context.sites.beginRevocation(agent);
  expect(certificateIds(revoked).sort()).toEqual(usable().sort());
  for (const refused of [await renew(first.renewal(agent, third.csr)), await renew(second.renewal(agent, third.csr))]) {
    expect(refused.code).toBe('enrolment_refused');
  }
});

test('a revocation that comes while a further certificate is made leaves nothing that can be used', async () => {
  const second = await makeAgentKey();
  const { context } = open();
  const { registry } = context;
  let revoked: string[] = [];
  const overtaken: AgentRegistry = {
    ...registry,
    enrol: (id, csr, note) =>
      registry.enrol(id, csr, async (issued) => {
        revoked = certificateIds(await context.sites.beginRevocation(agent));
        await note?.(issued);
      }),
  };
  const answer = await renew(first.renewal(agent, second.csr), { ...context, registry: overtaken });
  expect(answer.code).toBe('conflict');
  expect(revoked).toHaveLength(1);
  expect(usable()).toEqual(revoked);
});

test('by the key of a certificate that has been revoked nobody gets another one, whatever the table says', async () => {
  const second = await makeAgentKey();
  const { registry, sites } = open().context;
  await registry.revokeAll(agent, usable());
  // As after a table was restored from a time before the revocation.
  expect(await sites.agents('home')).toContainEqual(expect.objectContaining({ id: agent }));
  expect((await renew(first.renewal(agent, second.csr))).code).toBe('enrolment_refused');
  expect(usable()).toEqual([]);
});

test('whatever is not proven is refused in the same words after one read, whether there is such an agent or not', async () => {
  const [second, foreign] = [await makeAgentKey(), await makeAgentKey()];
  const good = first.renewal(agent, second.csr);
  const forged: Record<string, object> = {
    'signed by a stranger': foreign.renewal(agent, second.csr),
    'signed by the key that is to be certified': second.renewal(agent, second.csr),
    'for another agent': first.renewal('home:stranger', second.csr),
    'of a stranger for another agent': foreign.renewal('home:stranger', second.csr),
    'in the name of another agent': { ...good, agent: 'home:stranger' },
    'with another request': { ...good, csr: foreign.csr },
    'at another time': { ...good, at: good.at + 1 },
    'no signature at all': { ...good, signature: Buffer.from('no signature').toString('base64') },
    'cut off': { ...good, signature: Buffer.from(good.signature, 'base64').subarray(0, 40).toString('base64') },
  };
  const told = new Set<string>();
  for (const [name, body] of Object.entries(forged)) {
    const { context, calls } = open();
    const { status, json } = await renew(body, context);
    expect([name, status, calls()]).toEqual([name, 403, 1]);
    const { requestId: _, ...rest } = ErrorBody.parse(json);
    told.add(JSON.stringify(rest));
  }
  expect(told.size).toBe(1);
  expect(usable()).toHaveLength(1);
});

test('a proof is good for five minutes and for one certificate', async () => {
  const second = await makeAgentKey();
  const proof = first.renewal(agent, second.csr);
  for (const off of [-5 * 60_000 - 1, 5 * 60_000 + 1]) {
    const later = open({ now: () => new Date(proof.at - off) }).context;
    const { status, json } = await renew(proof, later);
    expect([status, ErrorBody.parse(json).errors?.[0]?.path]).toEqual([400, 'at']);
  }
  expect((await renew(proof)).status).toBe(201);
  expect((await renew(proof)).status).toBe(403);
  expect((await renew(first.renewal(agent, second.csr, proof.at - 1))).status).toBe(403);
  await connect();
  expect((await renew(proof)).status).toBe(403);
});

test('a request that is no certificate request changes nothing', async () => {
  const broken = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n';
  const { status, json } = await renew(first.renewal(agent, broken));
  expect([status, ErrorBody.parse(json).errors?.[0]?.path]).toEqual([400, 'csr']);
  expect(usable()).toHaveLength(1);
  expect((await renew(first.renewal(agent, first.csr))).status).toBe(201);
});

test('no body makes the service fail', async () => {
  const { context } = open();
  const text = fc.oneof(fc.string(), fc.base64String({ minLength: 8 }), fc.constant(first.csr), fc.constant(agent));
  const at = fc.oneof(fc.integer(), fc.constant(Date.now()), fc.double());
  const body = fc.record({ agent: text, at, csr: text, signature: text }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      expect([400, 403]).toContain((await renew(sent, context)).status);
    }),
    { numRuns: 100 },
  );
  expect(usable()).toHaveLength(1);
});

test.each([
  { isCarriedOut: false, when: 'before' },
  { isCarriedOut: true, when: 'after' },
])(
  'a function that is killed $when any of its calls: the agent tries again, and ends with one certificate',
  async ({ isCarriedOut }) => {
    let present = first;
    let killed = 0;
    for (let failAt = 1; ; failAt++) {
      const doomed = open({ failAt, isCarriedOut, isKilled: true });
      let next = await makeAgentKey();
      let answer = await renew(present.renewal(agent, next.csr), doomed.context);
      // An agent that got no answer begins again with another key: it has thrown the first away.
      if (answer.status !== 201) {
        next = await makeAgentKey();
        answer = await renew(present.renewal(agent, next.csr));
      }
      expect([failAt, answer.status]).toEqual([failAt, 201]);
      expect([failAt, usable().length]).toEqual([failAt, 2]);
      // A message that was not handled to its end is handled again.
      await connect(doomed.context).catch(() => connect());
      expect([failAt, usable().length]).toEqual([failAt, 1]);
      present = next;
      if (doomed.calls() < failAt) break;
      killed++;
    }
    expect(killed).toBeGreaterThan(8);
  },
);

test.each([false, true].flatMap((isKilled) => [false, true].map((isCarriedOut) => ({ isKilled, isCarriedOut }))))(
  'an enrolment of which any call fails (all later ones: $isKilled; after it is carried out: $isCarriedOut): the next try with the code succeeds, as one use, and leaves one certificate',
  async (how) => {
    for (const replace of [false, true]) {
      for (let failAt = 1, hasFailed = true; hasFailed; failAt++) {
        const id = (replace ? agent : `home:a${++agents}`) as AgentId;
        const { context } = open();
        const { code } = await context.enrolments.create({ site: 'home', agent: id, replace });
        const { csr } = await makeAgentKey();
        const before = usable();
        const recorded = async () => certificateIds(await context.certificates.find(id));
        const failing = open({ ...how, failAt });
        let answer = await ask(failing.context, '/enrol', { code, csr });
        if (answer.status !== 201) {
          // What is not recorded is of no use, but for what a function made that was killed then: no host has got it.
          const unknown = usable().filter((one) => !before.includes(one));
          if (!how.isKilled) expect(await recorded()).toEqual(expect.arrayContaining(unknown));
          answer = await ask(context, '/enrol', { code, csr });
        }
        expect([failAt, answer.status]).toEqual([failAt, 201]);
        const states = (await recorded()).map((one) => certificates.get(one));
        expect([failAt, states]).toEqual([failAt, ['active']]);
        if (!how.isKilled) expect([failAt, usable().length]).toEqual([failAt, before.length + (replace ? 0 : 1)]);
        expect(await context.enrolments.find(code)).toMatchObject({ used: 1 });
        hasFailed = failing.calls() >= failAt;
      }
    }
  },
);
