/** A schedule through a cut of the uplink, the end of its agent by force, and a restart of the service. */
import { expect, test } from 'vitest';
import type { Job } from '../../../shared/api/jobs.ts';
import { type Schedule, schedules } from '../../../shared/api/schedules.ts';
import type { ApiClient } from '../../api-client.ts';
import { AGENT_PROGRAM, startAgentProcess } from '../../support/agent/agent-process.ts';
import { becomes, enrolAgent, startRealAgent } from '../../support/enrolled-agent.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startTestSystem } from '../../test-system.ts';

const EVERY_S = 2;
const SITE = 'far';

/** The ids of the commands that an agent has started, by its log. */
const startedBy = (agent: { stderr(): string }): string[] =>
  [...agent.stderr().matchAll(/"jobId":"([^"]+)"[^\n]*"msg":"command started"/g)].map(([, id = '']) => id);

async function starts(agent: { stderr(): string }, count: number): Promise<void> {
  await waitFor(
    `${count} turns, of which there are ${startedBy(agent).length}`,
    () => startedBy(agent).length >= count,
  );
}

async function runsOf({ request }: Pick<ApiClient, 'request'>, schedule: string): Promise<Job[]> {
  const { json } = await request('GET', `/jobs?limit=500&actor=schedule:${schedule}`, { site: SITE });
  return (json as { jobs: Job[] }).jobs.reverse();
}

test('each turn is one job with its own time, or is told as missed', async () => {
  await using folder = makeTestFolder();
  const environment = { LANREACH_DATA: folder.path, DISCOVER: '' };
  let system = await startTestSystem(environment);
  await using network = await startTcpProxy(() => system.brokerPort);
  try {
    await system.request('POST', '/sites', { body: { id: SITE } });
    await using enrolled = await enrolAgent(system, SITE, 'main');
    const body = { name: 'often', tool: 'interfaces', everySeconds: 300, jitterSeconds: 0 };
    const added = await system.request('POST', '/schedules', { site: SITE, body });
    const { id } = schedules.addSchedule.response.parse(added.json);
    // More often than people may want it.
    await system.system.parts.context.schedules.change(SITE, id, ({ timing, ...before }) => ({
      ...before,
      timing: { ...timing, everySeconds: EVERY_S },
    }));
    await using first = await startRealAgent(system, enrolled, network.port);
    await expect.poll(async () => (await runsOf(system, id)).length).toBeGreaterThan(1);

    network.newConnections = 'refuse';
    network.resetAll();
    const before = startedBy(first).length;
    await starts(first, before + 2);
    first.child.kill('SIGKILL');
    await first.ended;
    await using second = startAgentProcess(AGENT_PROGRAM, [], {
      LANREACH_AGENT_DATA: enrolled.folder,
      LANREACH_BROKER: `mqtts://127.0.0.1:${network.port}`,
    });
    await starts(second, 2);
    const knownBefore = await runsOf(system, id);
    await system.close();
    system = await startTestSystem(environment);
    expect(await runsOf(system, id)).toEqual(knownBefore);

    network.newConnections = 'pass';
    await becomes(system, enrolled.id, 'online');
    // Those that were run meanwhile arrive beside later ones, in any order.
    const idsOfRuns = async () => (await runsOf(system, id)).map((job) => job.id);
    await expect.poll(idsOfRuns).toContain(startedBy(second).at(-1));
    await system.request('PATCH', `/schedules/${id}`, { site: SITE, body: { enabled: false } });
    const commands = () => [...new Set([...startedBy(first), ...startedBy(second)])];
    const known = async () => new Set((await runsOf(system, id)).map((job) => job.id));
    const untold = async () => {
      const ids = await known();
      return commands().filter((one) => !ids.has(one));
    };
    await expect.poll(untold).toEqual([]);

    const runs = await runsOf(system, id);
    expect(commands()).toHaveLength(startedBy(first).length + startedBy(second).length);
    const turns = runs.map(({ createdAt }) => Date.parse(createdAt) / 1000);
    const span = (turns.at(-1)! - turns[0]!) / EVERY_S + 1;
    const { json } = await system.request('GET', `/schedules/${id}`, { site: SITE });
    const { missed, last } = json as Schedule;
    expect(turns.length + (missed?.count ?? 0)).toBe(span);
    expect(last?.job).toBe(runs.at(-1)?.id);
    const cut = runs.filter((job) => !knownBefore.some((known) => known.id === job.id));
    expect(cut.length).toBeGreaterThanOrEqual(4);
    for (const { state, createdAt, startedAt } of runs) {
      expect(state).toMatch(/^(succeeded|interrupted)$/);
      // When it ran, not when that was heard of.
      if (startedAt !== null) expect(Date.parse(startedAt) - Date.parse(createdAt)).toBeLessThan(600_000);
    }
    const endOf = (job: Job | undefined) => Date.parse(job?.endedAt ?? '');
    for (const [i, job] of runs.entries()) if (i > 0) expect(endOf(job)).toBeGreaterThan(endOf(runs[i - 1]));
  } finally {
    await system.close();
  }
});
