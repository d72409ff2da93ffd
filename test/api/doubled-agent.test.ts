/** Two hosts with the identity of one agent, as after its folder was copied: each connection ends that of the other. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type ConnectionEvent, PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { clientIdOf, LOCAL_STAGE } from '../../shared/identity.ts';
import { openIngest } from '../support/background-work.ts';
import { enrolAgent } from '../support/enrolled-agent.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

/**
 * How the broker tells that a connection took the place of another: in order, as that of one machine does; or as IoT Core may,
 * whose lifecycle events come in any order and more than once, and whose last will may come last.
 */
const ORDERS = {
  'in order': ['will', 'disconnected', 'connected', 'online'],
  'the end after the next connection, twice': ['connected', 'online', 'disconnected', 'disconnected', 'will'],
  'presence before the events': ['online', 'disconnected', 'will', 'connected', 'connected'],
} as const;

test.each(Object.entries(ORDERS))('they are one event and a problem of the agent: %s', async (_, order) => {
  const site = await system.addSite();
  const { id: agent } = await enrolAgent(system, site, 'attic');
  const ingest = openIngest(system.context, pino({ level: 'silent' }));
  let at = Date.now() - 60_000;
  const say = (message: object) => Buffer.from(JSON.stringify(message));
  // With all that AWS documents of lifecycle events.
  const event = (eventType: ConnectionEvent['eventType'], versionNumber: number, timestamp: number) => ({
    clientId: clientIdOf(LOCAL_STAGE, agent),
    timestamp,
    eventType,
    ...(eventType === 'disconnected'
      ? { clientInitiatedDisconnect: false, disconnectReason: 'DUPLICATE_CLIENTID' }
      : { ipAddress: '203.0.113.7' }),
    sessionIdentifier: `00000000-0000-0000-0000-${versionNumber}`,
    principalIdentifier: 'x',
    versionNumber,
  });
  const own = { v: PROTOCOL_VERSION, t: 'presence' } as const;
  const startedAt = { nas: 1_000, pi: 2_000 };
  const details = { version: '0.2.0', programs: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } };
  for (const [i, name] of (['nas', 'pi', 'nas', 'pi', 'nas', 'pi'] as const).entries()) {
    const host = { name, platform: 'linux', addresses: [], startedAt: startedAt[name] };
    const former = at;
    const [gone, come, session] = [++at, ++at, ++at];
    const messages = {
      will: () => ingest.presence(agent, say({ ...own, state: 'offline', session: former })),
      disconnected: () => ingest.connection(agent, say(event('disconnected', i, gone))),
      connected: () => ingest.connection(agent, say(event('connected', i + 1, come))),
      online: () => ingest.presence(agent, say({ ...own, state: 'online', session, ...details, host })),
    };
    const isOfFormer = (one: keyof typeof messages) => one === 'will' || one === 'disconnected';
    for (const one of order) if (i > 0 || !isOfFormer(one)) await messages[one]();
  }
  const { json } = await system.request('GET', `/sites/${site}/agents`);
  const why = 'two hosts use this identity: nas, pi; enrol one of them under another name';
  expect(json).toMatchObject({ agents: [{ id: agent, state: 'online', problem: why }] });
  const { json: listed } = await system.request('GET', '/events', { site });
  const events = (listed as { events: { type: string; detail?: object }[] }).events;
  expect(events.map(({ type, detail }) => [type, detail])).toEqual([['agent-lost', { why }]]);
});
