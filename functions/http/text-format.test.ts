import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePrometheusText } from '../../test/support/prometheus-text.ts';
import { type Family, formatFamilies, gauge } from './text-format.ts';

test('a family is its help, its type, and a line for each sample', () => {
  const families: Family[] = [
    gauge('a', 'What\nit \\ is', 1.5),
    { name: 'b', help: '', type: 'counter', samples: [{ labels: { x: 'a "b"\n\\', y: '' }, value: 2 }] },
    { name: 'c', help: 'none', type: 'gauge', samples: [] },
  ];
  expect(formatFamilies(families)).toBe(
    [
      '# HELP a What\\nit \\\\ is',
      '# TYPE a gauge',
      'a 1.5',
      '# HELP b ',
      '# TYPE b counter',
      'b{x="a \\"b\\"\\n\\\\",y=""} 2',
      '# HELP c none',
      '# TYPE c gauge',
      '',
    ].join('\n'),
  );
});

test('whatever stands in a label or a help is read back as it was', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, fc.uniqueArray(text, { minLength: 1 }), fc.double({ noNaN: true }), (help, values, value) => {
      const samples = values.map((label) => ({ labels: { label, other: 'x' }, value }));
      const parsed = parsePrometheusText(formatFamilies([{ name: 'n', help, type: 'gauge', samples }]));
      expect(parsed.get('n')?.samples).toEqual(
        samples.map((sample) => ({ name: 'n', ...sample, value: value === 0 ? expect.closeTo(0) : value })),
      );
    }),
  );
});

test.each([
  ['without an end', '# HELP a x\n# TYPE a gauge\na 1'],
  ['a sample without a family', 'a 1\n'],
  ['a family without a type', '# HELP a x\na 1\n'],
  ['a sample of another family', '# HELP a x\n# TYPE a gauge\nb 1\n'],
  ['a series that occurs twice', '# HELP a x\n# TYPE a gauge\na{b="c"} 1\na{b="c"} 2\n'],
  ['a value that is no number', '# HELP a x\n# TYPE a gauge\na one\n'],
  ['a label without quotes', '# HELP a x\n# TYPE a gauge\na{b=c} 1\n'],
  ['a label with an unknown escape', '# HELP a x\n# TYPE a gauge\na{b="\\t"} 1\n'],
  ['a family that comes twice', '# HELP a x\n# TYPE a gauge\n# HELP a x\n# TYPE a gauge\n'],
  [
    'a histogram that does not add up',
    '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
  ],
])('the reader of these tests refuses %s', (_, text) => {
  expect(() => parsePrometheusText(text)).toThrow();
});
