import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOOL, TOOLS } from './list.ts';
import { nmap } from './nmap.ts';
import { parseToolResult } from './parse-result.ts';

/** What the reviewed function gives, or that it refuses. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { parsed: parse() };
  } catch {
    return 'refused';
  }
}

/** The same data with one value in it replaced, removed or added, at any depth. */
function changed(data: unknown): fc.Arbitrary<unknown> {
  const other = fc.jsonValue({ maxDepth: 2 });
  if (Array.isArray(data)) {
    const items = data.length === 0 ? [] : [changed(data[0]).map((item) => [...data, item])];
    return fc.oneof(
      other,
      other.map((item) => [...data, item]),
      ...items,
    );
  }
  if (typeof data !== 'object' || data === null) return other;
  const fields = Object.entries(data).flatMap(([name, value]) => [
    changed(value).map((inner) => ({ ...data, [name]: inner })),
    fc.constant(Object.fromEntries(Object.entries(data).filter(([one]) => one !== name))),
  ]);
  return fc.oneof(
    other,
    fc.tuple(fc.string(), other).map(([name, value]) => ({ ...data, [name]: value })),
    ...fields,
  );
}

test.each(TOOLS)('a result of %s is taken and refused as its schema says, and nothing unknown is kept', (tool) => {
  const { result, example } = TOOL[tool];
  expect(parseToolResult(tool, example.result)).toEqual(example.result);
  expect(parseToolResult(tool, null)).toBeNull();
  fc.assert(
    fc.property(changed(example.result), (value) => {
      const expected = outcomeOf(() => result.nullable().parse(value));
      expect(outcomeOf(() => parseToolResult(tool, value))).toEqual(expected);
    }),
  );
});

test('the first thing that is wrong is named, and what follows it is not looked at', () => {
  const { result } = nmap.example;
  const hosts = [
    result.hosts[0],
    { ...result.hosts[0], ports: [{ port: 'x' }] },
    {
      get address(): string {
        throw new Error('looked at');
      },
    },
  ];
  const parse = () => parseToolResult('nmap', { ...result, hosts });
  expect(parse).toThrow(/^result\.hosts\.1\.ports\.0\.port: expected (?:number|int), received string$/);
});
