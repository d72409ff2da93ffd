/** Where results of jobs are stored, and what it costs to list jobs and to read one. */
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import type { EndedJob } from '../../shared/agent/messages.ts';
import type { JobId } from '../../shared/identity.ts';
import { Command, tools } from '../../shared/tools/list.ts';
import { consumedBy } from '../../test/support/database-calls.ts';
import { memoryTable } from '../../test/test-table.ts';
import { rows } from '../table/rows.ts';
import { type Assignment, openJobStore } from './job-store.ts';

const engine = memoryTable();

let sites = 0;
const jobKey = ({ id }: Assignment) => rows.job(id);
const freshSite = () => `site-${++sites}`;
const open = () => openJobStore(engine.open(), () => new Date());

async function add(site: string, command: Command): Promise<JobId> {
  const id: JobId = `${site}.${uuidv7()}`;
  await open().create({ id, agent: `${site}:main`, command, actor: 'test', sourceAddress: null });
  return id;
}

async function started(site: string): Promise<Assignment> {
  const job = await open().assignment(await add(site, { tool: 'interfaces' }));
  if (job === null) throw new Error('the job is not there');
  return job;
}

/** An outcome whose output cannot be compressed below this size. */
const outcome = (bytes: number): EndedJob => ({
  ...{ state: 'failed', reason: 'tool_failed', message: 'it failed', truncated: false, result: null },
  output: randomBytes(bytes).toString('base64'),
  ...{ startedAt: Date.now(), endedAt: Date.now() },
});

test('a list of a hundred jobs costs the same, whether their results are large or there are none', async () => {
  const costs: number[] = [];
  for (const bytes of [null, 20_000]) {
    const site = freshSite();
    for (let i = 0; i < 100; i++) {
      const job = await started(site);
      const result = bytes === null ? { ...outcome(0), output: '' } : outcome(bytes);
      expect(await open().finish(job, result)).toBe(true);
    }
    const { readUnits } = await consumedBy(async () => {
      const { jobs } = await open().list(site, {}, undefined, 100);
      expect(jobs.map(({ job }) => job.state)).toEqual(Array(100).fill('failed'));
    });
    costs.push(readUnits);
  }
  const [without = 0, large = 0] = costs;
  expect(without).toBeLessThanOrEqual(10);
  expect(large).toBeLessThanOrEqual(without);
});

test('a small result is stored and read in one call each, a large one in two, and either is shown whole', async () => {
  const site = freshSite();
  for (const [bytes, writeUnits, readUnits] of [
    [300, 1, 1],
    [3_000, 1 + 5, 1 + 1],
  ] as const) {
    const job = await started(site);
    const ended = outcome(bytes);
    const stored = await consumedBy(() => open().finish(job, ended));
    expect(stored.writeUnits).toBeLessThanOrEqual(writeUnits);
    const read = await consumedBy(async () =>
      expect(await open().find(job.id)).toMatchObject({ state: 'failed', message: 'it failed', output: ended.output }),
    );
    expect(read.readUnits).toBeLessThanOrEqual(readUnits);
  }
});

test('a job has its first result, also when a writer is stopped before the job says so, and another result comes', async () => {
  const job = await started(freshSite());
  const first = outcome(3_000);
  const table = engine.open();
  table.update = () => Promise.reject(new Error('the process was stopped'));
  await expect(openJobStore(table, () => new Date()).finish(job, first)).rejects.toThrow('stopped');
  expect(await open().find(job.id)).toMatchObject({ state: 'queued', output: null });

  expect(await open().finish(job, first)).toBe(true);
  expect(await open().finish(job, outcome(4_000))).toBe(false);
  expect(await open().find(job.id)).toMatchObject({ state: 'failed', output: first.output });
});

test.each([
  ['was removed with its site', (job: Assignment) => engine.open().remove(jobKey(job))],
  ['has ended as lost', (job: Assignment) => engine.open().update(jobKey(job), { set: { state: 'lost' } })],
])('a large result of a job that %s meanwhile leaves nothing behind', async (_, change) => {
  const job = await started(freshSite());
  await change(job);
  expect(await open().finish(job, outcome(3_000))).toBe(false);
  expect(await engine.open().get(rows.result(job.id), { consistent: true })).toBeNull();
});

test('a list says in a few values what came of a job, however large its result is', async () => {
  const site = freshSite();
  for (const bytes of [0, 20_000]) {
    const job = await started(site);
    const { result } = tools.interfaces.example;
    await open().finish(job, { ...outcome(bytes), state: 'succeeded', reason: null, result });
    expect((await open().find(job.id))?.result).toEqual(result);
  }
  const { jobs } = await open().list(site, {}, undefined, 100);
  expect(jobs.map(({ job: { summary, result } }) => [summary, result])).toEqual(
    Array(2).fill([{ interfaces: 1 }, null]),
  );
});

test('a list can be only of what names a device, by any of its addresses', async () => {
  const site = freshSite();
  const trace = await add(site, Command.parse({ tool: 'traceroute', target: '10.0.0.7' }));
  const wake = await add(site, Command.parse({ tool: 'wakeonlan', mac: '00:1E:06:AA:BB:01' }));
  await add(site, Command.parse({ tool: 'traceroute', target: '10.0.0.70' }));
  await add(site, { tool: 'interfaces' });
  const about = async (text: string) =>
    (await open().list(site, { about: text }, undefined, 100)).jobs.map(({ job }) => job.id);
  expect(await about('10.0.0.7')).toEqual([trace]);
  expect(await about('10.0.0.7,00:1e:06:aa:bb:01')).toEqual([wake, trace]);
  expect(await about('interfaces')).toEqual([]);
});

test('a job whose result is missing is shown without it', async () => {
  const job = await started(freshSite());
  await open().finish(job, outcome(3_000));
  await engine.open().remove(rows.result(job.id));
  const found = await open().find(job.id);
  expect(found).toMatchObject({ state: 'failed', output: null, result: null });
  expect(found?.message).toMatch(/^The result cannot be shown/);
});
