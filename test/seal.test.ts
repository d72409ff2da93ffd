/** Rows that give rights, in a database into which others write as well: ours stay good, theirs count as absent. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf, makeToken, tokenId } from '../functions/auth/token.ts';
import type { CertificateRef } from '../functions/dynamodb/agent-row.ts';
import { type Key, rows } from '../functions/dynamodb/rows.ts';
import { openStores, type Stores } from '../functions/dynamodb/stores.ts';
import type { Item, Table } from '../functions/dynamodb/table.ts';
import { makeSigningSecret } from '../functions/hooks/signature.ts';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import type { AgentId } from '../shared/identity.ts';
import { startTable, type TestTable } from './test-table.ts';

let engine: TestTable;
let ours: Stores;
/** Of somebody who can write, but has no key. */
let theirs: Table;
const refused: Key[] = [];

beforeAll(async () => {
  engine = await startTable();
  const seal = { key: randomBytes(32), onRefused: (row: Key) => refused.push(row) };
  ours = openStores({ ...engine.settings, seal }, () => new Date());
  theirs = engine.open();
});
afterAll(async () => {
  ours.table.client.destroy();
  await engine[Symbol.asyncDispose]();
});

/** Lets them change a row, looks, and puts it back. */
async function tampered<T>(key: Key, change: Partial<Item>, look: () => Promise<T>): Promise<T> {
  const row = await theirs.get(key, { consistent: true });
  if (row === null) throw new Error('there is no such row');
  await theirs.put({ ...row, ...change } as Item);
  try {
    return await look();
  } finally {
    await theirs.put(row);
  }
}

const STORED = {
  name: 'test',
  scopes: ['devices:read' as const],
  sites: ['home'],
  defaultSite: 'home',
  createdAt: new Date().toISOString(),
  expiresAt: null,
  createdBy: null,
  ancestor: null,
};

test('a token stays good through its life; one that others have made or widened is none', async () => {
  const token = makeToken();
  const id = tokenId(token) ?? '';
  await ours.tokens.add(id, { ...STORED, digest: digestOf(token) });
  const found = await ours.tokens.find(id);
  expect(found?.token).toMatchObject({ id, name: 'test' });
  if (found !== null) await ours.tokens.touch(found);
  expect((await ours.tokens.find(id))?.token.lastUsedAt).not.toBe(null);

  const key = { pk: `T#${id}`, sk: 'T' };
  const d = JSON.stringify({ ...STORED, digest: digestOf(token), scopes: ['admin'] });
  expect(await tampered(key, { d }, () => ours.tokens.find(id))).toBe(null);
  expect(await tampered(key, { d }, () => ours.tokens.list())).toEqual([]);
  expect(refused).toContainEqual(key);
  expect(await tampered(key, { usedAt: 1 }, () => ours.tokens.find(id))).toMatchObject({ token: { id } });

  const row = await theirs.get(key);
  await theirs.put({ ...row, pk: 'T#00000000deadbeef', sk: 'T' });
  expect(await ours.tokens.find('00000000deadbeef')).toBe(null);
  expect(await ours.tokens.revoke(id)).toBe(true);
  expect(await ours.tokens.find(id)).toBe(null);
});

test('an enrolment code works once and can be given back; one that others have made or changed does not', async () => {
  const agent: AgentId = 'home:attic';
  const { code } = await ours.enrolments.create({ agent, replaces: false });
  expect(await ours.enrolments.claim(code)).toMatchObject({ agent, replaces: false });
  expect(await ours.enrolments.claim(code)).toBe(null);
  await ours.enrolments.release(code);

  let key: Key = { pk: '', sk: 'E' };
  const watching = openStores(engine.settings, () => new Date());
  const get = watching.table.get.bind(watching.table);
  watching.table.get = (asked, options) => {
    key = asked;
    return get(asked, options);
  };
  await watching.enrolments.claim(code);
  await watching.enrolments.release(code);
  for (const change of [{ replaces: 1 }, { agent: 'home:main' }, { expiresAt: Date.now() + 1e9 }]) {
    expect(await tampered(key, change, () => ours.enrolments.claim(code))).toBe(null);
  }
  expect(await ours.enrolments.claim(code)).toMatchObject({ agent });
  watching.table.client.destroy();
});

test('an agent stays good through enrolment, renewal, revocation and what is heard of it', async () => {
  const agent: AgentId = 'home:main';
  const key = { pk: 'S#home', sk: `A#${agent}` };
  const certificate = (n: number): CertificateRef => ({ certificateId: `0${n}`, key: `key ${n}` });
  const invitation = (replaces: boolean) => ({ agent, replaces, madeAt: new Date() });
  const current = () => ours.certificates.find(agent);
  const known = async () => {
    const found = await current();
    if (found === null) throw new Error('the agent is not known');
    return found;
  };

  expect(await ours.sites.enrolled(invitation(false), certificate(1))).toEqual({ replaced: [] });
  const presence = {
    v: PROTOCOL_VERSION,
    t: 'presence',
    state: 'online',
    session: Date.now(),
    version: '1.0.0',
  } as const;
  expect(await ours.sites.recordPresence(agent, presence)).toBe('new');
  expect(await known()).toMatchObject(certificate(1));

  const enrolled = await known();
  const further = { ...enrolled, next: certificate(2), provedAt: 1 };
  expect(await ours.certificates.replace(agent, enrolled, further)).toBe(true);
  const renewed = await known();
  expect(renewed).toMatchObject({ ...certificate(1), next: certificate(2) });
  for (const change of [{ key: 'theirs' }, { certificate: '09' }, { next: JSON.stringify(certificate(9)) }]) {
    expect(await tampered(key, change, current)).toBe(null);
    expect(await tampered(key, change, () => ours.sites.agents('home'))).toEqual([]);
  }
  expect(await tampered(key, { presence: 'offline' }, current)).toEqual(renewed);

  const confirmed = { ...renewed, ...certificate(2), next: null };
  expect(await ours.certificates.replace(agent, renewed, confirmed)).toBe(true);
  expect(await known()).toEqual(confirmed);

  expect(await ours.sites.enrolled(invitation(true), certificate(3))).toEqual({ replaced: ['02'] });
  expect(await known()).toMatchObject(certificate(3));
  await ours.sites.add({ id: 'home', name: 'Home', createdAt: STORED.createdAt });
  await ours.sites.resetPresence();
  expect(await ours.sites.agents('home')).toMatchObject([{ id: agent, state: 'offline' }]);

  const revoked = await ours.sites.revoking(agent);
  expect(revoked).toMatchObject(certificate(3));
  if (revoked !== null) await ours.sites.revoked(agent, revoked);
  expect(await ours.sites.agents('home')).toEqual([]);
  const again = { agent, replaces: false, madeAt: new Date(Date.now() + 1_000) };
  expect(await ours.sites.enrolled(again, certificate(4))).toEqual({ replaced: [] });
  expect(await known()).toMatchObject(certificate(4));
});

test('a hook leads where we have said, and tells what has happened', async () => {
  const [site, id] = ['home', '0123456789ab'];
  const url = 'https://hooks.example.org/ours';
  const by = { createdAt: STORED.createdAt, createdBy: '0123456789abcdef' };
  const settings = {
    url,
    format: 'json',
    events: ['new'],
    secret: makeSigningSecret(),
    enabled: true,
    from: 1,
    ...by,
  } as const;
  await ours.hooks.add(site, id, { ...settings, events: ['new'] });
  const hook = await ours.hooks.change(site, id, (before) => ({ ...settings, events: before.events, format: 'slack' }));
  if (hook === null) throw new Error('there is no such hook');
  expect(await ours.hooks.advance(site, hook, 2, { recent: {}, bursts: {} })).toBe(true);
  await ours.hooks.note(site, id, { failingSince: new Date() });
  expect(await ours.hooks.find(site, id)).toMatchObject({ url, format: 'slack', cursor: 2 });
  const d = JSON.stringify({ ...settings, url: 'https://theirs.example.org/' });
  expect(await tampered(rows.hook(site, id), { d }, () => ours.hooks.find(site, id))).toBe(null);
  expect(await tampered(rows.hook(site, id), { d }, () => ours.hooks.list(site))).toEqual({
    hooks: [],
    unreadable: [],
  });

  const event = {
    id: '1.0',
    at: STORED.createdAt,
    recordedAt: STORED.createdAt,
    type: 'test',
    device: null,
    changes: {},
    actor: 'x',
    cause: 'test',
    site,
  } as const;
  const delivery = { hook: id, id: '1793520900_1_0', webhookId: 'w', event };
  await ours.deliveries.add(site, delivery);
  const find = () => ours.deliveries.find(site, id, delivery.id);
  const pending = await find();
  if (pending === null) throw new Error('there is no such delivery');
  expect(await ours.deliveries.claim(site, pending, new Date())).toBe(true);
  expect(await find()).toMatchObject({ attempts: 1 });
  const forged = JSON.stringify({ webhookId: 'w', event: { ...event, actor: 'somebody else' } });
  expect(await tampered(rows.delivery(site, id, delivery.id), { d: forged }, find)).toBe(null);
});

test('without a key to seal with, as in the cloud, nothing is sealed and everything is believed', async () => {
  const cloud = openStores(engine.settings, () => new Date());
  const id = 'aaaaaaaaaaaaaaaa';
  await cloud.tokens.add(id, { ...STORED, digest: digestOf('x'.repeat(20)) });
  expect(await theirs.get({ pk: `T#${id}`, sk: 'T' })).not.toHaveProperty('seal');
  expect(await cloud.tokens.find(id)).toMatchObject({ token: { id } });
  cloud.table.client.destroy();
});
