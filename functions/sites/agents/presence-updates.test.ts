/** What is stored of an agent's presence when several messages about it are stored at the same time. */
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION, type Presence } from '../../../shared/agent/messages.ts';
import { type AgentId, agentId } from '../../../shared/identity.ts';
import { aroundCalls } from '../../../test/support/database-calls.ts';
import { memoryTable } from '../../../test/test-table.ts';
import { rows } from '../../table/rows.ts';
import { openSiteStore, type SiteStore } from '../site-store.ts';

const NOW = Date.UTC(2026, 10, 1);

const table = memoryTable();

let made = 0;
async function enrolledAgent(): Promise<AgentId> {
  const agent = agentId('home', `agent-${++made}`);
  const invitation = { agent, replaces: false, madeAt: new Date(NOW) };
  await openSites().recordEnrolment(invitation, { certificateId: `certificate of ${agent}`, key: 'key' });
  return agent;
}

/** As another function has it. */
function openSites(before?: () => Promise<void>): SiteStore {
  const opened = table.open();
  if (before !== undefined) {
    aroundCalls(opened, async ({ method }, pass) => {
      if (method === 'update') await before();
      return pass();
    });
  }
  return openSiteStore(opened, () => new Date(NOW));
}

function online(session: number, running = 0): Presence {
  const load = { running, queued: 0 };
  const details = { version: '1', programs: {}, capabilities: [], networks: [], load };
  return { v: PROTOCOL_VERSION, t: 'presence', state: 'online', session, ...details };
}

const lastWill = (session: number): Presence => ({ v: PROTOCOL_VERSION, t: 'presence', state: 'offline', session });

test('a message that was overtaken between its read and its write is judged again, and changes nothing', async () => {
  const agent = await enrolledAgent();
  let overtaken = 0;
  const slow = openSites(async () => {
    if (overtaken++ === 0) await openSites().recordPresence(agent, online(2, 7));
  });
  expect(await slow.recordPresence(agent, lastWill(1))).toBe('ignored');
  expect(overtaken).toBe(1);
  const [shown] = (await openSites().agents('home')).filter(({ id }) => id === agent);
  expect(shown).toMatchObject({ state: 'online', load: { running: 7 } });
});

test('concurrent reports of the agent and events of the broker are all stored', async () => {
  const agent = await enrolledAgent();
  const events = [online(1), lastWill(1), online(2, 3)].map((presence) => openSites().recordPresence(agent, presence));
  const versions = [4, 5, 6].map((versionNumber) => {
    const event = { clientId: `local:${agent}`, eventType: 'connected' as const, timestamp: NOW, versionNumber };
    return openSites().recordConnectionEvent(agent, event);
  });
  await Promise.all([...events, ...versions]);
  const row = await table.open().get(rows.agent(agent), { consistent: true });
  expect(row).toMatchObject({ presence: 'online', session: 2, link: 6, linkEnded: 0 });
});

test('the load that an agent says again in the same state is stored, although its state is no news', async () => {
  const agent = await enrolledAgent();
  const sites = openSites();
  expect(await sites.recordPresence(agent, online(1))).toBe('new');
  expect(await sites.recordPresence(agent, online(1, 5))).toBe('repeated');
  const [shown] = (await sites.agents('home')).filter(({ id }) => id === agent);
  expect(shown?.load).toEqual({ running: 5, queued: 0 });
});

test('an event that an enrolment overtakes stores no connection of the agent that is replaced', async () => {
  const agent = await enrolledAgent();
  await openSites().recordPresence(agent, online(1));
  let overtaken = 0;
  const slow = openSites(async () => {
    if (overtaken++ > 0) return;
    const replacing = { agent, replaces: true, madeAt: new Date(NOW) };
    await openSites().recordEnrolment(replacing, { certificateId: 'of the successor', key: 'key' });
  });
  await slow.recordPresence(agent, lastWill(1));
  expect(overtaken).toBeGreaterThan(0);
  expect((await openSites().findAgent(agent))?.history.spans).toEqual([]);
  const row = await table.open().get(rows.agent(agent), { consistent: true });
  expect(row).not.toHaveProperty('links');
});
