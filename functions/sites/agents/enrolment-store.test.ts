/** Who may enrol as which agent, where two come at once and where answers are lost. */
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Presence } from '../../../shared/agent/messages.ts';
import type { AgentId } from '../../../shared/identity.ts';
import { aroundCalls } from '../../../test/support/database-calls.ts';
import { memoryTable } from '../../../test/test-table.ts';
import { openSiteStore, type SiteStore } from '../site-store.ts';
import { certificateIds } from './agent-row.ts';
import { openCertificateStore } from './certificate-store.ts';
import { openEnrolmentStore, useOf } from './enrolment-store.ts';
import type { Permit } from './permit.ts';

const engine = memoryTable();

let sites = 0;

/** An agent that is not enrolled, a clock that the test moves, and stores that share nothing but the table. */
function freshAgent() {
  const site = `site-${++sites}`;
  let time = Date.now();
  const now = () => new Date(time);
  const agent = `${site}:main`;
  const invite = (replaces = false): Permit => ({ agent, replaces, madeAt: now() });
  const openSites = (table = engine.open()) => {
    const { recordEnrolment, beginRevocation, finishRevocation, ...store } = openSiteStore(table, now);
    const certificateOf = (certificateId: string) => ({ certificateId, key: `key of ${certificateId}` });
    return {
      ...store,
      enrolled: (invitation: Permit, id: string) => recordEnrolment(invitation, certificateOf(id)),
      revoking: async (agent: AgentId) => certificateIds(await beginRevocation(agent)),
      revoked: (agent: AgentId, id: string) =>
        finishRevocation(agent, { ...certificateOf(id), next: null, retired: null, provedAt: 0, endsAt: null }),
    };
  };
  return {
    site,
    agent,
    invite,
    openSites,
    now,
    openCodes: () => openEnrolmentStore(engine.open(), now),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const said = (state: Presence['state'], session: number): Presence => {
  return { v: PROTOCOL_VERSION, t: 'presence', state, session, ...(state === 'online' && { version: '1.0.0' }) };
};

async function statesOf(store: Pick<SiteStore, 'agents'>, site: string): Promise<Record<string, string>> {
  return Object.fromEntries((await store.agents(site)).map(({ id, state }) => [id, state]));
}

test('a code that is revoked while a host enrols enrols it no more', async () => {
  const { agent, site, openCodes, openSites, now } = freshAgent();
  const { stored } = await openCodes().create({ site, agent, replace: false });
  await openCodes().revoke(stored.id);
  const permit: Permit = { agent, replaces: false, madeAt: now(), use: useOf(stored) };
  expect(await openSites().enrolled(permit, 'first')).toEqual({ refusal: 'closed' });
  expect(await openSites().agents(site)).toEqual([]);
});

test('of two that come for a free name at once one gets it', async () => {
  const { invite, openSites } = freshAgent();
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => openSites().enrolled(invite(), id)));
  expect(answers.filter((answer) => 'replaced' in answer)).toEqual([{ replaced: [] }]);
  expect(answers.filter((answer) => 'refusal' in answer)).toHaveLength(3);
});

test('where several replace an agent at once, no certificate is forgotten', async () => {
  const { agent, invite, openSites } = freshAgent();
  await openSites().enrolled(invite(), 'first');
  const ids = ['a', 'b', 'c', 'd'];
  const answers = await Promise.all(ids.map((id) => openSites().enrolled(invite(true), id)));
  const replaced = answers.flatMap((answer) => ('replaced' in answer ? answer.replaced : ['refused']));
  const last = await openSites().revoking(agent);
  expect([...replaced, ...last].sort()).toEqual([...ids, 'first']);
});

test('a change that was made although its answer was lost is not taken for that of another', async () => {
  const { agent, invite, openSites } = freshAgent();
  await openSites().enrolled(invite(), 'first');
  const table = engine.open();
  let lost = 0;
  aroundCalls(table, async ({ method }, pass) => {
    const answer = await pass();
    if (method !== 'transact' || lost++ > 0) return answer;
    return false; // The SDK has tried again by itself, and found the condition broken by its own first try.
  });
  expect(await openSites(table).enrolled(invite(true), 'second')).toEqual({ replaced: ['first'] });
  expect(await openSites().revoking(agent)).toEqual(['second']);
  expect(lost).toBe(1);
});

test('a revoked agent is gone: from lists, for invitations from before, and whatever is said in its name', async () => {
  const { site, agent, invite, openSites, pass } = freshAgent();
  const store = openSites();
  await store.enrolled(invite(), 'first');
  await store.recordPresence(agent, said('online', 1));
  const early = invite(true);
  expect(await statesOf(store, site)).toEqual({ [agent]: 'online' });

  pass(1000);
  expect(await store.revoking(agent)).toEqual(['first']);
  // Not gone yet, so that the revocation can be tried again; but no commands go there.
  expect(await statesOf(store, site)).toEqual({ [agent]: 'offline' });
  expect(await store.revoking(agent)).toEqual(['first']);
  await store.revoked(agent, 'first');
  expect(await store.agents(site)).toEqual([]);
  expect(await store.revoking(agent)).toEqual([]);

  await store.recordPresence(agent, said('offline', 1));
  await store.recordPresence(agent, said('online', 2));
  await store.resetPresence();
  expect(await store.agents(site)).toEqual([]);
  expect(await store.replacedBy(early)).toEqual({ refusal: 'revoked' });
  expect(await store.enrolled(early, 'second')).toEqual({ refusal: 'revoked' });
  expect(await store.agents(site)).toEqual([]);

  pass(1);
  expect(await store.enrolled(invite(), 'third')).toEqual({ replaced: [] });
  // What its predecessor has said does not count, also when it is said late.
  expect(await store.agents(site)).toMatchObject([{ id: agent, state: 'enrolling', since: null, version: null }]);
  await store.recordPresence(agent, said('offline', 2));
  expect(await statesOf(store, site)).toEqual({ [agent]: 'enrolling' });
  await store.recordPresence(agent, said('online', 3));
  expect(await statesOf(store, site)).toEqual({ [agent]: 'online' });
});

test('an unknown agent cannot be revoked, and nothing is written about it', async () => {
  const { site, agent, openSites } = freshAgent();
  expect(await openSites().revoking(agent)).toEqual([]);
  expect(await engine.open().get({ pk: `S#${site}`, sk: `A#${agent}` })).toBeNull();
});

test('a revocation that an enrolment has overtaken takes nothing from the new agent', async () => {
  const { site, agent, invite, openSites, pass } = freshAgent();
  const store = openSites();
  await store.enrolled(invite(), 'first');
  await store.revoking(agent);
  pass(1);
  expect(await store.enrolled(invite(), 'second')).toEqual({ replaced: ['first'] });
  await store.revoked(agent, 'first');
  expect(await statesOf(store, site)).toEqual({ [agent]: 'enrolling' });
});

test('a revocation concerns the certificate of a renewal as well, and no renewal is noted after it has begun', async () => {
  const { agent, invite, openSites } = freshAgent();
  const certificates = openCertificateStore(engine.open());
  await openSites().enrolled(invite(), 'first');
  const before = (await certificates.find(agent))!;
  const next = { certificateId: 'next', key: 'key of next' };
  expect(await certificates.replace(agent, before, { ...before, next, provedAt: 1 })).toBe(true);
  const renewed = (await certificates.find(agent))!;
  expect(await openSites().revoking(agent)).toEqual(['first', 'next']);
  expect(await certificates.replace(agent, renewed, { ...renewed, ...next, next: null })).toBe(false);
  expect(await certificates.find(agent)).toBeNull();
  await openSites().revoked(agent, 'first');
  expect(await openSites().revoking(agent)).toEqual([]);
});
