/** Many agents that lose their broker at one moment: they come back, and do not run it over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../agent/testing/bundle.ts';
import { startTestSystem, type TestSystem } from '../test-system.ts';
import type { CrowdSettings } from './crowd-main.ts';
import { type EnrolledAgent, enrolAgent } from './enrolled-agent.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const CROWD = 100;
const PROCESSES = 2;
const AWAY_MS = 20_000;
const AT_THE_END_MS = 5_000;
const MOST_ATTEMPTS_PER_S = 10;

let folder: string;
let system: TestSystem;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanreach-test-'));
  system = await startTestSystem();
});
afterAll(async () => {
  await system.close();
  await rm(folder, { recursive: true, force: true });
});

test(`${CROWD} agents whose broker is away for ${AWAY_MS / 1000} s come back one by one, not all at once`, async () => {
  const site = await system.addSite();
  await using network = await startTcpProxy(() => system.system.parts.broker.port);
  const enrolled: EnrolledAgent[] = [];
  for (let i = 0; i < CROWD; i++) enrolled.push(await enrolAgent(system, site, `a${i}`));
  const program = await bundleProgram(join(import.meta.dirname, 'crowd-main.ts'), folder);
  const up = new Map<ChildProcess, number>();
  const attempts: number[] = [];
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
        const { up: count, attemptAt } = JSON.parse(line);
        up.set(child, count);
        if (attemptAt !== null) attempts.push(attemptAt);
      });
    }
    await expect.poll(total).toBe(CROWD);

    network.newConnections = 'refuse';
    network.resetAll();
    const cutAt = Date.now();
    await sleep(AWAY_MS);
    const backAt = Date.now();
    network.newConnections = 'pass';
    const meanwhile = attempts.filter((at) => at >= cutAt && at < backAt);
    const atTheEnd = meanwhile.filter((at) => at >= backAt - AT_THE_END_MS);
    expect(meanwhile.length).toBeGreaterThan(CROWD);
    expect(busiest(meanwhile, 100)).toBeLessThan(CROWD / 2);
    expect(atTheEnd.length / (AT_THE_END_MS / 1000)).toBeLessThanOrEqual(MOST_ATTEMPTS_PER_S);

    await expect.poll(total, { interval: 250 }).toBe(CROWD);
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

/** The most attempts within any stretch of this length that begins with one. */
function busiest(times: readonly number[], ms: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((from, i) => sorted.slice(i).filter((at) => at < from + ms).length));
}
