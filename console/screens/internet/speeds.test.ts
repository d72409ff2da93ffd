import { expect, test } from 'vitest';
import type { OneSeries } from '../../../shared/api/series.ts';
import { isSlow, lastAddress, speedTests, usual } from './speeds.ts';

const series = (agent: string, times: number[], columns: Record<string, (number | string | null)[]>): OneSeries => ({
  agent,
  resolution: 'raw',
  times,
  columns: Object.entries(columns).map(([name, values]) => ({ name, unit: '', values })),
});

test('the tests of all agents in the order of their times', () => {
  const tests = speedTests([
    series('main', [10, 30], { downMbps: [90, 95], upMbps: [40, 41], pingMs: [9, 8] }),
    series('attic', [20], { downMbps: [50], upMbps: [20] }),
  ]);
  expect(tests.map(({ at, downMbps, pingMs }) => [at, downMbps, pingMs])).toEqual([
    [10_000, 90, 9],
    [20_000, 50, null],
    [30_000, 95, 8],
  ]);
});

test('the last address of all agents, also without its provider', () => {
  const one = series('main', [10], { address: ['198.51.100.7'], provider: ['Example Net'] });
  const two = series('attic', [20], { address: ['203.0.113.9'], provider: [null] });
  expect(lastAddress([two, one])).toEqual({ at: 20_000, address: '203.0.113.9', provider: '' });
  expect(lastAddress([])).toBeNull();
});

test('usual is the middle', () => {
  expect(usual([90, null, 10, 95])).toBe(90);
  expect(usual([null])).toBeNull();
  expect([40, 46, null].map((downMbps) => isSlow({ downMbps }, 90))).toEqual([true, false, false]);
});
