import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../shared/agent/messages.ts';
import { EMPTY_PLAN, type PlannedCheck } from '../shared/agent/plan.ts';
import { topics } from '../shared/agent/topics.ts';
import { packPlan } from '../shared/agent/wire.ts';
import { CLIENT, requestFor, startTestBroker } from '../test/support/agent/broker.ts';
import { startTestAgent } from '../test/support/agent/test-agent.ts';
import { listenOnLoopback } from '../test/support/loopback.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { slotAfter, spreadOf } from './checks/check-runner.ts';

const settings = (revision: number, more: { direct?: boolean; restoredAt?: number } = {}) => ({
  ...{ v: PROTOCOL_VERSION, t: 'settings', revision, discovery: { enabled: false, networks: 'auto' } },
  ...more,
});
const plan = (revision: number, checks: PlannedCheck[] = []) => ({
  ...{ v: PROTOCOL_VERSION, t: 'plan', revision },
  plan: packPlan({ ...EMPTY_PLAN, checks }),
});

test('an agent publishes its presence to a rule once the settings offer that, and acknowledges the offer', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const agent = await startTestAgent(folder.path, broker.port);
  const said = () => broker.presences.at(-1);
  expect(await broker.presence('online')).toMatchObject({ direct: false });
  await broker.send('ctl', settings(1)); // Of a service of the release before.
  await waitFor('the first settings', () => said()?.settings === 1);
  expect([said()?.direct, broker.topics.at(-1)]).toEqual([false, topics.presence(CLIENT)]);
  await broker.send('ctl', settings(1, { direct: true })); // The revision is the same: the offer alone is new.
  await waitFor('the acknowledgement', () => said()?.direct === true);
  expect(broker.topics.at(-1)).toBe(topics.direct('presence', CLIENT));
  await agent.stop(0);
  expect([said()?.state, broker.topics.at(-1)]).toEqual(['offline', topics.direct('presence', CLIENT)]);
});

test('once for each restored backup, the settings and the plan of the server hold, however old they are', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const has = (settings: number, plan: number) =>
    waitFor(`settings ${settings}, plan ${plan}`, () => {
      const said = broker.presences.at(-1);
      return said?.settings === settings && said.plan === plan;
    });

  let agent = await startTestAgent(folder.path, broker.port);
  await broker.presence('online');
  await broker.send('ctl', settings(900));
  await broker.send('ctl', plan(900));
  await broker.send('ctl', settings(500, { restoredAt: 7 }));
  await has(500, 1); // Any plan is younger than that.
  await broker.send('ctl', plan(400));
  await agent.stop(0);

  agent = await startTestAgent(folder.path, broker.port);
  await waitFor('the agent to be back', () => broker.presences.at(-1)?.state === 'online');
  await broker.send('ctl', settings(300, { restoredAt: 7 }));
  await broker.send('ctl', settings(501, { restoredAt: 7 }));
  await has(501, 400);
  await broker.send('ctl', settings(200, { restoredAt: 8 }));
  await has(200, 1);
  await agent.stop(0);
});

/** An id whose first turn, on this agent, is about to come: others have theirs within a minute. */
function idThatIsSoon(): string {
  const now = Date.now();
  for (let i = 0; ; i++) {
    const id = i.toString(16).padStart(12, '0');
    const inMs = slotAfter(now, 60_000, spreadOf(`${CLIENT} ${id}`)) - now;
    if (inMs > 2_000 && inMs < 3_000) return id;
  }
}

test('checks begin when the plan arrives; the agent resends a report with its number until it is confirmed', async () => {
  await using folder = makeTestFolder();
  await using broker = await startTestBroker();
  const server = createServer((socket) => socket.destroy());
  const port = await listenOnLoopback(server);
  const check: PlannedCheck = { id: idThatIsSoon(), everySeconds: 60, probe: { kind: 'tcp', host: '127.0.0.1', port } };

  let agent = await startTestAgent(folder.path, broker.port);
  await broker.presence('online');
  await broker.send('ctl', plan(1, [check]));
  const sent = await waitFor('a report', () => broker.measured[0]);
  const change = { t: 'check', check: check.id, at: expect.any(Number), ok: true };
  expect(sent).toEqual({ n: expect.any(Number), changes: [change], points: null });
  await agent.stop(0);

  agent = await startTestAgent(folder.path, broker.port);
  await expect.poll(() => broker.measured).toEqual([sent, sent]);
  await broker.send('ctl', { v: PROTOCOL_VERSION, t: 'measured', n: sent.n });
  // One message after the other: with its result, the confirmation has been heard.
  const request = requestFor({ tool: 'interfaces' });
  await broker.send('req', request);
  await broker.reply('result', request.id);
  await agent.stop(0);

  agent = await startTestAgent(folder.path, broker.port);
  await waitFor('the result again', () => broker.replies.length > 1);
  await agent.stop(0);
  expect(broker.measured).toHaveLength(2);
  server.close();
});
