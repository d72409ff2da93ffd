import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Plan, PlannedScan } from '../../shared/agent/plan.ts';
import { jobOfShard } from '../../shared/agent/planned-job.ts';
import type { JobId } from '../../shared/identity.ts';
import type { PlannedEnd } from '../jobs/job.ts';
import { ScanRunner } from './scan-runner.ts';

const ID = '77aa01b2c3d4';
const startedAt = Date.parse('2026-11-02T01:00Z');
const shard = (number: number, attempt = 1): PlannedScan['shards'][number] => [
  number,
  `10.20.${4 * number}.0/22`,
  attempt,
];
const planOf = (...shards: PlannedScan['shards']): Plan => ({
  ...{ timeZone: 'UTC', schedules: [], checks: [] },
  scans: [{ id: ID, mode: 'fast', startedAt, shards }],
});
const NOTHING: Plan = { ...planOf(), scans: [] };

/** @param journal the jobs that were taken before, as after a restart; those that end are added */
function openRunner(journal = new Set<JobId>()) {
  const begun: { name: string; command: unknown }[] = [];
  const stopped: JobId[] = [];
  let end: ((end: PlannedEnd | null) => void) | null = null;
  const runner = new ScanRunner({
    site: 'home',
    jobs: {
      async planned(id, run, command) {
        if (journal.has(id)) return null;
        if (run.by !== 'scan') throw new TypeError(run.by);
        expect(id).toBe(jobOfShard('home', { ...run, startedAt }));
        journal.add(id);
        begun.push({ name: `${run.shard}/${run.attempt}`, command: JSON.parse(JSON.stringify(command)) });
        return new Promise((resolve) => (end = resolve));
      },
      async stopPlanned(id) {
        stopped.push(id);
        end?.(null);
      },
    },
    log: pino({ level: 'silent' }),
  });
  const quiet = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return {
    runner,
    journal,
    stopped,
    begun,
    names: () => begun.map(({ name }) => name),
    quiet,
    async endOne() {
      end?.(null);
      await quiet();
    },
  };
}

test('shards are taken one after the other, each once, however often the plan comes', async () => {
  const { runner, names, begun, quiet, endOne } = openRunner();
  runner.apply(planOf(shard(0), shard(1), shard(2)));
  await quiet();
  expect(begun).toEqual([{ name: '0/1', command: { tool: 'nmap', target: '10.20.0.0/22', mode: 'fast' } }]);
  runner.apply(planOf(shard(0), shard(1), shard(2), shard(3)));
  await endOne();
  expect(names()).toEqual(['0/1', '1/1']);
  for (let i = 0; i < 4; i++) await endOne();
  runner.apply(planOf(shard(0), shard(3)));
  await quiet();
  expect(names()).toEqual(['0/1', '1/1', '2/1', '3/1']);
});

test('after a crash it goes on behind what it had taken, and takes what is planned again as another attempt', async () => {
  const first = openRunner();
  first.runner.apply(planOf(shard(0), shard(1), shard(2)));
  await first.quiet();
  await first.endOne();
  const second = openRunner(first.journal);
  second.runner.apply(planOf(shard(0), shard(1), shard(2)));
  await second.quiet();
  expect(second.names()).toEqual(['2/1']);
  second.runner.apply(planOf(shard(1, 2)));
  await second.endOne();
  expect(second.names()).toEqual(['2/1', '1/2']);
});

test('a shard that runs is stopped when its scan is cancelled, and not when another agent is to take it', async () => {
  const { runner, names, stopped, quiet, endOne } = openRunner();
  runner.apply(planOf(shard(0), shard(1)));
  await quiet();
  runner.apply(planOf(shard(1)));
  await quiet();
  expect(stopped).toEqual([]);
  runner.apply(NOTHING);
  await quiet();
  expect(stopped).toHaveLength(1);
  await endOne();
  expect(names()).toEqual(['0/1']);
});

test('none begins after the stop; a target that is none is passed over', async () => {
  const { runner, names, quiet, endOne } = openRunner();
  runner.apply(planOf([0, 'nonsense', 1], shard(1), shard(2)));
  await quiet();
  runner.stop();
  await endOne();
  expect(names()).toEqual(['1/1']);
});
