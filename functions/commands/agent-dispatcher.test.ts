import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Control, PROTOCOL_VERSION, type Reply, type Request, type Result } from '../../shared/agent/messages.ts';
import { START_WITHIN_MS } from '../../shared/agent/timing.ts';
import { topics } from '../../shared/agent/topics.ts';
import { packResult } from '../../shared/agent/wire.ts';
import { agents as operations } from '../../shared/api/agents.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { Agent } from '../../shared/api/records.ts';
import { type AgentId, clientIdOf, type JobId, LOCAL_STAGE, timeOfJob } from '../../shared/identity.ts';
import { parseRange } from '../../shared/network.ts';
import { holdTheClock, hurried } from '../../test/support/held-clock.ts';
import { type MemoryBroker, startMemoryBroker } from '../../test/support/memory-broker.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { SiteStore } from '../sites/site-store.ts';
import { type AgentDispatcher, openAgentDispatcher } from './agent-dispatcher.ts';
import type { AgentWish } from './choose-agent.ts';
import type { JobStore } from './job-store.ts';

const COMMAND = { tool: 'interfaces' } as const;
const MAIN = agent('main');
let broker: MemoryBroker;
let dispatcher: AgentDispatcher;
let agents: Agent[];
let hasSite: boolean;
/** Rows of jobs, as far as they matter here. */
let rows: Map<JobId, Pick<Job, 'id' | 'agent' | 'state'>>;
/** How many messages the broker had got when a row was written. */
let publishedBefore: number;
let warnings: string[];
/** What was written of the states of jobs. */
let noted: [JobId, string][];
const notedOf = (id: JobId) => noted.filter(([one]) => one === id).map(([, state]) => state);

function agent(name: string): Agent {
  const [example] = operations.listAgents.example.response.agents;
  return { ...example, id: `home:${name}`, protocol: PROTOCOL_VERSION, networks: [], update: null };
}

beforeEach(async () => {
  holdTheClock();
  broker = await startMemoryBroker();
  agents = [MAIN];
  hasSite = true;
  rows = new Map();
  warnings = [];
  noted = [];
  const sites: Pick<SiteStore, 'agents' | 'find'> = {
    agents: async () => agents,
    find: async (id) => (hasSite ? { id, name: id, createdAt: '' } : null) as never,
  };
  const jobs: Pick<JobStore, 'create' | 'find' | 'accepted'> = {
    async create({ id, agent }) {
      publishedBefore = broker.published.length;
      rows.set(id, { id, agent, state: 'queued' });
      return true;
    },
    async find(id) {
      const row = rows.get(id);
      return row === undefined ? null : (ended(row) as Job);
    },
    accepted: async (id, state) => void noted.push([id, state]),
  };
  const warn = (_: object, message: string) => void warnings.push(message);
  const stores = { sites: sites as SiteStore, jobs: jobs as JobStore };
  dispatcher = openAgentDispatcher(broker, stores, { info() {}, warn, error() {} });
});
afterEach(async () => {
  vi.useRealTimers();
  await dispatcher.close();
  await broker[Symbol.asyncDispose]();
});

function ended(row: object) {
  const times = { startedAt: '2026-11-01T00:00:00.000Z', endedAt: '2026-11-01T00:00:01.000Z' };
  return { reason: null, message: null, output: 'from the row', truncated: false, result: null, ...times, ...row };
}

const newId = (): JobId => `home.${uuidv7()}`;
const BY = { actor: 'a-token', sourceAddress: null };
const start = (wish?: AgentWish, id = newId()) => dispatcher.start(id, COMMAND, BY, wish);

/** What an agent has been sent, in order. */
function sentTo(id: AgentId = MAIN.id) {
  const on = (topic: string) =>
    broker.published.filter((one) => one.topic === topic).map(({ payload }) => JSON.parse(String(payload)));
  return {
    requests: on(topics.request(clientIdOf(LOCAL_STAGE, id))) as Request[],
    controls: on(topics.control(clientIdOf(LOCAL_STAGE, id))) as Control[],
  };
}

async function say(to: Pick<Request, 'replyTo'>, reply: Reply | Result, from: AgentId = MAIN.id): Promise<void> {
  if (reply.t !== 'result')
    return broker.publish(topics.reply(to.replyTo, clientIdOf(LOCAL_STAGE, from)), Buffer.from(JSON.stringify(reply)));
  await broker.publish(topics.result(to.replyTo, clientIdOf(LOCAL_STAGE, from)), packResult(reply) ?? Buffer.alloc(0));
}

const ackOf = ({ id }: { id: JobId }): Reply => {
  return { v: PROTOCOL_VERSION, t: 'ack', id, state: 'running', at: Date.now() };
};
function resultOf({ id }: { id: JobId }, output = 'done\n'): Result {
  const at = Math.max(Date.now(), timeOfJob(id));
  const outcome = { reason: 'tool_failed', message: null, output, truncated: false, result: null } as const;
  return { v: PROTOCOL_VERSION, t: 'result', id, state: 'failed', ...outcome, startedAt: at, endedAt: at };
}

/** Follows a job with this row, which another process has started. */
function follow(id: JobId, state: Job['state']) {
  rows.set(id, { id, agent: MAIN.id, state });
  return dispatcher.follow({ id, agent: MAIN.id, tool: 'interfaces', state });
}

/** The request for all messages about a job. */
const watchOf = (id: JobId) =>
  waitFor('the watch request', () => {
    const isIt = (one: Control): one is Control & Request => 'id' in one && one.id === id;
    return sentTo().controls.find(isIt);
  });

/** Starts a command that its agent takes. */
async function startTaken(wish?: AgentWish) {
  const already = broker.published.length;
  const starting = start(wish);
  const request = await waitFor('the request', () => {
    const sent = broker.published.slice(already).find(({ topic }) => topic.endsWith('/req'));
    return sent === undefined ? undefined : (JSON.parse(String(sent.payload)) as Request);
  });
  const from = [...rows.values()].find(({ id }) => id === request.id)?.agent ?? MAIN.id;
  await say(request, ackOf(request), from);
  return { job: await starting, request, agent: from };
}

/** The request with this number, from 1 on. */
async function requestSent(count: number): Promise<Request> {
  while (sentTo().requests.length < count) await new Promise(setImmediate);
  return sentTo().requests[count - 1] ?? expect.fail('no request');
}

test('the row stands before the request leaves; the agent has taken it when the start returns; its result is the end', async () => {
  const { job, request } = await startTaken();
  expect(publishedBefore).toBe(0);
  expect(request).toMatchObject({ t: 'request', id: job.id, command: COMMAND });
  expect(request.deadline).toBe(timeOfJob(job.id) + START_WITHIN_MS);
  expect(await hurried(job.end(100))).toBeNull();
  await say(request, resultOf(request));
  expect(await hurried(job.end(5_000))).toMatchObject({ state: 'failed', output: 'done\n' });
  job.leave();
});

test('a request that is not answered is sent once more as the same, and then called off: the agent is silent', async () => {
  await dispatcher.ping();
  const starting = start();
  await expect(hurried(starting)).rejects.toMatchObject({ code: 'agent_silent', retryAfter: 5 });
  const { requests, controls } = sentTo();
  expect(requests).toHaveLength(2);
  expect(requests[1]).toEqual({ ...requests[0], sentAt: requests[1]?.sentAt });
  expect(controls).toMatchObject([{ t: 'cancel', id: requests[0]?.id }]);
  const again = start();
  agents = [{ ...MAIN, state: 'offline' }]; // It was online when it was chosen, a moment ago.
  await expect(hurried(again)).rejects.toMatchObject({ code: 'agent_offline' });
});

test('an agent that is slow, and answers only the second request, has taken the command', async () => {
  await dispatcher.ping();
  const starting = start();
  const answering = requestSent(2).then((second) => say(second, ackOf(second)));
  const job = await hurried(starting);
  await answering;
  expect(sentTo().controls).toEqual([]);
  job.leave();
});

test('a command whose answers are all lost, and which has ended according to its row, has not failed to start', async () => {
  await dispatcher.ping();
  const id = newId();
  const starting = start(undefined, id);
  await hurried(requestSent(1));
  rows.set(id, { id, agent: MAIN.id, state: 'succeeded' });
  const job = await hurried(starting);
  expect(await hurried(job.end(60_000))).toMatchObject({ state: 'succeeded', output: 'from the row' });
  job.leave();
});
const AWAY: Agent = { ...MAIN, state: 'offline' };
const OUTDATED: Agent = { ...AWAY, problem: 'speaks protocol 2, which is no longer understood; update it' };
const UNKNOWN = [{ path: 'query.agent', message: expect.stringContaining('it has main') }];

test.each<[string, Agent[] | null, string | undefined, object]>([
  ['a site that does not exist', null, undefined, { code: 'site_forbidden' }],
  ['a site without agents', [], undefined, { code: 'agent_offline' }],
  ['agents that are all away', [AWAY], undefined, { code: 'agent_offline' }],
  ['a named agent that is away', [AWAY], 'main', { code: 'agent_offline' }],
  ['a named agent of another version', [OUTDATED], 'main', { message: `The agent home:main ${OUTDATED.problem}` }],
  ['a name that no agent has', [MAIN], 'attic', { code: 'validation_failed', fields: UNKNOWN }],
])('%s: nothing is written down, and nothing sent', async (_, known, name, refusal) => {
  agents = known ?? [];
  hasSite = known !== null;
  await expect(start({ name })).rejects.toMatchObject(refusal);
  expect([rows.size, broker.published]).toEqual([0, []]);
});

test('of the agents that are preferred the first one that is connected is chosen; without one, the nearest', async () => {
  const [a, b, c] = [agent('a'), agent('b'), { ...agent('c'), networks: ['10.0.0.0/24'] }];
  agents = [a, b, c];
  const near = parseRange('10.0.0.7') ?? undefined;
  const chosen = async (wish: AgentWish) => (await startTaken(wish)).agent;
  for (let i = 0; i < 3; i++) expect(await chosen({ preferred: ['gone', 'b', 'a'], near })).toBe(b.id);
  agents = [a, { ...b, state: 'offline' }, c];
  expect(await chosen({ preferred: ['gone', 'b', 'a'], near })).toBe(a.id);
  expect(await chosen({ preferred: ['gone', 'b'], near })).toBe(c.id);
  expect(await chosen({ name: 'a', preferred: ['c'], near })).toBe(a.id);
});

test('only the agent that was given a command can say how it ended, and what cannot be read is passed over', async () => {
  const { job, request } = await startTaken();
  await say(request, resultOf(request, 'a lie'), 'home:attic');
  await broker.publish(topics.reply(request.replyTo, clientIdOf(LOCAL_STAGE, MAIN.id)), Buffer.from('no JSON'));
  await say(request, resultOf(request, 'the truth'));
  expect(await hurried(job.end(5_000))).toMatchObject({ output: 'the truth' });
  expect(warnings).toEqual(['ignored a message of an agent about the job of another agent', 'unreadable reply']);
  job.leave();
});

test('when the connection breaks, a watch request over the next one names where to send the result, and from which position the output', async () => {
  const { job, request } = await startTaken();
  await say(request, { v: PROTOCOL_VERSION, t: 'output', id: job.id, at: 0, text: 'so far' });
  await waitFor('the output', async () => (await job.soFar()).output === 'so far');
  broker.cut();
  const watch = await watchOf(job.id);
  expect(watch).toMatchObject({ t: 'watch', from: 'so far'.length });
  expect(watch).not.toMatchObject({ replyTo: request.replyTo });
  await say(watch, resultOf(request));
  expect(await hurried(job.end(5_000))).toMatchObject({ state: 'failed' });
  job.leave();
});

test('a follower that learns that a command runs records that, once, unless the row has it', async () => {
  for (const [state, expected] of [
    ['queued', 1],
    ['running', 0],
  ] as const) {
    const id = newId();
    const job = follow(id, state);
    const watch = await watchOf(id);
    await hurried(new Promise((resolve) => setTimeout(resolve, 3_000))); // Nothing is known yet.
    expect(notedOf(id)).toEqual([]);
    await say(watch, ackOf({ id }));
    await hurried(new Promise((resolve) => setTimeout(resolve, 5_000)));
    await say(watch, resultOf({ id }));
    expect(await hurried(job.end(5_000))).toMatchObject({ state: 'failed' });
    expect(notedOf(id)).toEqual(Array(expected).fill('running'));
    job.leave();
  }
});

test('a request that joins a command while it is being started, and leaves, does not take its end from the other', async () => {
  const id = newId();
  const starting = start(undefined, id);
  const request = await waitFor('the request', () => sentTo().requests[0]);
  const joined = dispatcher.follow({ id, agent: MAIN.id, tool: 'interfaces', state: 'queued' });
  expect(await hurried(joined.end(1))).toBeNull();
  joined.leave();
  await hurried(new Promise((resolve) => setTimeout(resolve, 1_100))); // By then, each waiting request has read the row.
  await say(request, ackOf(request));
  const job = await hurried(starting);
  await say(request, resultOf(request));
  expect(await hurried(job.end(10_000))).toMatchObject({ state: 'failed', output: 'done\n' });
  job.leave();
});
