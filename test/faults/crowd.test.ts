/** Many agents and many commands at once: nobody gets another's answer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobs } from '../../shared/api/jobs.ts';
import { startTestSystem, type TestSystem } from '../test-system.ts';
import { type EnrolledAgent, enrolAgent, type RealAgent, startRealAgent } from './enrolled-agent.ts';

/** An agent that takes on as many commands at once as it is given. */
const WIDE_OPEN = { concurrency: { total: 64, traceroute: 64, queue: 100 } };

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system.close());

/** Asks the site for the route to an address that nobody else asks for, and checks that the answer is about it. */
async function askedFor(site: string, target: string): Promise<void> {
  const { status, text, json } = await system.request('POST', '/nettools/traceroute', {
    site,
    body: { devLastIP: target },
  });
  expect([target, status, text]).toMatchObject([target, 200, expect.any(String)]);
  expect(json).toMatchObject({ output: expect.stringContaining(`traceroute to ${target} `), result: { target } });
}

async function jobsOf(site: string) {
  const { json } = await system.request('GET', '/jobs?limit=500', { site });
  return jobs.listJobs.response.parse(json).jobs;
}

test('fifty commands under way on one agent: each caller gets the answer to its own', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'busy');
  await using _agent = await startRealAgent(system, enrolled, system.system.parts.broker.port, WIDE_OPEN);
  const targets = Array.from({ length: 50 }, (_, i) => `127.1.${i}.7`);
  await Promise.all(targets.map((target) => askedFor(site, target)));
  const states = async () => (await jobsOf(site)).map(({ state }) => state);
  await expect.poll(states, { timeout: 10_000 }).toEqual(Array(50).fill('succeeded')); // Stored a moment later.
});

test('ten agents in two sites: every command runs on its own site, and every answer reaches its caller', {
  timeout: 90_000,
}, async () => {
  const sites = [await system.addSite(), await system.addSite()];
  const enrolled: EnrolledAgent[] = [];
  const agents: RealAgent[] = [];
  try {
    for (const site of sites) {
      for (let i = 0; i < 5; i++) {
        const one = await enrolAgent(system, site, `a${i}`);
        enrolled.push(one);
        agents.push(await startRealAgent(system, one, system.system.parts.broker.port, WIDE_OPEN));
      }
    }
    const asked = sites.flatMap((site, s) =>
      Array.from({ length: 50 }, (_, i) => [site, `127.${s + 2}.${i}.7`] as const),
    );
    await Promise.all(asked.map(([site, target]) => askedFor(site, target)));
    for (const [s, site] of sites.entries()) {
      const states = async () => (await jobsOf(site)).map(({ state }) => state);
      await expect.poll(states, { timeout: 10_000 }).toEqual(Array(50).fill('succeeded'));
      const done = await jobsOf(site);
      for (const { agent, request } of done) {
        expect(agent.startsWith(`${site}:`)).toBe(true);
        expect('target' in request && request.target).toMatch(new RegExp(`^127\\.${s + 2}\\.`));
      }
      // Chosen by load: with ten times as many commands as agents, nobody is left out.
      expect(new Set(done.map(({ agent }) => agent)).size).toBe(5);
    }
  } finally {
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
    await Promise.all(enrolled.map((one) => one[Symbol.asyncDispose]()));
  }
});
