/** What is left of a site that was removed, whatever was interrupted, and whoever else was at work. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unlimited } from '../functions/access/first-access.ts';
import { addSite } from '../functions/access/sites.ts';
import { adminGroup } from '../functions/admin/handlers.ts';
import { makeToken, tokenId } from '../functions/auth/token.ts';
import { openTokenWatch } from '../functions/auth/token-watch.ts';
import type { StoredDevice } from '../functions/dynamodb/device-codec.ts';
import { openStores } from '../functions/dynamodb/stores.ts';
import { service } from '../functions/http/service.ts';
import type { AgentRegistry } from '../functions/iot/agent-registry.ts';
import type { Log } from '../functions/log/log.ts';
import { removeSite } from '../functions/sites/remove-site.ts';
import { localAgentRegistry, openCertificateAuthority } from '../local/certificate-authority.ts';
import { BLANK_DEVICE } from '../shared/device.ts';
import { makeAgentKey } from './agent-key.ts';
import { makeTestFolder } from './support/test-folder.ts';
import { startTable, type TestTable } from './test-table.ts';

const SITE = 'home';
const BY = { actor: '0123456789abcdef', cause: 'import' } as const;
/** More than fit into one transaction, and more than a change may have without a bracket. */
const DEVICES = 130;

let table: TestTable;
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table[Symbol.asyncDispose]());

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
  const stores = openStores(table.settings, now);
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
  stores.table.client.middlewareStack.add(
    (next) => async (call) => {
      if (++calls >= stopAt) throw new Error('the process was stopped');
      return next(call);
    },
    { step: 'initialize' },
  );
  return { ...stores, registry, now, revoked, callsMade: () => calls };
}

function device(i: number, name = 'old'): StoredDevice {
  const devMac = `1E:08:00:00:00:${i.toString(16).padStart(2, '0').toUpperCase()}`;
  return { key: devMac, record: { ...BLANK_DEVICE, devMac, devName: `${name} ${i}` } };
}

const put = (devices: StoredDevice[]) => () => ({ put: devices, remove: [] });

/** A site with devices, a journal, an agent, a job and a token. */
async function makeSite(): Promise<{ certificate: string; token: string }> {
  const context = open();
  expect(await addSite(context, { id: SITE, name: SITE, createdAt: new Date().toISOString() })).toBe(true);
  await context.devices.change(SITE, BY, put(Array.from({ length: DEVICES }, (_, i) => device(i))));
  await context.devices.change(SITE, BY, put([device(1, 'renamed')]));
  const agent = `${SITE}:attic`;
  const certificate = `certificate ${Math.random()}`;
  const invitation = { agent, replaces: false, madeAt: new Date() };
  await context.sites.enrolled(invitation, { certificateId: certificate, key: 'key' });
  const id = `${SITE}.01934c1e-5f00-7a11-8a22-0123456789ab`;
  await context.jobs.create({ id, agent, command: { tool: 'interfaces' }, actor: 'test' });
  const token = tokenId(makeToken()) ?? '';
  await context.tokens.add(token, { ...unlimited('lr_x', 'x', new Date()), sites: [SITE], defaultSite: SITE });
  return { certificate, token };
}

/** The sort keys of all rows of the site. */
async function left(): Promise<string[]> {
  const { table: rows } = open();
  const keys: string[] = [];
  for (const partition of [`S#${SITE}`, `J#${SITE}`]) {
    for await (const page of rows.query(partition, null, { consistent: true })) keys.push(...page.map(({ sk }) => sk));
  }
  const site = await rows.get({ pk: 'SITES', sk: `SITE#${SITE}` }, { consistent: true });
  return site === null ? keys : [...keys, site.sk];
}

test('a removal that is stopped at any of its calls is completed by the next one, and nothing of the site is left', {
  timeout: 120_000,
}, async () => {
  let stopAt = 1;
  for (let isDone = false; !isDone; stopAt++) {
    const { certificate, token } = await makeSite();
    const first = open({ stopAt });
    isDone = await removeSite(first, SITE, () => false).catch(() => false);
    const second = open();
    if (!isDone && (await second.removals.find(SITE)) !== null) {
      expect(await removeSite(second, SITE, () => false)).toBe(true);
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
  expect(await removeSite(context, SITE, () => ++asked > 2)).toBe(false);
  expect((await left()).length).toBeGreaterThan(3);
  expect(await context.sites.find(SITE)).toBeNull();
  await expect(context.devices.snapshot(SITE)).rejects.toMatchObject({ code: 'site_forbidden' });
  expect(await removeSite(context, SITE, () => false)).toBe(true);
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
    await removeSite(open(), SITE, () => false);
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
    await removeSite(open(), SITE, () => false);
  },
);

test('a writer that sleeps from before the removal until after the site was made again changes nothing of the new one', async () => {
  for (const call of ['PutItemCommand', 'UpdateItemCommand']) {
    await makeSite();
    const sleeper = open();
    let fallAsleep = () => {};
    let wakeUp = () => {};
    const asleep = new Promise<void>((resolve) => (fallAsleep = resolve));
    const awake = new Promise<void>((resolve) => (wakeUp = resolve));
    await sleeper.devices.snapshot(SITE);
    sleeper.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === call) {
            fallAsleep();
            await awake;
          }
          return next(args);
        },
      { step: 'initialize' },
    );
    const change = sleeper.devices.change(SITE, BY, put([device(1, 'late'), device(100, 'late')]));
    await asleep;
    await removeSite(open(), SITE, () => false);
    const fresh = open();
    await addSite(fresh, { id: SITE, name: SITE, createdAt: new Date().toISOString() });
    await fresh.devices.change(SITE, BY, put([device(1, 'new')]));
    wakeUp();
    await change;
    for (const stores of [fresh, open(), sleeper]) {
      expect((await stores.devices.snapshot(SITE)).devices).toEqual([device(1, 'new')]);
    }
    await removeSite(open(), SITE, () => false);
  }
});

test('an enrolment that is under way while the site is removed is refused, and its certificate is worthless', async () => {
  await using folder = makeTestFolder();
  const authority = await openCertificateAuthority(folder.path, []);
  const ours = localAgentRegistry(authority, { url: 'b', disconnect() {}, async publish() {} });
  await makeSite();
  const context = open();
  const { code } = await context.enrolments.create({ agent: `${SITE}:cellar`, replaces: false });
  let serial = '';
  const registry: AgentRegistry = {
    ...ours,
    async enrol(...args) {
      const issued = await ours.enrol(...args);
      serial = issued.certificateId;
      await removeSite(open(), SITE, () => false);
      return issued;
    },
  };
  const log: Log = { info() {}, warn() {}, error() {} };
  const tokenWatch = openTokenWatch(context.tokens, log);
  const settings = { version: 'test', corsOrigins: [] };
  const app = service({ ...context, registry, log, settings, tokenWatch, agents: {} as never }, adminGroup);
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
  await removeSite(open(), SITE, () => false);
});
