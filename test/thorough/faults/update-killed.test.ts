/** An agent that is killed at any moment while it replaces itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentPrograms, prepareAgentPrograms } from '../../support/agent/enrolled-site.ts';
import { codeOfVersion, installPackage, type MadeUpPackage, makeRelease } from '../../support/agent/made-up-release.ts';
import { startUpdatableSite } from '../../support/agent/updatable-site.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

let agents: AgentPrograms;
const folder = makeTestFolder();
let made: MadeUpPackage;
beforeAll(async () => {
  agents = await prepareAgentPrograms();
  made = await installPackage(folder.path, agents.program);
});
afterAll(async () => {
  await agents[Symbol.asyncDispose]();
  await folder.remove();
});

const ROUNDS = 12;
/** From the plan to the end of the trial it takes about so long. */
const LONGEST_MS = 6_000;

test('whenever it is killed, it becomes the version that is planned in the end', { timeout: 600_000 }, async () => {
  await using site = await startUpdatableSite(agents, made, { LANREACH_TRIAL_SECONDS: '100' });
  for (let round = 1; round <= ROUNDS; round++) {
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
