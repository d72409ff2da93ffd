import { expect, test } from 'vitest';
import { allReached, type Figure, markdownTable, textTable } from './report.ts';

const good: Figure = { name: 'fast', unit: 'ms', goal: 2, value: 1.234, p99: 12.34, samples: 9, skipped: null };
const over: Figure = { ...good, name: 'slow import', unit: 's', goal: 15, value: 123.4, p99: 123.4, samples: 1 };
const shown: Figure = { ...good, name: 'only shown', goal: null };
const skipped: Figure = { ...good, name: 'not here', value: null, p99: null, samples: 0, skipped: 'needs a namespace' };

test('a table for the terminal is aligned', () => {
  expect(textTable([good, over, shown, skipped])).toBe(
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
  expect(markdownTable([good])).toBe(
    [
      '| figure |   goal | measured |  p99 |     |',
      '| ------ | -----: | -------: | ---: | --- |',
      '| fast   | ≤ 2 ms |  1.23 ms | 12.3 | ok  |',
      '',
    ].join('\n'),
  );
});

test('what was skipped or has no goal is not held against the run', () => {
  expect(allReached([good, shown, skipped])).toBe(true);
  expect(allReached([good, over])).toBe(false);
});
