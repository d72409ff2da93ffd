import { expect, test } from 'vitest';
import { JobId, siteOfJob, timeOfJob } from '../identity.ts';
import { jobOfRun } from './planned-job.ts';

test('the job of a turn has the time of the turn, and is another one for each schedule, site and turn', () => {
  const turn = Date.parse('2026-11-02T01:00Z');
  const ids = ['5f0c2a9b1d34', '5f0c2a9b1d35'].flatMap((schedule) =>
    ['home', 'lab'].flatMap((site) =>
      [turn, turn + 1_000].map((at) => ({ site, at, id: jobOfRun(site, schedule, at) })),
    ),
  );
  for (const { site, at, id } of ids) {
    expect(JobId.parse(id)).toBe(id);
    expect([siteOfJob(id), timeOfJob(id)]).toEqual([site, at]);
  }
  expect(new Set(ids.map(({ id }) => id.slice(-20))).size).toBe(8);
  expect(jobOfRun('home', '5f0c2a9b1d34', turn)).toBe(ids[0]!.id);
});
