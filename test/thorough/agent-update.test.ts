/** The launcher of a package as a process, releases made up, and what becomes of them. */
import { readdir } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestFor } from '../support/agent/broker.ts';
import { type AgentSites, prepareAgentSites } from '../support/agent/enrolled-site.ts';
import { codeOfVersion, installPackage, type MadeUpPackage, makeRelease } from '../support/agent/made-up-release.ts';
import { startUpdatableSite } from '../support/agent/updatable-site.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { makeTestFolder } from '../support/test-folder.ts';

let agents: AgentSites;
const folder = makeTestFolder();
let made: MadeUpPackage;
beforeAll(async () => {
  agents = await prepareAgentSites();
  made = await installPackage(folder.path);
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

const NEWER = '900.1.0';
const NEWEST = '900.2.0';

/** A service on the internet that answers on request. */
async function startSlowService() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => void waiting.push(response));
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/json`,
    waiting: () => waiting.length,
    answer() {
      const body = JSON.stringify({ ip: '203.0.113.7', city: 'Berlin', country: 'DE', org: 'AS64496 Example' });
      for (const response of waiting) response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

test('an agent becomes the version that its plan names, once no command runs, and leaves one that ends at its start', async () => {
  await using slow = await startSlowService();
  await using site = await startUpdatableSite(agents, made, {
    LANREACH_TRIAL_SECONDS: '100',
    INTERNET_INFO_URL: slow.url,
  });
  const { broker, releases, agent } = site;
  expect(site.last()).toMatchObject({ version: made.version, update: { able: true, last: null } });
  // Made before the command begins, which waits for its answer only so long.
  releases.offer(makeRelease(made.signingKey, codeOfVersion(made, NEWER), NEWER));
  const running = requestFor({ tool: 'internetinfo' });
  await broker.send('req', running);
  await expect.poll(slow.waiting).toBe(1);
  await site.plan(NEWER);
  await expect.poll(() => agent.stderr()).toContain('installed a newer version');
  expect(site.said()).toEqual([`${made.version}: - -`, `${made.version}: ${NEWER} installing`]);
  expect(agent.ends).toEqual([]);
  slow.answer();
  expect(await broker.reply('result', running.id)).toMatchObject({ state: 'succeeded', startedAt: expect.any(Number) });
  await expect.poll(() => site.said().at(-1)).toBe(`${NEWER}: ${NEWER} done`);
  expect(agent.ends).toEqual([{ code: 75, signal: null }]);
  const request = requestFor({ tool: 'interfaces' });
  await broker.send('req', request);
  expect(await broker.reply('result', request.id)).toMatchObject({ state: 'succeeded' });

  // Each of its starts ends at once, the second time in a way after which nothing would start it again.
  const ending = `import { readFileSync } from 'node:fs';
    const { trial } = JSON.parse(readFileSync('${join(site.state, 'update', 'record.json')}', 'utf8'));
    process.exit(trial.starts);`;
  releases.offer(makeRelease(made.signingKey, ending, NEWEST));
  await site.plan(NEWEST);
  await expect.poll(() => site.said().at(-1)).toBe(`${NEWER}: ${NEWEST} failed`);
  expect(agent.ends.map(({ code }) => code)).toEqual([75, 75, 1, 75, 3]);
  expect(site.last()?.update?.last?.reason).toContain('it ended 3 times before');
  expect((await readdir(join(site.state, 'update'))).sort()).toEqual([`agent-${NEWER}.mjs`, 'record.json']);
});

test('a release that never connects is left by itself, and not installed again', async () => {
  await using site = await startUpdatableSite(agents, made, { LANREACH_TRIAL_SECONDS: '2' });
  const { broker, releases, agent } = site;
  releases.offer(makeRelease(made.signingKey, 'setInterval(() => {}, 1_000);', NEWEST));
  await site.plan(NEWEST);
  await expect.poll(() => site.said().at(-1)).toBe(`${made.version}: ${NEWEST} failed`);
  expect(agent.ends).toEqual([
    { code: 75, signal: null },
    { code: null, signal: 'SIGTERM' },
  ]);
  expect(site.last()).toMatchObject({ update: { last: { reason: 'it was not found healthy within 2 s' } } });
  const before = releases.asked.length;
  await site.plan(made.version);
  await site.plan(NEWEST);
  const request = requestFor({ tool: 'interfaces' });
  await broker.send('req', request);
  await broker.reply('result', request.id);
  expect(releases.asked).toHaveLength(before);
});

/** From the plan to the end of the trial it takes about so long. */
const LONGEST_MS = 6_000;

test('whenever it is killed, it becomes the version that is planned in the end', { timeout: 600_000 }, async () => {
  await using site = await startUpdatableSite(agents, made, { LANREACH_TRIAL_SECONDS: '100' });
  for (let round = 1; round <= 12; round++) {
    const version = `900.${round}.0`;
    site.releases.offer(makeRelease(made.signingKey, codeOfVersion(made, version), version));
    await site.plan(version);
    const afterMs = Math.random() * LONGEST_MS;
    await sleep(afterMs);
    site.agent.child().kill('SIGKILL');
    const isDone = async () => {
      await site.plan(version); // The service sends a plan again to an agent that says that it has an older one.
      return site.said().at(-1);
    };
    const about = `${version}, killed after ${Math.round(afterMs)} ms`;
    await expect.poll(isDone, { message: about, interval: 500 }).toBe(`${version}: ${version} done`);
  }
});
