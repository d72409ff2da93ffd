/** Commands that the agent runs by its plan, among those of callers. */
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { plannedInstance, topics } from '../../shared/agent/topics.ts';
import { headerOfResult, unpackResult } from '../../shared/agent/wire.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';
import type { Command } from '../../shared/tools/list.ts';
import { CLIENT, newJobId, requestFor } from '../../test/support/agent/broker.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { UpstreamLog } from '../upstream/upstream-log.ts';
import { Journal } from './journal.ts';
import { type Kept, Outbox } from './outbox.ts';
import { parsePolicy } from './policy.ts';
import { recover } from './recover.ts';
import { JobService, type ServeOptions } from './serve.ts';

const folder = folderOfEachTest();

const LONG: Command = { tool: 'speedtest' };
const RESULT = { server: 's', pingMs: 1, downloadMbps: 1, uploadMbps: 1 };
const RUN = { by: 'schedule' as const, id: '5f0c2a9b1d34', turn: Date.parse('2026-11-02T01:00Z') };
const log = pino({ level: 'silent' });

/** Jobs of which one runs at a time, until the test lets it end. */
async function startJobs(path: string) {
  const journal = await Journal.open(join(path, 'journal.jsonl'));
  const upstream = await UpstreamLog.open(join(path, 'upstream.log'), log);
  const published: { topic: string; payload: Buffer }[] = [];
  const publish = async (topic: string, payload: Buffer) => void published.push({ topic, payload });
  const started: string[] = [];
  const holds: (() => void)[] = [];
  const jobs = new JobService({
    client: CLIENT,
    journal,
    outbox: new Outbox({ client: CLIENT, upstream, publish, log }),
    policy: () => parsePolicy({ concurrency: { speedtest: 1 } }),
    async runTool() {
      await new Promise<void>((resolve) => holds.push(resolve));
      return { output: '', truncated: false, result: RESULT };
    },
    settings: {} as ServeOptions['settings'],
    publishLossy: (topic) => published.push({ topic, payload: Buffer.alloc(0) }) > 0,
    onLoad: () => {},
    log: pino(
      {},
      { write: (line: string) => line.includes('command started') && started.push(JSON.parse(line).jobId) },
    ),
  });
  return {
    ...{ jobs, journal, upstream, published, started },
    release: async () => (await waitFor('a command', () => holds.shift()))(),
  };
}

const inAMinute = () => Date.now() + 60_000;

test('its result says by what plan it was run, and nothing else is said of it', async () => {
  const { jobs, journal, published, release } = await startJobs(folder.path);
  const id = newJobId();
  const ended = jobs.planned(id, RUN, LONG, inAMinute());
  await release();
  expect(await ended).toMatchObject({ state: 'succeeded', result: RESULT });
  const [only] = published;
  expect(published.map(({ topic }) => topic)).toEqual([topics.result(plannedInstance(LOCAL_STAGE), CLIENT)]);
  expect(headerOfResult(only!.payload)?.planned).toEqual(RUN);
  expect(unpackResult(only!.payload)).toMatchObject({ id, state: 'succeeded', planned: RUN });
  expect(await jobs.planned(id, RUN, LONG, inAMinute())).toBeNull();
  await journal.close();
});

test('it queues behind the commands of callers; one without a free slot in time leaves nothing', async () => {
  const { jobs, journal, started, upstream, release } = await startJobs(folder.path);
  const [first, second] = [requestFor(LONG), requestFor(LONG)];
  await jobs.request(first);
  const late = newJobId();
  expect(await jobs.planned(late, RUN, LONG, Date.now() + 50)).toBe('late');
  const id = newJobId();
  const ended = jobs.planned(id, RUN, LONG, inAMinute());
  await jobs.request(second);
  for (let i = 0; i < 3; i++) await release();
  await ended;
  expect(started).toEqual([first.id, second.id, id]);
  expect(upstream.waiting('result').map(({ about }) => about)).not.toContain(late);
  expect([jobs.has(id), jobs.has(newJobId())]).toEqual([true, false]);
  await journal.close();
});

test('after a crash its result is that it was interrupted, by the same plan', async () => {
  const before = await startJobs(folder.path);
  const id = newJobId();
  void before.jobs.planned(id, RUN, LONG, inAMinute());
  await waitFor('its start', () => before.started.length > 0);
  const { journal, upstream } = await startJobs(folder.path);
  await recover(journal, upstream, log);
  const [record] = upstream.waiting('result');
  const [kept] = upstream.read(record!.n) as Kept[];
  expect(kept?.result).toMatchObject({ id, state: 'interrupted', reason: 'agent_restarted', planned: RUN });
  await Promise.all([before.journal.close(), journal.close()]);
});
