/** Two hosts with the identity of one agent, as after its folder was copied: each connection ends that of the other. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openIngest } from '../../functions/sightings/ingest.ts';
import { type ConnectionEvent, PROTOCOL_VERSION, type Presence } from '../../shared/agent/messages.ts';
import { clientIdOf, LOCAL_STAGE } from '../../shared/identity.ts';
import { enrolAgent } from '../support/enrolled-agent.ts';
import { startTestApi, type TestApi } from '../support/in-process.ts';

let system: TestApi;
beforeAll(async () => {
  system = await startTestApi();
});
afterAll(() => system?.close());

test('they are one event and the problem of the agent, and the site never goes dark', async () => {
  const site = await system.addSite();
  const { id: agent } = await enrolAgent(system, site, 'attic');
  const ingest = openIngest(system.context, pino({ level: 'silent' }));
  let at = Date.now() - 60_000;
  const say = (message: Presence | ConnectionEvent) => Buffer.from(JSON.stringify(message));
  const event = (eventType: ConnectionEvent['eventType'], versionNumber: number): ConnectionEvent => ({
    ...{
      clientId: clientIdOf(LOCAL_STAGE, agent),
      eventType,
      principalIdentifier: 'x',
      timestamp: ++at,
      versionNumber,
    },
    ...(eventType === 'disconnected' ? { disconnectReason: 'DUPLICATE_CLIENTID' } : {}),
  });
  const own = { v: PROTOCOL_VERSION, t: 'presence' } as const;
  const host = (name: string) => ({
    name,
    platform: 'linux',
    addresses: [],
    startedAt: name === 'nas' ? 1_000 : 2_000,
  });
  const details = { version: '0.2.0', programs: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } };
  for (const [i, name] of ['nas', 'pi', 'nas', 'pi', 'nas', 'pi'].entries()) {
    if (i > 0) {
      // As IoT Core and the broker of one machine tell of it: the last will, the end, and then the next one.
      await ingest.presence(agent, say({ ...own, state: 'offline', session: at }));
      await ingest.connection(agent, say(event('disconnected', i)));
    }
    await ingest.connection(agent, say(event('connected', i + 1)));
    const session = ++at;
    await ingest.presence(agent, say({ ...own, state: 'online', session, ...details, host: host(name) }));
  }
  const { json } = await system.request('GET', `/sites/${site}/agents`);
  const why = 'two hosts use this identity: nas, pi; enrol one of them under another name';
  expect(json).toMatchObject({ agents: [{ id: agent, state: 'online', problem: why }] });
  const { json: told } = await system.request('GET', '/events', { site });
  const events = (told as { events: { type: string; detail?: object }[] }).events;
  expect(events.map(({ type, detail }) => [type, detail])).toEqual([['agent-lost', { why }]]);
});
