/** An agent with a plan of checks, as a process, with a real broker. */
import { createServer } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../../shared/agent/messages.ts';
import { EMPTY_PLAN, type PlannedCheck } from '../../shared/agent/plan.ts';
import { packPlan } from '../../shared/agent/wire.ts';
import { CLIENT } from '../../test/support/agent/broker.ts';
import { type AgentSites, prepareAgentSites } from '../../test/support/agent/enrolled-site.ts';
import { namesIn } from '../../test/support/agent/state-names.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { slotAfter, spreadOf } from './check-runner.ts';

let agents: AgentSites;
beforeAll(async () => {
  agents = await prepareAgentSites();
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

test('checks begin when the plan arrives; the agent resends a report with its number until it is confirmed, also after kill -9', async () => {
  await using site = await agents.startSite();
  await using agent = site.start();
  await site.broker.presence('online');
  expect(await namesIn(site.state)).not.toContain('upstream.log');

  const server = createServer((socket) => socket.destroy());
  const port = await listenOnLoopback(server);
  const check: PlannedCheck = { id: idThatIsSoon(), everySeconds: 60, probe: { kind: 'tcp', host: '127.0.0.1', port } };
  const plan = packPlan({ ...EMPTY_PLAN, checks: [check] });
  const revision = Date.now();
  await site.broker.send('ctl', { v: PROTOCOL_VERSION, t: 'plan', revision, plan });
  await expect.poll(() => site.broker.measured.length).toBeGreaterThan(0);
  const [sent] = site.broker.measured;
  expect(sent).toEqual({
    n: expect.any(Number),
    changes: [{ t: 'check', check: check.id, at: expect.any(Number), ok: true }],
    points: null,
  });
  agent.child.kill('SIGKILL');
  await agent.ended;

  await using second = site.start();
  await expect.poll(() => site.broker.measured.length).toBe(2);
  expect(site.broker.measured[1]).toEqual(sent);
  await site.broker.send('ctl', { v: PROTOCOL_VERSION, t: 'measured', n: sent?.n });
  await site.broker.send('ctl', { v: PROTOCOL_VERSION, t: 'plan', revision: revision + 1, plan: packPlan(EMPTY_PLAN) });
  await expect.poll(() => site.broker.presences.at(-1)?.state).toBe('online');
  second.child.kill('SIGTERM');
  expect(await second.ended).toEqual({ code: 0, signal: null });

  await using third = site.start();
  await expect.poll(() => site.broker.connections.length).toBe(4); // With that of the enrolment.
  expect(site.broker.measured).toHaveLength(2);
  third.child.kill('SIGTERM');
  await third.ended;
  server.close();
});
