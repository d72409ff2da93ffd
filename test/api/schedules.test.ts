/** Schedules by the API: at one site and at several, in the plans of agents, and the runs of which agents tell. */
import { expect, test } from 'vitest';
import type { Missed } from '../../agent/plan/schedule-runner.ts';
import { PROTOCOL_VERSION, type Result } from '../../shared/agent/messages.ts';
import type { PlannedSchedule } from '../../shared/agent/plan.ts';
import { jobOfRun } from '../../shared/agent/planned-job.ts';
import { packMeasurements, packResult, unpackPlan } from '../../shared/agent/wire.ts';
import { admin } from '../../shared/api/admin.ts';
import { Job } from '../../shared/api/jobs.ts';
import { Schedule, schedules } from '../../shared/api/schedules.ts';
import { type AgentId, agentId } from '../../shared/identity.ts';
import type { RequestOptions } from '../api-client.ts';
import { openIngest } from '../support/background-work.ts';
import { enrolAgent, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { SILENT } from '../support/ingest-messages.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi();

const SCAN = { scan: '192.168.1.9/24', mode: 'fast' };
const NIGHTLY = { name: 'ports, every night', tool: 'nmap', arguments: SCAN, cron: '0 2 * * *' };
const HOURLY = { name: 'interfaces', tool: 'interfaces', everySeconds: 3_600 };
const HOUR_MS = 3_600_000;

const post = (body: object, options: RequestOptions = {}) => system.request('POST', '/schedules', { body, ...options });

async function added(site: string, body: object): Promise<Schedule> {
  const { status, text, json } = await post(body, { site });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return Schedule.parse(json);
}

async function listed(site: string): Promise<Schedule[]> {
  const { json } = await system.request('GET', '/schedules', { site });
  return schedules.listSchedules.response.parse(json).schedules;
}

test('a schedule is added, shown with its next turn by the clock of its site, changed and removed', async () => {
  const site = await system.addSite();
  await system.request('PATCH', `/sites/${site}`, { body: { timeZone: 'Asia/Tokyo' } });
  const schedule = await added(site, { ...NIGHTLY, jitterSeconds: 0 });
  expect(schedule).toMatchObject({
    ...{ site, name: NIGHTLY.name, tool: 'nmap', cron: NIGHTLY.cron, everySeconds: null, timeZone: 'Asia/Tokyo' },
    request: { tool: 'nmap', target: '192.168.1.9/24', mode: 'fast' },
    ...{ jitterSeconds: 0, startWithinSeconds: 600, enabled: true, agent: null, last: null, missed: null },
  });
  expect(schedule.nextAt).toMatch(/T17:00:00.000Z$/);
  expect(await listed(site)).toEqual([schedule]);

  const path = `/schedules/${schedule.id}`;
  const paused = await system.request('PATCH', path, { site, body: { enabled: false, everySeconds: 7_200 } });
  expect(schedules.changeSchedule.response.parse(paused.json)).toMatchObject({
    ...{ enabled: false, nextAt: null, cron: null, everySeconds: 7_200, name: NIGHTLY.name },
  });
  expect((await system.request('GET', path, { site })).json).toMatchObject({ id: schedule.id, enabled: false });

  expect((await system.request('DELETE', path, { site })).json).toEqual({ success: true });
  expect(await listed(site)).toEqual([]);
  for (const method of ['GET', 'DELETE']) expect((await system.request(method, path, { site })).status).toBe(404);
  expect((await system.request('PATCH', path, { site, body: { enabled: true } })).status).toBe(404);
  const audit = await system.request('GET', '/audit', { site });
  const about = admin.listAudit.response
    .parse(audit.json)
    .entries.filter(({ action }) => action.startsWith('schedule.'));
  expect(about.map(({ action, detail }) => [action, detail.schedule])).toEqual(
    ['schedule.remove', 'schedule.change', 'schedule.add'].map((action) => [action, schedule.id]),
  );
});

test('what cannot be run is refused by the name of its field, and so is the 101st of a site', async () => {
  const site = await system.addSite();
  const invalid = { scan: 'x', mode: 'slow', ports: '1-9' };
  for (const [body, ...paths] of [
    [{ ...NIGHTLY, arguments: invalid }, 'arguments.ports', 'arguments.scan', 'arguments.mode'],
    [{ ...HOURLY, arguments: { host: '::1' } }, 'arguments.host'],
    [{ ...NIGHTLY, everySeconds: 600 }, expect.any(String)],
    [{ ...NIGHTLY, cron: '0 2 31 2 *' }, 'cron'],
    [{ ...NIGHTLY, cron: '* * * * *' }, 'cron'],
    [{ ...NIGHTLY, until: '2020-01-01T00:00:00Z' }, 'until'],
    [{ ...NIGHTLY, window: { from: '10:00', to: '11:00' } }, 'window'],
    [{ ...NIGHTLY, agent: 'elsewhere' }, 'agent'],
  ] as const) {
    const errors = paths.map((path) => ({ path }));
    expect(await post(body, { site })).toMatchObject({ status: 400, json: { errors } });
  }
  expect(await listed(site)).toEqual([]);

  // And it has a hundred at most.
  const settings = { ...(await hourly(site, { isOld: false })), name: 'x' };
  for (let i = 1; i < 100; i++) await system.context.schedules.add(site, i.toString(16).padStart(12, '0'), settings);
  expect((await post(HOURLY, { site })).status).toBe(409);
  expect(await listed(site)).toHaveLength(100);
});

/** What an agent was told last that it has to do. */
function planOf({ plans }: StandIn): PlannedSchedule[] {
  const told = plans.flatMap((message) => (message.t === 'plan' ? [message] : []));
  return told.length === 0 ? [] : unpackPlan(told.at(-1)!.plan).schedules;
}

test('one agent has each schedule in its plan: the one that is named, or one that is connected', async () => {
  const site = await system.addSite();
  await using b = await enrolAgent(system, site, 'b');
  await using a = await enrolAgent(system, site, 'a');
  await using atB = await startStandIn(system, b);
  const schedule = await added(site, HOURLY);
  const named = await added(site, { ...HOURLY, name: 'at a', agent: 'a' });
  const idsOf = (agent: StandIn) =>
    planOf(agent)
      .map(({ id }) => id)
      .sort();
  await expect.poll(() => idsOf(atB)).toEqual([schedule.id]);
  {
    await using atA = await startStandIn(system, a);
    await expect.poll(() => idsOf(atA)).toEqual([schedule.id, named.id].sort());
    await expect.poll(() => idsOf(atB)).toEqual([]);
  }
  await expect.poll(() => idsOf(atB)).toEqual([schedule.id]);
  expect(planOf(atB)[0]).toMatchObject({ command: { tool: 'interfaces' }, timing: { everySeconds: 3_600 } });
  await system.request('PATCH', `/schedules/${schedule.id}`, { site, body: { enabled: false } });
  await expect.poll(() => idsOf(atB)).toEqual([]);
});

/** The settings of a schedule that runs every hour, since an hour or for days. */
async function hourly(site: string, { isOld = true } = {}) {
  const { id } = await added(site, HOURLY);
  const createdAt = new Date(Date.now() - (isOld ? 5 * 24 * HOUR_MS : 0)).toISOString();
  const changed = await system.context.schedules.change(site, id, (before) => ({ ...before, createdAt }));
  return changed!;
}

/** Tells ingest what an agent says, and keeps what ingest says to agents and to the log. */
function openAgents() {
  const confirmed: string[] = [];
  const warnings: unknown[] = [];
  const agents = {
    confirmStored: async (agent: string, id: string) => void confirmed.push(`${agent} ${id}`),
    control: async () => {},
  };
  const log = { ...SILENT, warn: (about: { problem?: string }) => void warnings.push(about.problem) };
  const ingest = openIngest({ ...system.context, agents }, log);
  return {
    confirmed,
    warnings,
    result: (agent: AgentId, result: Result) => ingest.result(agent, packResult(result)!),
    missed: (agent: AgentId, changes: Missed[]) =>
      ingest.measurements(agent, packMeasurements({ n: ++messages, changes, points: null })),
  };
}
let messages = Date.now();

/** The last turn but so many. */
const turnBefore = (hours: number) => (Math.floor(Date.now() / HOUR_MS) - hours) * HOUR_MS;

function ran(site: string, schedule: string, turn: number, changes: Partial<Result> = {}): Result {
  return {
    ...{ v: PROTOCOL_VERSION, t: 'result', id: jobOfRun(site, schedule, turn), state: 'succeeded', reason: null },
    ...{ message: null, output: 'lo\n', truncated: false, result: {}, startedAt: turn + 20, endedAt: turn + 70 },
    planned: { by: 'schedule', id: schedule, turn },
    ...changes,
  };
}

async function jobsOf(site: string) {
  const { json } = await system.request('GET', '/jobs', { site });
  return (json as { jobs: Job[] }).jobs;
}

test('a run of which an agent tells, however late, is a job with its own time; told again, or by another agent, it stays', async () => {
  const site = await system.addSite();
  const { id } = await hourly(site);
  const turn = turnBefore(30);
  const { result, confirmed, warnings } = openAgents();
  const agent = agentId(site, 'main');
  const run = ran(site, id, turn);
  await result(agent, run);
  const { json } = await system.request('GET', `/jobs/${run.id}`, { site });
  const job = Job.parse(json);
  expect(job).toMatchObject({
    ...{ id: run.id, site, agent, tool: 'interfaces', request: { tool: 'interfaces' }, state: 'succeeded' },
    ...{ actor: `schedule:${id}`, output: 'lo\n', createdAt: new Date(turn).toISOString() },
    endedAt: new Date(turn + 70).toISOString(),
  });
  const last = { turn: job.createdAt, job: run.id, state: 'succeeded', reason: null, endedAt: job.endedAt };
  expect((await listed(site))[0]!.last).toEqual(last);

  await result(agent, { ...run, output: 'another\n' });
  await result(agentId(site, 'second'), { ...run, output: 'another\n', endedAt: turn + 99 });
  await result(agent, ran(site, id, turn - HOUR_MS, { state: 'interrupted', reason: 'agent_restarted' }));
  expect((await system.request('GET', `/jobs/${run.id}`, { site })).json).toEqual(json);
  expect((await jobsOf(site)).map(({ state }) => state)).toEqual(['succeeded', 'interrupted']);
  // One that is told later does not hide a later turn.
  expect((await listed(site))[0]!.last).toEqual(last);
  expect(confirmed).toHaveLength(4);
  expect(warnings).toEqual(['it was given to another agent']);
});

test('what agents make up about schedules is refused, and leaves nothing', async () => {
  const [site, other] = [await system.addSite(), await system.addSite()];
  const { id } = await hourly(site);
  const turn = turnBefore(2);
  const { result, confirmed, warnings } = openAgents();
  const agent = agentId(site, 'main');
  const run = ran(site, id, turn);
  const foreign = ran(other, (await hourly(other)).id, turn);
  const refused: [AgentId, Result][] = [
    [agentId(other, 'main'), run],
    [agent, foreign],
    [agent, ran(site, '000000000000', turn)],
    [agent, ran(site, id, turn + 1_000)],
    [agent, { ...run, id: jobOfRun(site, id, turn - HOUR_MS) }],
    [agent, ran(site, id, turn + 24 * HOUR_MS)],
    [agent, ran(site, id, turnBefore(31 * 24))],
    [agent, ran(site, id, turnBefore(6 * 24))],
    [agent, { ...run, planned: undefined }],
  ];
  for (const [by, what] of refused) {
    const before = warnings.length;
    // Warnings of one agent are limited, so that each is judged by a gate of its own.
    const gate = openAgents();
    await gate.result(by, what);
    warnings.push(...gate.warnings);
    confirmed.push(...gate.confirmed);
    expect(warnings.length).toBe(before + 1);
  }
  expect(confirmed).toHaveLength(refused.length);
  expect([await jobsOf(site), await jobsOf(other)]).toEqual([[], []]);
  expect((await listed(site))[0]!.last).toBeNull();
  // A result of another tool is one of this job, and not one of a success.
  await result(agent, { ...run, result: { hosts: 1 } });
  expect((await jobsOf(site))[0]).toMatchObject({ tool: 'interfaces', state: 'failed', reason: 'malformed_result' });
});

test('late runs are taken of a schedule that was changed or removed since', async () => {
  const site = await system.addSite();
  const { id } = await hourly(site);
  const agent = agentId(site, 'main');
  const { result } = openAgents();
  await system.request('PATCH', `/schedules/${id}`, { site, body: { cron: '30 2 * * *' } });
  await result(agent, ran(site, id, turnBefore(3)));
  await system.request('DELETE', `/schedules/${id}`, { site });
  await result(agent, ran(site, id, turnBefore(2)));
  expect(await jobsOf(site)).toHaveLength(2);
});

test('turns that were missed are told, less those that another agent has run, and counted once', async () => {
  const site = await system.addSite();
  const { id } = await hourly(site);
  const agent = agentId(site, 'main');
  const { result, missed } = openAgents();
  await result(agentId(site, 'second'), ran(site, id, turnBefore(4)));
  const turns = { count: 3, first: turnBefore(5), last: turnBefore(3) };
  const change: Missed = { t: 'missed', schedule: id, ...turns, why: 'agent-away' };
  await missed(agent, [change]);
  await missed(agent, [change, { ...change, schedule: '000000000000' }, { ...change, last: turnBefore(-24) }]);
  await missed(agent, [{ ...change, count: 1, first: turnBefore(2), last: turnBefore(2), why: 'still-running' }]);
  const lastAt = new Date(turnBefore(2)).toISOString();
  expect((await listed(site))[0]!.missed).toEqual({ count: 3, lastAt });
  const { json } = await system.request('GET', '/events?type=turn-missed', { site });
  expect((json as { events: object[] }).events).toMatchObject([
    { type: 'turn-missed', at: lastAt, actor: agent, detail: { count: 1, why: 'the run before had not ended' } },
    {
      subject: { kind: 'schedule', id, name: HOURLY.name },
      detail: { count: 2, first: new Date(turnBefore(5)).toISOString(), why: 'the agent was not running' },
    },
  ]);
});
