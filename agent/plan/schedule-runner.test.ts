import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Plan, PlannedRun, PlannedSchedule } from '../../shared/agent/plan.ts';
import { jobOfRun } from '../../shared/agent/planned-job.ts';
import { folderOfEachTest } from '../../test/support/folder-of-tests.ts';
import { holdTheClock } from '../../test/support/held-clock.ts';
import type { PlannedEnd } from '../jobs/job.ts';
import { type Missed, ScheduleRunner } from './schedule-runner.ts';

const folder = folderOfEachTest();
const file = () => join(folder.path, 'turns.json');
const running: ScheduleRunner[] = [];
beforeEach(() => {
  holdTheClock();
  vi.setSystemTime(at('00:30'));
});
afterEach(async () => {
  for (const runner of running.splice(0)) await runner.stop();
  vi.useRealTimers();
});

const ID = '5f0c2a9b1d34';
const DONE: PlannedEnd = {
  ...{ state: 'succeeded', reason: null, message: null, output: '' },
  truncated: false,
  result: null,
};
const at = (time: string) => Date.parse(`2026-11-02T${time}Z`);

function planned(
  changes: Partial<PlannedSchedule> = {},
  timing: Partial<PlannedSchedule['timing']> = {},
): PlannedSchedule {
  return {
    ...{ id: ID, startWithinSeconds: 600, command: { tool: 'interfaces' } },
    timing: { everySeconds: 3_600, from: 1, jitterSeconds: 0, ...timing },
    ...changes,
  };
}
const planOf = (...schedules: PlannedSchedule[]): Plan => ({ timeZone: 'UTC', schedules, checks: [] });

/** A runner over jobs that end when the test says so, or at once. */
async function startRunner({ knows = false, ends = async (): Promise<PlannedEnd | null> => DONE } = {}) {
  const begun: { id: string; turn: string; deadline: string; onDisk: string }[] = [];
  const missed: Missed[] = [];
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 19);
  const runner = await ScheduleRunner.open({
    path: file(),
    site: 'home',
    jobs: {
      has: () => knows,
      async planned(id, run: PlannedRun, _command, deadline) {
        if (run.by !== 'schedule') throw new TypeError(run.by);
        const handled: Record<string, { begun?: number }> = JSON.parse(readFileSync(file(), 'utf8'));
        begun.push({ id, turn: time(run.turn), deadline: time(deadline), onDisk: time(handled[ID]?.begun ?? 0) });
        return ends();
      },
    },
    report: (change) => missed.push(change),
    log: pino({ level: 'silent' }),
    // A disk takes as long as it likes, of which the held clock knows nothing.
    write: async (file, text) => writeFileSync(file, text),
  });
  running.push(runner);
  const quiet = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  return {
    runner,
    begun,
    turns: () => begun.map(({ turn }) => turn),
    missed: () => missed.map(({ count, first, last, why }) => ({ count, first: time(first), last: time(last), why })),
    quiet,
    async goTo(end: number) {
      while (Date.now() < end) {
        vi.advanceTimersByTime(Math.min(10_000, end - Date.now()));
        await quiet();
      }
    },
  };
}

test('each turn is begun once, when it is on disk, as the job that follows from it', async () => {
  const { runner, begun, goTo } = await startRunner();
  runner.apply(planOf(planned()));
  await goTo(at('02:59:59'));
  // The same plan again, which comes with every change of another part of it.
  runner.apply(planOf(planned()));
  await goTo(at('03:30'));
  expect(begun).toEqual(
    ['01', '02', '03'].map((hour) => ({
      id: jobOfRun('home', ID, at(`${hour}:00`)),
      turn: `${hour}:00:00`,
      deadline: `${hour}:10:00`,
      onDisk: `${hour}:00:00`,
    })),
  );
});

test('a turn begins with its jitter, by which the time to begin is counted', async () => {
  const { runner, begun, goTo, missed } = await startRunner();
  runner.apply(planOf(planned({ startWithinSeconds: 1 }, { jitterSeconds: 3_600 })));
  await goTo(at('05:00'));
  expect(begun.length).toBeGreaterThanOrEqual(3);
  for (const { turn, deadline } of begun) {
    expect(deadline > turn).toBe(true);
    expect(deadline.slice(0, 2)).toBe(turn.slice(0, 2));
  }
  expect(missed()).toEqual([]);
});

test('a run while the previous one is in progress is skipped and reported; so is one without a free slot in time', async () => {
  let end: (value: PlannedEnd | null) => void = () => {};
  const ends = () => new Promise<PlannedEnd | null>((resolve) => (end = resolve));
  const { runner, turns, goTo, missed, quiet } = await startRunner({ ends });
  runner.apply(planOf(planned()));
  await goTo(at('02:30'));
  expect(missed()).toEqual([{ count: 1, first: '02:00:00', last: '02:00:00', why: 'still-running' }]);
  end(DONE);
  await goTo(at('03:10'));
  end('late');
  await quiet();
  expect(turns()).toEqual(['01:00:00', '03:00:00']);
  expect(missed()[1]).toEqual({ count: 1, first: '03:00:00', last: '03:00:00', why: 'agent-busy' });
});

test('after a restart nothing runs twice or late: missed runs are reported at once, the last one runs if it may', async () => {
  const runsFrom = async (begin: string, end: string) => {
    vi.setSystemTime(at(begin));
    const { runner, turns, missed, goTo } = await startRunner();
    runner.apply(planOf(planned()));
    await goTo(at(end));
    await runner.stop();
    return [turns(), missed()];
  };
  expect(await runsFrom('00:30', '01:05')).toEqual([['01:00:00'], []]);
  expect(await runsFrom('01:30', '01:40')).toEqual([[], []]);
  const three = { count: 3, first: '02:00:00', last: '04:00:00', why: 'agent-away' };
  expect(await runsFrom('05:04', '05:05')).toEqual([['05:00:00'], [three]]);
  const one = { count: 1, first: '06:00:00', last: '06:00:00', why: 'agent-away' };
  expect(await runsFrom('06:11', '06:20')).toEqual([[], [one]]);
});

test('a run that a crash prevented is reported as missed; one whose command was accepted is not', async () => {
  writeFileSync(file(), JSON.stringify({ [ID]: { handled: at('00:00'), begun: at('00:00') } }));
  const lost = await startRunner();
  expect(lost.missed()).toEqual([{ count: 1, first: '00:00:00', last: '00:00:00', why: 'agent-away' }]);
  const taken = await startRunner({ knows: true });
  expect(taken.missed()).toEqual([]);
});

test('a schedule that is new, has other times or comes back has the turns from then on', async () => {
  const { runner, turns, missed, goTo } = await startRunner();
  runner.apply(planOf());
  vi.setSystemTime(at('01:30'));
  runner.apply(planOf(planned()));
  await goTo(at('02:01'));
  runner.apply(planOf());
  await goTo(at('03:30'));
  runner.apply(planOf(planned({}, { everySeconds: 7_200 })));
  await goTo(at('04:30'));
  expect([turns(), missed()]).toEqual([['02:00:00', '04:00:00'], []]);
});

test('a clock that was set back does not stop the turns, and repeats none', async () => {
  const { runner, turns, goTo } = await startRunner();
  runner.apply(planOf(planned()));
  await goTo(at('01:00'));
  vi.setSystemTime(at('00:59:30'));
  await goTo(at('01:10'));
  vi.setSystemTime(Date.parse('2026-10-01T00:30Z'));
  await goTo(Date.parse('2026-10-01T01:10Z'));
  expect(turns()).toEqual(['01:00:00', '01:00:00']);
});

test('a file of turns that cannot be read is no reason to stop', async () => {
  writeFileSync(file(), '{"5f0c2a9b1d34": "soon"}');
  const { runner, turns, goTo } = await startRunner();
  runner.apply(planOf(planned(), planned({ id: '5f0c2a9b1d35' }, { everySeconds: undefined, cron: '0 0 x * *' })));
  await goTo(at('01:10'));
  expect(turns()).toEqual(['01:00:00']);
});
