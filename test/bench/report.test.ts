import { expect, test } from 'vitest';
import { figure, markdown, single } from './report.ts';

const fast = figure('fast', 'ms', { atMost: 2 }, [{ p50: 1.234, p99: 12.34 }]);
const slow = single('slow import', 's', { atMost: 15 }, [123.4]);

test('a figure stands beside its goal', () => {
  const figures = [fast, slow, single('shown', 'MB', null, [97])];
  expect(markdown({ machine: 'here', figures })).toBe(
    [
      'here',
      '',
      '| figure      |   goal | measured |  p99 |        |',
      '| ----------- | -----: | -------: | ---: | -----: |',
      '| fast        | ≤ 2 ms |  1.23 ms | 12.3 |     ok |',
      '| slow import | ≤ 15 s |    123 s |      | missed |',
      '| shown       |        |  97.0 MB |      |        |',
      '',
    ].join('\n'),
  );
});

test('a build stands beside the one that it is compared with', () => {
  const row = { name: 'totals', p50Ms: 0.1234, p99Ms: 1.234, perSecond: 12_345, cpuMs: 0.08 };
  const ratios = { p50: 0.9, perSecond: 2, cpu: 1 };
  const requests = [{ title: '10,000 devices', rows: [{ ...row, ratios }] }];
  const text = markdown({ machine: 'here', requests, figures: [single('start', 'ms', null, [150, 200])] });
  expect(text).toContain('| totals         |  0.123 |   1.23 |      12345 |  0.080 | 0.900 |         2.00 |  1.00 |');
  expect(text).toContain('| start  |      |   150 ms |     |     |   200 | 0.750 |');
});

test.for([
  [{ atLeast: 3_000 }, 3_000, '≥ 3000 /s', 'ok'],
  [{ atLeast: 3_000 }, 2_999, '≥ 3000 /s', 'missed'],
  [{ atMost: 3_000 }, 3_001, '≤ 3000 /s', 'missed'],
] as const)('of the goal %o, %d is told', ([goal, value, shown, verdict]) => {
  const text = markdown({ machine: '', figures: [single('requests', '/s', goal, [value])] });
  expect(text).toContain(`| ${shown} |`);
  expect(text).toContain(` ${verdict} |`);
});
