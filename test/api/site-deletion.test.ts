/** What is left of a site that was deleted, whatever was interrupted, and whoever else was at work. */
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { rootTokenRow } from '../../functions/access/first-access.ts';
import { openTokenWatch } from '../../functions/access/token-watch.ts';
import type { JobStore } from '../../functions/commands/job-store.ts';
import type { StoredDevice } from '../../functions/devices/collection/device-codec.ts';
import { accessGroup } from '../../functions/groups/access.ts';
import { service } from '../../functions/http/service.ts';
import { makeToken, tokenId } from '../../functions/http/token.ts';
import type { AgentRegistry } from '../../functions/sites/agents/agent-registry.ts';
import { addSite } from '../../functions/sites/sites.ts';
import { openStores } from '../../functions/stores.ts';
import type { Item } from '../../functions/table/table.ts';
import { localAgentRegistry, openCertificateAuthority } from '../../local/certificate-authority.ts';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { type AgentId, LOCAL_STAGE } from '../../shared/identity.ts';
import type { Log } from '../../shared/log.ts';
import { makeAgentKey } from '../agent-key.ts';
import { removeDeleted } from '../support/background-work.ts';
import { aroundCalls } from '../support/database-calls.ts';
import { endDeletions } from '../support/erase-site.ts';
import { SILENT } from '../support/ingest-messages.ts';
import { openMemoryTable } from '../support/memory-table.ts';
import { asFunction, judgedTable } from '../support/table-rights.ts';
import { makeTestFolder } from '../support/test-folder.ts';

const SITE = 'home';
const BY = { actor: '0123456789abcdef', cause: 'import' } as const;
/** More than are deleted in some transactions, and more than a change may have without a bracket. */
const DEVICES = 130;
/** Reading the sites that are deleted, and marking the collection as ended. */
const FIRST_CALLS = 4;
/** More than are deleted in one transaction, and more than a change may have without a bracket. */
const FEW = 30;

const memory = judgedTable(openMemoryTable());
/** The same table for each process. */
const table = { open: () => ({ ...memory }) };

const unused = async () => {
  throw new Error('not a part of this test');
};

interface Options {
  /** The process is stopped at this call of the database. */
  stopAt?: number;
  now?: () => Date;
}

/** What upkeep would open; it notes whose certificates it has made worthless. */
function open({ stopAt = Number.POSITIVE_INFINITY, now = () => new Date() }: Options = {}) {
  const stores = openStores(table.open(), now);
  const revoked: string[] = [];
  const registry: AgentRegistry = {
    ...{ enrol: unused, isActive: unused, retire: unused, revoke: unused },
    ...{ suspend: unused, resume: unused, publish: unused },
    revokeAll: async (_, ids) => void revoked.push(...ids),
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
  await asFunction('ingest', () => jobs.finish(job, { state: 'failed', reason: 'tool_failed', ...said, ...times }));
}

const mark = () => open().deletions.delete(SITE, BY.actor);

/** Deletes the site, and lets a week go by. */
async function erase(): Promise<void> {
  await mark();
  await endDeletions(open());
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

async function allRows(): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of memory.snapshot().pages()) found.push(...page);
  return found;
}

test('a removal that is stopped at any of its calls goes on at the next turn, and nothing of the site is left', {
  timeout: 300_000,
}, async () => {
  let stopAt = 1;
  for (let isDone = false; !isDone; stopAt++) {
    const { certificate, token } = await makeSite();
    await mark();
    const first = open({ stopAt });
    isDone = await endDeletions(first).then(
      () => true,
      () => false,
    );
    const second = open();
    // Until all is gone, the id is taken, and nothing comes back.
    if (!isDone && stopAt > FIRST_CALLS) {
      expect(await addSite(second, { id: SITE, name: SITE, createdAt: new Date().toISOString() })).toBe(false);
      const { site, deletion } = (await second.deletions.find(SITE)) ?? expect.fail('no site');
      expect(deletion && (await second.deletions.restore(site, deletion))).toBe(false);
    }
    await endDeletions(second);
    expect([stopAt, await left()]).toEqual([stopAt, ['#META']]);
    expect([...first.revoked, ...second.revoked]).toContain(certificate);
    expect(await second.tokens.describe(token)).toBeNull();
    const { entries } = await second.audit.list(null, undefined, 1);
    expect(entries).toMatchObject([{ action: 'site.erase', actor: 'service', detail: { site: SITE } }]);
  }
  expect(stopAt).toBeGreaterThan(15);
});

test('a removal that has no time does a part, and the next turn the rest', async () => {
  await makeSite();
  await mark();
  const context = open();
  let asked = 0;
  await endDeletions(context, () => ++asked > 3);
  expect((await left()).length).toBeGreaterThan(3);
  expect(await context.sites.find(SITE)).toBeNull();
  await expect(context.devices.snapshot(SITE)).rejects.toMatchObject({ code: 'site_forbidden' });
  await endDeletions(context);
  expect(await left()).toEqual(['#META']);
});

test('a deletion that is taken back leaves every row as it was, but for the revision of the settings', async () => {
  await makeSite();
  const before = await allRows();
  const warm = open();
  const { version } = await warm.devices.snapshot(SITE);
  const deletion = (await mark()) ?? expect.fail('not deleted');
  expect(await mark()).toBeNull();
  await removeDeleted({ ...open(), registry: { ...open().registry, suspend: async () => {} } }, SILENT, () => false);
  await expect(warm.devices.snapshot(SITE)).rejects.toMatchObject({ code: 'site_forbidden' });
  const { site } = (await open().deletions.find(SITE)) ?? expect.fail('no site');
  expect(await open().deletions.restore(site, deletion)).toBe(true);
  expect(await open().deletions.restore(site, deletion)).toBe(false);
  const after = await allRows();
  const withoutSite = (rows: Item[]) => rows.filter(({ pk }) => pk !== 'SITES');
  expect(withoutSite(after)).toEqual(withoutSite(before));
  expect((await warm.devices.snapshot(SITE)).version).toBe(version);
  const { revision, ...settings } = (await open().sites.find(SITE)) ?? expect.fail('no site');
  expect(settings).toEqual({ ...site, revision: undefined });
  expect(revision).toBeGreaterThan(site.revision + 1);
  await erase();
});

test.each([
  { name: 'as always', now: () => new Date() },
  { name: 'by a clock that was put back', now: () => new Date(Date.now() - 86_400_000) },
])('a site that is made again, $name, has a greater version, and nothing comes back from memory', async ({ now }) => {
  await makeSite();
  const warm = open();
  const before = await warm.devices.snapshot(SITE);
  expect(before.size).toBe(DEVICES);
  await erase();
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
  await erase();
});

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
    await erase();
    const fresh = open();
    await addSite(fresh, { id: SITE, name: SITE, createdAt: new Date().toISOString() });
    await fresh.devices.change(SITE, BY, put([device(1, 'new')]));
    wakeUp();
    await change;
    for (const stores of [fresh, open(), sleeper]) {
      expect((await stores.devices.snapshot(SITE)).devices).toEqual([device(1, 'new')]);
    }
    await erase();
  }
});

test('a removal that sleeps before any of its calls, while another one ends it and the site is made again, leaves the later site alone', {
  timeout: 300_000,
}, async () => {
  let sleepAt = 2; // Before the first call it knows of no deletion.
  for (let isDone = false; !isDone; sleepAt++) {
    await makeSite(FEW);
    await mark();
    const sleeper = open();
    let calls = 0;
    let later: Awaited<ReturnType<typeof makeSite>> | null = null;
    aroundCalls(sleeper.table, async (_, pass) => {
      if (++calls === sleepAt) {
        await endDeletions(open());
        later = await makeSite(FEW);
      }
      return pass();
    });
    await endDeletions(sleeper);
    isDone = later === null;
    if (later === null) continue;
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
    await erase();
  }
  expect(sleepAt).toBeGreaterThan(15);
});

test('a removal that fails holds up no other, and is told', async () => {
  const { certificate } = await makeSite(FEW);
  await mark();
  const broken = 'broken';
  await addSite(open(), { id: broken, name: broken, createdAt: new Date().toISOString() });
  await open().deletions.delete(broken, BY.actor);
  const lines: object[] = [];
  const log: Log = { info: (fields) => void lines.push(fields), warn() {}, error: (fields) => void lines.push(fields) };
  const context = open();
  const { retire } = context.devices;
  const failing = async (site: string, at: number) => {
    if (site === broken) throw new Error('not this one');
    return retire(site, at);
  };
  const ending = endDeletions({ ...context, devices: { ...context.devices, retire: failing } }, () => false, log);
  await expect(ending).rejects.toThrow('1 deleted sites have failed');
  expect(lines).toMatchObject([{ site: broken }, { site: SITE }]);
  expect([await left(), context.revoked]).toEqual([['#META'], [certificate]]);
  await endDeletions(open(), () => true); // Nothing is begun when the time is over.
  expect((await open().deletions.list()).map(({ deletion }) => deletion.site)).toEqual([broken]);
  await endDeletions(open());
  expect(await open().deletions.list()).toEqual([]);
});

/** A request to the API over these stores, without agents. */
function post(context: ReturnType<typeof open>, path: string, body: object, headers: Record<string, string> = {}) {
  const settings = { version: 'test', corsOrigins: [] };
  const tokenWatch = openTokenWatch(context.tokens, SILENT);
  const app = service(
    { ...context, log: SILENT, settings, tokenWatch, agents: {} as never, waitSlots: {} as never },
    accessGroup.routes.admin,
  );
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  return asFunction('access', () => app.request(path, { ...sent, body: JSON.stringify(body) }));
}

test('a token for a site that is deleted while the token is made is refused, and is not there for a later site', async () => {
  await makeSite();
  const context = open();
  const secret = makeToken();
  await context.tokens.add(tokenId(secret) ?? '', rootTokenRow(secret, 'all sites', new Date()));
  const tokens: typeof context.tokens = {
    ...context.tokens,
    async add(...made) {
      await erase();
      await context.tokens.add(...made);
    },
  };
  const body = { name: 'for home', scopes: ['devices:read'], sites: [SITE] };
  const answer = await post({ ...context, tokens }, '/tokens', body, { authorization: `Bearer ${secret}` });
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'site_forbidden' }]);
  expect((await context.tokens.list()).filter(({ sites }) => sites !== '*')).toEqual([]);
});

test('an enrolment that is under way while the site is deleted is refused, and its certificate is worthless', async () => {
  await using folder = makeTestFolder();
  const authority = await openCertificateAuthority(folder.path, []);
  const ours = localAgentRegistry(authority, LOCAL_STAGE, { url: 'b', disconnect() {}, async publish() {} });
  await makeSite();
  const context = open();
  const codeFor = (name: string) => context.enrolments.create({ site: SITE, agent: `${SITE}:${name}`, replace: false });
  const [{ code }, late] = [await codeFor('cellar'), await codeFor('attic')];
  let serial = '';
  const registry: AgentRegistry = {
    ...ours,
    async enrol(...args) {
      const issued = await ours.enrol(...args);
      serial = issued.certificateId;
      await erase();
      return issued;
    },
  };
  const answer = await post({ ...context, registry }, '/enrol', { code, csr: (await makeAgentKey()).csr });
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { code: 'enrolment_refused', message: expect.stringMatching(/^The site "home" has been removed/) },
  ]);
  expect(authority.isRevoked(serial)).toBe(true);
  await addSite(open(), { id: SITE, name: SITE, createdAt: new Date(Date.now() + 1_000).toISOString() });
  const enrolment = { code: late.code, csr: (await makeAgentKey()).csr };
  const later = await post(open(), '/enrol', enrolment);
  expect([later.status, await later.json()]).toMatchObject([403, { code: 'enrolment_refused' }]);
  // The code is gone with the site, but may be read just before: then the certificate is worthless, too.
  expect(await open().sites.listAgents(SITE)).toEqual({ agents: [], unreadable: [] });
  await erase();
});
