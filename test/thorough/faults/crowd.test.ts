/** Many agents and many commands at once: nobody gets another's answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobs } from '../../../shared/api/jobs.ts';
import { type EnrolledAgent, enrolAgent, type RealAgent, startRealAgent } from '../../support/enrolled-agent.ts';
import { startTestSystem, type TestSystem } from '../../test-system.ts';

/** An agent that takes on as many commands at once as it is given. */
const WIDE_OPEN = { concurrency: { total: 64, traceroute: 64, queue: 100 } };

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem();
});
afterAll(() => system.close());

/**
 * Asks the site for the route to an address that nobody else asks for, and checks that the answer is about it. On a host
 * that has too much to do an agent may be too slow to acknowledge, or to stay; the caller is told to come again, and does.
 */
async function askedFor(site: string, target: string, tries = 5): Promise<void> {
  const { status, headers, text, json } = await system.request('POST', '/nettools/traceroute', {
    site,
    body: { devLastIP: target },
  });
  if (status === 503 && tries > 1) {
    expect(['agent_silent', 'agent_offline', 'unavailable']).toContain((json as { code: string }).code);
    await sleep(Number(headers.get('retry-after')) * 1_000);
    return askedFor(site, target, tries - 1);
  }
  expect([target, status, text]).toMatchObject([target, 200, expect.any(String)]);
  expect(json).toMatchObject({ output: expect.stringContaining(`traceroute to ${target} `), result: { target } });
}

/**
 * The commands that were carried out. One whose caller was told that the agent is silent is called off, but may have
 * ended before it hears of that: then there are two for its target.
 */
async function doneOn(site: string) {
  const { json } = await system.request('GET', '/jobs?limit=500', { site });
  return jobs.listJobs.response.parse(json).jobs.filter(({ state }) => state === 'succeeded');
}

async function targetsDoneOn(site: string): Promise<Set<unknown>> {
  return new Set((await doneOn(site)).map(({ request }) => 'target' in request && request.target));
}

test('fifty commands under way on one agent: each caller gets the answer to its own', async () => {
  const site = await system.addSite();
  await using enrolled = await enrolAgent(system, site, 'busy');
  await using _agent = await startRealAgent(system, enrolled, system.system.parts.broker.port, WIDE_OPEN);
  const targets = Array.from({ length: 50 }, (_, i) => `127.1.${i}.7`);
  await Promise.all(targets.map((target) => askedFor(site, target)));
  await expect.poll(() => targetsDoneOn(site)).toEqual(new Set(targets)); // Stored a moment later.
});

test('ten agents in two sites: every command runs on its own site, and every answer reaches its caller', async () => {
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
    for (const site of sites) {
      const targets = asked.flatMap(([of, target]) => (of === site ? [target] : []));
      await expect.poll(() => targetsDoneOn(site)).toEqual(new Set(targets));
      const done = await doneOn(site);
      for (const { agent } of done) expect(agent.startsWith(`${site}:`)).toBe(true);
      // Chosen by load: with ten times as many commands as agents, nobody is left out.
      expect(new Set(done.map(({ agent }) => agent)).size).toBe(5);
    }
  } finally {
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
    await Promise.all(enrolled.map((one) => one[Symbol.asyncDispose]()));
  }
});
