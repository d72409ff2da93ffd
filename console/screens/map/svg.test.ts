import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { device } from '../../../test/support/console/devices.ts';
import { layoutOf } from './layout.ts';
import { svgOf } from './svg.ts';
import { forestOf, type TopologyDevice } from './tree.ts';
import { viewOf } from './view.ts';

const palette = {
  background: '#fff',
  surface: '#fff',
  line: '#ccc',
  'control-line': '#888',
  text: '#000',
  muted: '#555',
  bad: '#a00',
  accent: '#00c',
};

function fileOf(devices: readonly TopologyDevice[], found: ReadonlySet<string> | null = null): string {
  const { roots } = viewOf(forestOf(devices), { toggled: new Map([['core', true]]), isDownOnly: false, found });
  return svgOf(layoutOf(roots, { frame: { width: 1_000, height: 700 } }), found, palette, 'Topology');
}

test('names stay text: the elements of the file do not depend on them', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(
      '</text><script>alert(1)</script>',
      ']]>',
      '"><image href="x"/>',
      '&amp;',
      '\ud800',
      '\u0000\u001b[31m',
    ),
  );
  const shapeOf = (svg: string) => svg.match(/<[a-z?/]+/g);
  const usual = shapeOf(fileOf([device('core', '', { name: 'x' }), device('a', 'core', { name: 'x' })]));
  fc.assert(
    fc.property(hostile, hostile, (one, two) => {
      const svg = fileOf([device('core', '', { name: one }), device('a', 'core', { name: two })]);
      expect(XMLValidator.validate(svg)).toBe(true);
      expect(shapeOf(svg)).toEqual(usual);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write control characters
      expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
      expect(() => encodeURIComponent(svg)).not.toThrow(); // As it would with half of a surrogate pair.
    }),
    { numRuns: 50 },
  );
});

test('a text is whole in the tooltip and cut in the picture', () => {
  const name = `a & b ${'very '.repeat(50)}long`;
  const svg = fileOf([device('core', '', { name }), device('x', 'core')]);
  const parsed = new XMLParser().parse(svg) as { svg: { g: { title: string; text: string[] } } };
  expect(parsed.svg.g.title).toContain(name);
  expect(parsed.svg.g.text[0]).toMatch(/^a & b very .*…$/);
});

test('the file needs nothing else, and has an icon for every device, with a shape where it is not online', () => {
  const status = ['online', 'down', 'offline'] as const;
  const devices = Array.from({ length: 499 }, (_, at) =>
    device(`d${at}`, 'core', { status: status[at % 3] ?? 'online' }),
  );
  const svg = fileOf([device('core'), ...devices], new Set(['d1']));
  expect(XMLValidator.validate(svg)).toBe(true);
  expect(svg).not.toMatch(/<(?:style|script|image|use|a)\b|href|class=|url\(/);
  expect(svg.match(/<title>d\d+, /g)).toHaveLength(499);
  expect(svg.match(/<circle [^>]*r="3"/g)).toHaveLength(166);
  expect(svg.match(/opacity="0.3"/g)).toHaveLength(499);
});
