/** Messages that come late, twice, in another order, in part, or from somebody else. */
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { isFinal } from '../shared/agent/messages.ts';
import { BROKER_LIMITS } from '../shared/agent/topics.ts';
import { packResult } from '../shared/agent/wire.ts';
import { Job } from '../shared/api/jobs.ts';
import { ackFor, resultFor, standInAt, type startStandIn } from './support/enrolled-agent.ts';
import { connectRawFunction, type RawFunction } from './support/raw-function.ts';
import { sharedSystem } from './support/shared-system.ts';
import { waitFor } from './support/wait-for.ts';

const system = sharedSystem();

const find = async (id: string): Promise<Job> => Job.parse((await system.request('GET', `/jobs/${id}`)).json);
const starts = (id: string) =>
  system.logged.filter((line) => line.jobId === id && line.msg === 'command started').length;

async function ended(id: string): Promise<Job> {
  await expect.poll(async () => isFinal((await find(id)).state)).toBe(true);
  return find(id);
}

/** The agent takes one request after the other: when one more is done, all that was sent before is. */
async function caughtUp(function_: RawFunction): Promise<void> {
  const id = `home.${uuidv7()}`;
  await function_.send('home:main', function_.requestFor(id, { tool: 'traceroute', target: '127.0.0.1' }));
  await waitFor('the last result', () => function_.replies.find((reply) => reply.t === 'result' && reply.id === id));
  await expect.poll(() => starts(id)).toBe(1);
}

test('a request that is delivered again and again is carried out once, and has one result', async () => {
  await using duplicator = await connectRawFunction(system);
  const command = { tool: 'nmap', target: '127.0.0.0/28', mode: 'skipdiscovery' } as const;
  const answer = await system.request('POST', '/nettools/nmap', {
    body: { scan: command.target, mode: command.mode },
    headers: { prefer: 'respond-async' },
  });
  const { id } = Job.parse(answer.json);
  for (let i = 0; i < 3; i++) await duplicator.send('home:main', duplicator.requestFor(id, command));
  const job = await ended(id);
  expect(job.state).toBe('succeeded');
  for (let i = 0; i < 3; i++) await duplicator.send('home:main', duplicator.requestFor(id, command));
  await caughtUp(duplicator);
  expect(starts(id)).toBe(1);
  const results = duplicator.replies.filter((reply) => reply.t === 'result' && reply.id === id);
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  expect(await find(id)).toEqual(job);
});

test('a request that its agent does not acknowledge is sent once more, as the same request', async () => {
  const site = await system.addSite();
  await using agent = await standInAt(system, site, 'reconnecting');
  const sent = system.request('POST', '/nettools/traceroute', { site, body: { devLastIP: '127.0.0.1' } });
  const lost = await agent.request();
  const again = await waitFor('the same request', () => agent.requests[1]);
  expect(again).toEqual({ ...lost, sentAt: again.sentAt });
  await agent.say(again.replyTo, ackFor(again));
  await agent.say(again.replyTo, resultFor(again));
  expect((await sent).status).toBe(200);
  expect(agent.requests.map(({ id }) => id)).toEqual([lost.id, lost.id]);
});

test('the longest result there is, sent twice at once, arrives whole and is stored once', async () => {
  const site = await system.addSite();
  await using agent = await standInAt(system, site, 'verbose');
  const noise = randomBytes(96_000).toString('base64');
  const sent = system.request('POST', '/nettools/nmap', { site, body: { scan: '127.0.0.1', mode: 'fast' } });
  const request = await agent.take();
  const result = resultFor(request, { output: noise });
  expect(packResult(result)?.length).toBeGreaterThan(0.7 * BROKER_LIMITS.packetBytes);
  await Promise.all([agent.say(request.replyTo, result), agent.say(request.replyTo, result)]);
  const { status, json } = await sent;
  expect([status, json]).toMatchObject([200, { output: [noise] }]);
  await agent.control('stored', request.id);
  expect(await find(request.id)).toMatchObject({ state: 'succeeded', output: noise, truncated: false });
});

test('who answers for another agent is refused, and it is logged; the right answer still counts', async () => {
  const [mine, other] = [await system.addSite(), await system.addSite()];
  await using asked = await standInAt(system, mine, 'asked');
  for (const site of [mine, other]) {
    await using forger = await standInAt(system, site, 'forger');
    const sent = system.request('POST', '/nettools/traceroute', { site: mine, body: { devLastIP: '127.0.0.1' } });
    const [to, forging] = await firstAsked(asked, forger);
    const { request } = to;
    const forged = resultFor(request, { output: 'forged\n' });
    await forging.say(request.replyTo, ackFor(request));
    await forging.say(request.replyTo, forged);
    const warnings = () =>
      system.logged.filter(
        ({ level, agentId, jobId }) => level >= 40 && agentId === forging.id && jobId === request.id,
      );
    await expect.poll(() => warnings().length).toBeGreaterThan(0); // It has heard the forged messages first.
    await to.agent.say(request.replyTo, ackFor(request));
    await to.agent.say(request.replyTo, resultFor(request, { output: 'genuine\n' }));
    const { status, json } = await sent;
    expect([status, json]).toMatchObject([200, { output: 'genuine\n' }]);
    await to.agent.control('stored', request.id);
    expect(await find(request.id)).toMatchObject({ state: 'succeeded', output: 'genuine\n', agent: to.agent.id });
  }
});

type StandIn = Awaited<ReturnType<typeof startStandIn>>;

/** Which of two agents was given the command, and the other one. */
async function firstAsked(one: StandIn, two: StandIn) {
  const taken = new AbortController();
  const result = await Promise.race(
    [one, two].map(async (agent) => ({ agent, request: await agent.request(taken.signal) })),
  );
  taken.abort();
  return [result, result.agent === one ? two : one] as const;
}
