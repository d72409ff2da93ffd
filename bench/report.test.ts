import { expect, test } from 'vitest';
import {
  allReached,
  asMarkdown,
  asText,
  atLeast,
  type Figure,
  figuresTable,
  type RequestRow,
  rateFigure,
  requestsTable,
} from './report.ts';

const good: Figure = {
  name: 'fast',
  unit: 'ms',
  goal: 2,
  isLeast: false,
  value: 1.234,
  p99: 12.34,
  samples: 9,
  skipped: null,
};
const over: Figure = { ...good, name: 'slow import', unit: 's', goal: 15, value: 123.4, p99: 123.4, samples: 1 };
const shown: Figure = { ...good, name: 'only shown', goal: null };
const skipped: Figure = { ...good, name: 'not here', value: null, p99: null, samples: 0, skipped: 'needs a namespace' };

test('a table for the terminal is aligned', () => {
  expect(asText(figuresTable([good, over, shown, skipped]))).toBe(
    [
      'figure         goal  measured   p99',
      'fast         ≤ 2 ms   1.23 ms  12.3  ok',
      'slow import  ≤ 15 s     123 s        over',
      'only shown            1.23 ms  12.3',
      'not here     ≤ 2 ms   skipped        needs a namespace',
      '',
    ].join('\n'),
  );
});

test('the same in Markdown', () => {
  expect(asMarkdown(figuresTable([good]))).toBe(
    [
      '| figure |   goal | measured |  p99 |     |',
      '| ------ | -----: | -------: | ---: | --- |',
      '| fast   | ≤ 2 ms |  1.23 ms | 12.3 | ok  |',
      '',
    ].join('\n'),
  );
});

test('a goal is missed by what was skipped as well, and what has no goal misses none', () => {
  expect(allReached([good, shown, { ...skipped, goal: null }])).toBe(true);
  expect(allReached([good, over])).toBe(false);
  expect(allReached([good, skipped])).toBe(false);
});

test('a goal is the largest value or the least one', () => {
  const enough = rateFigure('requests', atLeast(3_000), 3_000);
  const slow = rateFigure('requests', atLeast(3_000), 2_999);
  const [, most = '', few = ''] = asText(figuresTable([enough, slow])).split('\n');
  expect(most).toBe('requests  ≥ 3000/s    3000/s       ok');
  expect(few).toBe('requests  ≥ 3000/s    2999/s       under');
  expect([allReached([enough]), allReached([slow])]).toEqual([true, false]);
});

test('a request stands beside what it was measured against', () => {
  const row: RequestRow = {
    name: 'totals',
    p50Ms: 0.1234,
    p99Ms: 1.234,
    perSecond: 12_345,
    timesYardstick: 2.9,
    percentOfYardstick: 31.26,
    serverCpuMs: 0.08,
    timesYardstickCpu: 3.2,
    serverCpuAloneMs: 0.1,
    engineCpuMs: null,
  };
  expect(asText(requestsTable({ title: '10,000 devices', rows: [row] }))).toBe(
    [
      '10,000 devices  p50 ms  p99 ms  × empty  requests/s  % of empty  CPU server  × empty  CPU engine',
      'totals           0.123    1.23     2.90       12345        31.3       0.080     3.20',
      '',
    ].join('\n'),
  );
});
