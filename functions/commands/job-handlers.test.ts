import { expect, test } from 'vitest';
import type { Job } from '../../shared/api/jobs.ts';
import { withReach } from './job-handlers.ts';

const job = (state: Job['state']) => ({ state, agent: 'home:main', agentOfflineSince: null }) as Job;

test('commands that have ended need no read of the agents', async () => {
  const agents = () => expect.fail('the agents were read');
  const jobs = [job('succeeded'), job('lost')];
  expect(await withReach({ sites: { agents } as never }, 'home', jobs)).toEqual(jobs);
});
