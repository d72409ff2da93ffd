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
