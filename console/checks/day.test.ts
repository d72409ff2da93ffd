import { expect, test } from 'vitest';
import type { OneSeries } from '../../shared/api/series.ts';
import { hoursOf } from './day.ts';

const FROM = 1_793_520_000;
const series = (percents: Record<number, number | null>): OneSeries => ({
  agent: 'main',
  resolution: '1h',
  times: Object.keys(percents).map((hour) => FROM + Number(hour) * 3_600),
  columns: [
    { name: 'rttMs', unit: 'ms', values: Object.values(percents).map(() => 1) },
    { name: 'uptimePercent', unit: '%', values: Object.values(percents) },
  ],
});

test('the better agent decides about an hour, and an hour without runs is unknown', () => {
  const one = series({ '-1': 100, 0: 100, 1: 0, 2: 40, 3: null });
  const other = series({ 1: 0, 2: 98.3, 5: 12, 24: 100 });
  expect(hoursOf([one, other], FROM)).toBe(`#.#??+${'?'.repeat(18)}`);
  expect(hoursOf([], FROM)).toBe('?'.repeat(24));
});
