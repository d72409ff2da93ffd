import { expect, test } from 'vitest';
import type { Job } from '../../../shared/api/jobs.ts';
import { shares, withoutRoutine } from './rows.ts';

test('each kind has rows, the first ones more', () => {
  expect(shares([10, 0, 3], 6)).toEqual([3, 0, 3]);
  expect(shares([9, 1, 9], 6)).toEqual([3, 1, 2]);
  expect(shares([1, 1], 6)).toEqual([1, 1]);
  expect(shares([1, 1, 1], 2)).toEqual([1, 1, 0]);
});

test('runs that fail, that a person has started, or that found something else than before', () => {
  const job = (id: string, tool: Job['tool'], summary: Job['summary'], more: Partial<Job> = {}) =>
    ({ id, tool, summary, state: 'succeeded', actor: 'schedule:0123456789ab', ...more }) as Job;
  const jobs = [
    job('same', 'nmap', { hosts: 4, openPorts: 9 }),
    job('changed', 'nmap', { hosts: 4, openPorts: 9 }),
    job('failed', 'nmap', null, { state: 'failed' }),
    job('first', 'nmap', { hosts: 4, openPorts: 8 }),
    job('speed', 'speedtest', { downloadMbps: 9, uploadMbps: 1, pingMs: 7 }, { actor: 'schedule:other' }),
    job('own speed', 'speedtest', { downloadMbps: 9, uploadMbps: 1, pingMs: 7 }, { actor: '0123456789abcdef' }),
    job('interfaces', 'interfaces', { interfaces: 3 }, { actor: '0123456789abcdef' }),
  ];
  expect(withoutRoutine(jobs).map(({ id }) => id)).toEqual(['changed', 'failed', 'first', 'own speed']);
});
