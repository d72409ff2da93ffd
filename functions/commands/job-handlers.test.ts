import { expect, test } from 'vitest';
import type { Job } from '../../shared/api/jobs.ts';
import { withReach } from './job-handlers.ts';

const job = (state: Job['state'], agent = 'home:main') => ({ state, agent, agentOfflineSince: null }) as Job;
const SINCE = '2026-11-01T08:15:00.000Z';

test('a command whose agent is offline shows since when, and keeps its last known state', async () => {
  const agents = [
    { id: 'home:main', state: 'offline', since: SINCE },
    { id: 'home:attic', state: 'online', since: SINCE },
  ];
  const sites = { agents: async () => agents } as never;
  const jobs = [job('running'), job('queued'), job('running', 'home:attic'), job('succeeded'), job('lost', 'home:old')];
  expect((await withReach({ sites }, 'home', jobs)).map((one) => [one.state, one.agentOfflineSince])).toEqual([
    ['running', SINCE],
    ['queued', SINCE],
    ['running', null],
    ['succeeded', null],
    ['lost', null],
  ]);
});

test('commands that have ended need no read of the agents', async () => {
  const agents = () => expect.fail('the agents were read');
  const jobs = [job('succeeded'), job('lost')];
  expect(await withReach({ sites: { agents } as never }, 'home', jobs)).toEqual(jobs);
});
