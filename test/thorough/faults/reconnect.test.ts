/** Many agents that lose their broker at one moment: they come back, and do not run it over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { bundleProgram } from '../../support/bundle-program.ts';
import { enrolAgent } from '../../support/enrolled-agent.ts';
import { ownSystem } from '../../support/shared-system.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { makeTestFolder } from '../../support/test-folder.ts';
import type { CrowdNews, CrowdSettings } from './crowd-main.ts';

const CROWD = 100;
const PROCESSES = 2;
/** So many are in vain. How often an agent tries in a longer outage is in `back-off.test.ts`. */
const ATTEMPTS = 2 * CROWD;

const temporary = makeTestFolder();
const folder = temporary.path;
afterAll(() => temporary.remove());
const system = ownSystem();

test(`${CROWD} agents whose broker is away for a while come back one by one, not all at once`, async () => {
  const site = await system.addSite();
  await using network = await startTcpProxy(() => system.system.parts.broker.port);
  const enrolled = await Promise.all(Array.from({ length: CROWD }, (_, i) => enrolAgent(system, site, `a${i}`)));
  const program = await bundleProgram(join(import.meta.dirname, 'crowd-main.ts'), folder);
  const up = new Map<ChildProcess, number>();
  let attempts = 0;
  /** What the agents have chosen to wait for, one after the other, in milliseconds. */
  const waits: number[] = [];
  const total = () => [...up.values()].reduce((sum, count) => sum + count, 0);
  try {
    for (let p = 0; p < PROCESSES; p++) {
      const folders = enrolled.filter((_, i) => i % PROCESSES === p).map((one) => one.folder);
      const settings: CrowdSettings = { folders, brokerPort: network.port };
      const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      up.set(child, 0);
      createInterface({ input: child.stdout }).on('line', (line) => {
        const told: CrowdNews = JSON.parse(line);
        if (told.event === 'up') up.set(child, told.count);
        else if (told.event === 'attempt') attempts++;
        else waits.push(told.ms);
      });
    }
    await expect.poll(total, { timeout: 120_000 }).toBe(CROWD);

    network.newConnections = 'refuse';
    network.resetAll();
    const attemptsBefore = attempts;
    await expect.poll(() => attempts - attemptsBefore).toBeGreaterThan(ATTEMPTS);
    network.newConnections = 'pass';
    // When they try is up to the machine as well; what they have chosen is not.
    expect(mostWithin(100, waits.slice(0, CROWD))).toBeLessThan(CROWD / 2);

    await expect.poll(total, { timeout: 120_000, interval: 250 }).toBe(CROWD);
    // What an agent says of itself is stored a moment after it has come back.
    const states = async () => {
      const { json } = await system.request('GET', `/sites/${site}/agents`);
      return (json as { agents: { state: string }[] }).agents.map(({ state }) => state);
    };
    await expect.poll(states).toEqual(Array(CROWD).fill('online'));
  } finally {
    for (const child of up.keys()) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    await Promise.all(enrolled.map((one) => one[Symbol.asyncDispose]()));
  }
});

/** How many of the times lie in the fullest stretch of this length. */
function mostWithin(ms: number, times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));
}
