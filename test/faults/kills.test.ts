import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFinal } from '../../shared/agent/messages.ts';
import { Job, jobs } from '../../shared/api/jobs.ts';
import { makeTestFolder, type TestFolder } from '../support/test-folder.ts';
import { waitFor } from '../support/wait-for.ts';
import { startTestSystem, type TestSystem } from '../test-system.ts';
import { becomes } from './enrolled-agent.ts';
import { bundleFunction, startFunction } from './function-process.ts';

/** Takes two or three seconds. */
const SCAN = { scan: '127.0.0.0/25', mode: 'skipdiscovery' };
/** Takes more than ten seconds. */
const LONG_SCAN = { scan: '127.0.0.0/22', mode: 'normal' };

let temporary: TestFolder;
let folder: string;
let program: string;
let system: TestSystem;
beforeAll(async () => {
  temporary = makeTestFolder();
  folder = temporary.path;
  [program, system] = await Promise.all([bundleFunction(folder), startTestSystem({ LOG_LEVEL: 'info' }, {})]);
});
afterAll(async () => {
  await system.close();
  await temporary.remove();
});

const find = async (id: string): Promise<Job> => Job.parse((await system.request('GET', `/jobs/${id}`)).json);
const starts = (id: string) =>
  system.logged.filter((line) => line.jobId === id && line.msg === 'command started').length;
const startOf = (tool: string, after: number) =>
  waitFor('the start of the command', () =>
    system.logged.slice(after).find((line) => line.msg === 'command started' && line.tool === tool),
  );

async function ended(id: string): Promise<Job> {
  await expect.poll(async () => isFinal((await find(id)).state)).toBe(true);
  return find(id);
}

test('the function that waits is killed: the result is found at the job', async () => {
  /** How the caller fared, and the id of the command. A machine that stands still may be late to kill the function. */
  const killedOnce = async () => {
    const before = system.logged.length;
    await using waiting = await startFunction(program, system, system.system.parts.broker.port);
    const answer = waiting.request('POST', '/nettools/nmap', { body: SCAN }).then(
      () => 'answered',
      () => 'cut off',
    );
    const { jobId: id } = await startOf('nmap', before);
    await waiting.kill();
    return { answer: await answer, id: String(id) };
  };
  let { answer, id } = await killedOnce();
  for (let tries = 1; tries < 3 && answer !== 'cut off'; tries++) ({ answer, id } = await killedOnce());
  expect(answer).toBe('cut off');
  const job = await ended(id);
  expect(job).toMatchObject({ state: 'succeeded', result: { hostsTotal: 128 } });
  expect(job.output).toContain('Nmap scan report for 127.0.0.127');
  expect(starts(job.id)).toBe(1);
});

test('another function follows and stops what a killed one has started', async () => {
  const before = system.logged.length;
  await using first = await startFunction(program, system, system.system.parts.broker.port);
  first.request('POST', '/nettools/nmap', { body: LONG_SCAN }).catch(() => {});
  const id = String((await startOf('nmap', before)).jobId);
  await first.kill();
  const stream = await system.stream('GET', `/jobs/${id}/events`);
  await stream.first('output');
  await using second = await startFunction(program, system, system.system.parts.broker.port);
  const { status, json } = await second.request('DELETE', `/jobs/${id}`);
  expect([status, json]).toMatchObject([200, { id, state: 'cancelled' }]);
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({ event: 'result', data: { id, state: 'cancelled' } });
});

test('the agent is killed while a command runs: interrupted, told to who waits, and never run again', async () => {
  const before = system.logged.length;
  const waiting = system.request('POST', '/nettools/nmap', { body: LONG_SCAN });
  const id = String((await startOf('nmap', before)).jobId);
  process.kill(system.system.parts.agent.pid ?? 0, 'SIGKILL');
  const { status, json } = await waiting;
  expect([status, json]).toMatchObject([500, { code: 'command_failed' }]);
  const job = await ended(id);
  expect(job).toMatchObject({ state: 'interrupted', reason: 'agent_restarted' });
  await becomes(system, 'home:main', 'online');
  await sleep(1_000);
  expect(starts(id)).toBe(1);
  expect(await find(id)).toEqual(job);
});

test('the broker is restarted while a command runs: who watches sees it to its end', async () => {
  const stream = await system.stream('POST', '/nettools/nmap', {
    body: { scan: '127.0.0.0/24', mode: 'skipdiscovery' },
  });
  await stream.first('output');
  await system.system.parts.restartBroker();
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({
    event: 'result',
    data: { state: 'succeeded', result: { hostsTotal: 256 } },
  });
});

test('the database is killed while commands run: every result is stored in the end', async () => {
  const answers = await Promise.all(
    [1, 2].map(() => system.request('POST', '/nettools/nmap', { body: SCAN, headers: { prefer: 'respond-async' } })),
  );
  const ids = answers.map(({ json }) => Job.parse(json).id);
  await sleep(500);
  process.kill(system.system.parts.database?.pid ?? 0, 'SIGKILL');
  await expect.poll(async () => (await system.request('GET', '/jobs?state=succeeded&limit=2')).status).toBe(200);
  for (const id of ids) {
    await expect.poll(async () => (await find(id)).state).toBe('succeeded');
    expect((await find(id)).output).toContain('Nmap scan report for 127.0.0.127');
    expect(starts(id)).toBe(1);
  }
  const list = jobs.listJobs.response.parse((await system.request('GET', '/jobs?limit=500')).json).jobs;
  expect(list.every(({ state }) => isFinal(state))).toBe(true);
});
