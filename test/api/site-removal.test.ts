/** What is left of a site that was removed, whatever was interrupted, and whoever else was at work. */
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { AgentRegistry } from '../../api/access/agent-registry.ts';
import { finishRemovals } from '../../api/access/finish-removals.ts';
import { rootTokenRow } from '../../api/access/first-access.ts';
import { removeSite } from '../../api/access/remove-site.ts';
import { addSite } from '../../api/access/sites.ts';
import { openTokenWatch } from '../../api/access/token-watch.ts';
import { adminGroup } from '../../api/groups/admin.ts';
import { service } from '../../api/http/service.ts';
import { localAgentRegistry, openCertificateAuthority } from '../../local/certificate-authority.ts';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { type AgentId, LOCAL_STAGE } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { makeToken, tokenId } from '../../store/access/token.ts';
import type { JobStore } from '../../store/commands/job-store.ts';
import type { StoredDevice } from '../../store/devices/device-codec.ts';
import { openStores } from '../../store/stores.ts';
import { makeAgentKey } from '../agent-key.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { memoryTable } from '../test-table.ts';

const SITE = 'home';
const BY = { actor: '0123456789abcdef', cause: 'import' } as const;
/** More than are deleted in some transactions, and more than a change may have without a bracket. */
const DEVICES = 130;
/** More than are deleted in one transaction, and more than a change may have without a bracket. */
const FEW = 30;

const table = memoryTable();

const unused = async () => {
  throw new Error('not a part of this test');
};

interface Options {
  /** The process is stopped at this call of the database. */
  stopAt?: number;
  now?: () => Date;
}

/** What a function that removes sites would open; it notes whose certificates it has made worthless. */
function open({ stopAt = Number.POSITIVE_INFINITY, now = () => new Date() }: Options = {}) {
  const stores = openStores(table.open(), now);
  const revoked: string[] = [];
  const registry: AgentRegistry = {
    enrol: unused,
    isActive: unused,
    retire: unused,
    revoke: unused,
    revokeAll: async (_, ids) => void revoked.push(...ids),
    publish: unused,
  };
  let calls = 0;
  aroundCalls(stores.table, (_, pass) => {
    if (++calls >= stopAt) throw new Error('the process was stopped');
    return pass();
  });
  return { ...stores, registry, now, revoked, callsMade: () => calls };
}

function device(i: number, name = 'old'): StoredDevice {
  const devMac = `1E:08:00:00:00:${i.toString(16).padStart(2, '0').toUpperCase()}`;
  return { key: devMac, record: { ...BLANK_DEVICE, devMac, devName: `${name} ${i}` } };
}

const put = (devices: StoredDevice[]) => () => ({ put: devices, remove: [] });

/** A site with devices, a journal, an agent, a job and a token. */
async function makeSite(count = DEVICES): Promise<{ certificate: string; token: string; job: string }> {
  const context = open();
  expect(await addSite(context, { id: SITE, name: SITE, createdAt: new Date().toISOString() })).toBe(true);
  await context.devices.change(SITE, BY, put(Array.from({ length: count }, (_, i) => device(i))));
  await context.devices.change(SITE, BY, put([device(1, 'renamed')]));
  const agent = `${SITE}:attic`;
  const certificate = `certificate ${Math.random()}`;
  const invitation = { agent, replaces: false, madeAt: new Date() };
  await context.sites.recordEnrolment(invitation, { certificateId: certificate, key: 'key' });
  const job = `${SITE}.${uuidv7()}`;
  await context.jobs.create({ id: job, agent, command: { tool: 'interfaces' }, actor: 'test', sourceAddress: null });
  await endedJob(context.jobs, agent);
  const token = tokenId(makeToken()) ?? '';
  await context.tokens.add(token, { ...rootTokenRow('lr_x', 'x', new Date()), sites: [SITE], defaultSite: SITE });
  return { certificate, token, job };
}

/** A job whose result is too large for its row. */
async function endedJob(jobs: JobStore, agent: AgentId): Promise<void> {
  const id = `${SITE}.${uuidv7()}`;
  await jobs.create({ id, agent, command: { tool: 'interfaces' }, actor: 'test', sourceAddress: null });
  const job = await jobs.assignment(id);
  if (job === null) throw new Error('the job is not there');
  const times = { startedAt: Date.now(), endedAt: Date.now() };
  const said = { message: null, output: randomBytes(3_000).toString('base64'), truncated: false, result: null };
  await jobs.finish(job, { state: 'failed', reason: 'tool_failed', ...said, ...times });
}

/** What `DELETE /sites/{site}` does. */
async function remove(context: ReturnType<typeof open>, isTime = () => false): Promise<boolean> {
  const found = await context.removals.find(SITE);
  return found === null || removeSite(context, found.row, isTime);
}

/** The sort keys of all rows of the site. */
async function left(): Promise<string[]> {
  const { table: rows } = open();
  const keys: string[] = [];
  for (const partition of [`S#${SITE}`, `J#${SITE}`, `R#${SITE}`]) {
    for await (const page of rows.query(partition, null, { consistent: true })) keys.push(...page.map(({ sk }) => sk));
  }
  const site = await rows.get({ pk: 'SITES', sk: `SITE#${SITE}` }, { consistent: true });
  return site === null ? keys : [...keys, site.sk];
}

test('a removal that is stopped at any of its calls is completed by the next one, and nothing of the site is left', {
  timeout: 300_000,
}, async () => {
  let stopAt = 1;
  for (let isDone = false; !isDone; stopAt++) {
    const { certificate, token } = await makeSite();
    const first = open({ stopAt });
    isDone = await remove(first).catch(() => false);
    const second = open();
    if (!isDone && (await second.removals.find(SITE)) !== null) {
      expect(await remove(second)).toBe(true);
    }
    expect([stopAt, await left()]).toEqual([stopAt, ['#META']]);
    expect([...first.revoked, ...second.revoked]).toContain(certificate);
    expect(await second.tokens.describe(token)).toBeNull();
  }
  expect(stopAt).toBeGreaterThan(15);
});

test('a removal that has no time does a part, and says so', async () => {
  await makeSite();
  const context = open();
  let asked = 0;
  expect(await remove(context, () => ++asked > 2)).toBe(false);
  expect((await left()).length).toBeGreaterThan(3);
  expect(await context.sites.find(SITE)).toBeNull();
  await expect(context.devices.snapshot(SITE)).rejects.toMatchObject({ code: 'site_forbidden' });
  expect(await remove(context)).toBe(true);
  expect(await left()).toEqual(['#META']);
});

test.each([
  { name: 'as always', now: () => new Date() },
  { name: 'by a clock that was put back', now: () => new Date(Date.now() - 86_400_000) },
])(
  'a site that is made again, $name, has a greater version, and what others have in memory does not come back',
  async ({ now }) => {
    await makeSite();
    const warm = open();
    const before = await warm.devices.snapshot(SITE);
    expect(before.size).toBe(DEVICES);
    await remove(open());
    await expect(warm.devices.snapshot(SITE)).rejects.toMatchObject({ code: 'site_forbidden' });
    const again = open({ now });
    expect(await addSite(again, { id: SITE, name: SITE, createdAt: now().toISOString() })).toBe(true);
    const after = await warm.devices.snapshot(SITE);
    expect(after.size).toBe(0);
    expect(after.version).toBeGreaterThan(before.version);
    expect((await warm.devices.totals(SITE)).counts.every((count) => count === 0)).toBe(true);
    await warm.devices.change(SITE, BY, put([device(1, 'new')]));
    for (const stores of [warm, again, open()]) {
      expect((await stores.devices.snapshot(SITE)).devices).toEqual([device(1, 'new')]);
    }
    await remove(open());
  },
);

test('a writer that sleeps from before the removal until after the site was made again changes nothing of the new one', async () => {
  for (const call of ['put', 'update']) {
    await makeSite();
    const sleeper = open();
    let fallAsleep = () => {};
    let wakeUp = () => {};
    const asleep = new Promise<void>((resolve) => (fallAsleep = resolve));
    const awake = new Promise<void>((resolve) => (wakeUp = resolve));
    await sleeper.devices.snapshot(SITE);
    aroundCalls(sleeper.table, async ({ method }, pass) => {
      if (method === call) {
        fallAsleep();
        await awake;
      }
      return pass();
    });
    const change = sleeper.devices.change(SITE, BY, put([device(1, 'late'), device(100, 'late')]));
    await asleep;
    await remove(open());
    const fresh = open();
    await addSite(fresh, { id: SITE, name: SITE, createdAt: new Date().toISOString() });
    await fresh.devices.change(SITE, BY, put([device(1, 'new')]));
    wakeUp();
    await change;
    for (const stores of [fresh, open(), sleeper]) {
      expect((await stores.devices.snapshot(SITE)).devices).toEqual([device(1, 'new')]);
    }
    await remove(open());
  }
});

test('a removal that sleeps before any of its calls, while another one ends it and the site is made again, leaves the later site alone', {
  timeout: 300_000,
}, async () => {
  let sleepAt = 1;
  for (let isDone = false; !isDone; sleepAt++) {
    await makeSite(FEW);
    const old = (await open().removals.find(SITE)) ?? expect.fail('no site');
    const sleeper = open();
    let calls = 0;
    let later: Awaited<ReturnType<typeof makeSite>> | null = null;
    aroundCalls(sleeper.table, async (_, pass) => {
      if (++calls === sleepAt) {
        await remove(open());
        later = await makeSite(FEW);
      }
      return pass();
    });
    const outcome = await removeSite(sleeper, old.row, () => false).catch(({ code }) => code);
    isDone = later === null;
    if (later === null) continue;
    // It cannot begin with a row that is another one now; later on, it finds that another call has come to the end.
    expect([sleepAt, outcome]).toEqual([sleepAt, sleepAt === 1 ? 'conflict' : true]);
    const { certificate, token, job } = later as Awaited<ReturnType<typeof makeSite>>;
    expect(sleeper.revoked).not.toContain(certificate);
    const { sites, devices, tokens, jobs } = open();
    expect((await sites.find(SITE))?.id).toBe(SITE);
    const snapshot = await devices.snapshot(SITE);
    expect([snapshot.size, snapshot.get(device(1).key)?.record.devName]).toEqual([FEW, 'renamed 1']);
    expect((await sites.agents(SITE)).map(({ id }) => id)).toEqual([`${SITE}:attic`]);
    expect((await tokens.describe(token))?.sites).toEqual([SITE]);
    expect((await jobs.find(job))?.state).toBe('queued');
    expect((await left()).length).toBeGreaterThan(FEW + 3);
    await remove(open());
  }
  expect(sleepAt).toBeGreaterThan(15);
});

test('a removal whose row was changed since it was read is refused; one that is over is done', async () => {
  await makeSite();
  const { sites, removals } = open();
  const old = (await removals.find(SITE)) ?? expect.fail('no site');
  await sites.change(SITE, ({ discovery }) => ({ name: 'Another name', discovery }));
  await expect(removeSite(open(), old.row, () => false)).rejects.toMatchObject({ code: 'conflict' });
  expect((await sites.find(SITE))?.name).toBe('Another name');
  const { row } = (await removals.find(SITE)) ?? expect.fail('no site');
  // Two at the same time are one removal.
  const [one, other] = await Promise.all([removals.begin(row), open().removals.begin(row)]);
  expect(one).toEqual(other);
  expect(await remove(open())).toBe(true);
  expect(await removeSite(open(), row, () => false)).toBe(true);
  expect(await left()).toEqual(['#META']);
});

test('a removal that its caller has abandoned is completed, also beside one that fails; the failure is told', async () => {
  const { certificate } = await makeSite(FEW);
  expect(await remove(open(), () => true)).toBe(false);
  const broken = 'broken';
  await addSite(open(), { id: broken, name: broken, createdAt: new Date().toISOString() });
  const { row } = (await open().removals.find(broken)) ?? expect.fail('no site');
  await open().removals.begin(row);
  const lines: object[] = [];
  const log: Log = { info: (fields) => void lines.push(fields), warn() {}, error: (fields) => void lines.push(fields) };
  const context = open();
  const { retire } = context.devices;
  const failing = async (site: string, isUnderWay: () => Promise<boolean>) => {
    if (site === broken) throw new Error('not this one');
    await retire(site, isUnderWay);
  };
  const finishing = finishRemovals({ ...context, devices: { ...context.devices, retire: failing } }, log, () => false);
  await expect(finishing).rejects.toThrow('1 removals of sites have failed');
  expect(lines).toMatchObject([{ site: broken }, { site: SITE }]);
  expect([await left(), context.revoked]).toEqual([['#META'], [certificate]]);
  await finishRemovals(open(), log, () => true); // Nothing is begun when the time is over.
  expect((await open().removals.unfinished()).map(({ site }) => site)).toEqual([broken]);
  await finishRemovals(open(), log, () => false);
  expect(await open().removals.unfinished()).toEqual([]);
});

test('a token for a site that is removed while the token is made is refused, and is not there for a later site', async () => {
  await makeSite();
  const context = open();
  const log: Log = { info() {}, warn() {}, error() {} };
  const secret = makeToken();
  await context.tokens.add(tokenId(secret) ?? '', rootTokenRow(secret, 'all sites', new Date()));
  const tokens: typeof context.tokens = {
    ...context.tokens,
    async add(...made) {
      await remove(open());
      await context.tokens.add(...made);
    },
  };
  const settings = { version: 'test', corsOrigins: [] };
  const tokenWatch = openTokenWatch(tokens, log);
  const app = service(
    { ...context, tokens, log, settings, tokenWatch, agents: {} as never, waitSlots: {} as never },
    adminGroup.routes.admin,
  );
  const answer = await app.request('/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ name: 'for home', scopes: ['devices:read'], sites: [SITE] }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'site_forbidden' }]);
  expect((await context.tokens.list()).filter(({ sites }) => sites !== '*')).toEqual([]);
});

test('an enrolment that is under way while the site is removed is refused, and its certificate is worthless', async () => {
  await using folder = makeTestFolder();
  const authority = await openCertificateAuthority(folder.path, []);
  const ours = localAgentRegistry(authority, LOCAL_STAGE, { url: 'b', disconnect() {}, async publish() {} });
  await makeSite();
  const context = open();
  const { code } = await context.enrolments.create({ site: SITE, agent: `${SITE}:cellar`, replace: false });
  let serial = '';
  const registry: AgentRegistry = {
    ...ours,
    async enrol(...args) {
      const issued = await ours.enrol(...args);
      serial = issued.certificateId;
      await remove(open());
      return issued;
    },
  };
  const log: Log = { info() {}, warn() {}, error() {} };
  const tokenWatch = openTokenWatch(context.tokens, log);
  const settings = { version: 'test', corsOrigins: [] };
  const app = service(
    { ...context, registry, log, settings, tokenWatch, agents: {} as never, waitSlots: {} as never },
    adminGroup.routes.admin,
  );
  const answer = await app.request('/enrol', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, csr: (await makeAgentKey()).csr }),
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { code: 'enrolment_refused', message: expect.stringMatching(/^The site "home" has been removed/) },
  ]);
  expect(authority.isRevoked(serial)).toBe(true);
  await addSite(open(), { id: SITE, name: SITE, createdAt: new Date().toISOString() });
  expect(await open().sites.listAgents(SITE)).toEqual({ agents: [], unreadable: [] });
  await remove(open());
});
