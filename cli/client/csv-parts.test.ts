import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROW_ENDS } from '../../shared/csv.ts';
import { splitCsv } from './csv-parts.ts';

const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\n', '\r\n', ' '), maxLength: 8 });
const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 30 });
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
const records = (csv: string | Buffer) =>
  parse(csv, { record_delimiter: ROW_ENDS, relax_column_count: true, skip_empty_lines: true }) as string[][];

test('the parts have all rows once, in their order, each under the header, and none is too large', () => {
  fc.assert(
    fc.property(rows, fc.constantFrom('\n', '\r\n', '\r'), fc.boolean(), fc.nat(120), (rows, end, ended, maxBytes) => {
      const csv = rows.map((row) => row.map(quote).join(',')).join(end) + (ended ? end : '');
      const parts = splitCsv(Buffer.from(csv), maxBytes);
      const [header, ...others] = records(csv);
      for (const { content } of parts) {
        const [first, ...rest] = records(content);
        expect(first).toEqual(header);
        if (rest.length > 1) expect(content.length).toBeLessThanOrEqual(maxBytes);
      }
      expect(parts.flatMap(({ content }) => records(content).slice(1))).toEqual(others);
    }),
  );
});

test('a line of a part is known by its line in the file', () => {
  const file = 'name,"note\nof mine"\na,1\n"b\nb",2\nc,3\nd,4\n';
  const parts = splitCsv(Buffer.from(file), 36);
  const lines = file.split('\n');
  for (const { content, lineInFile } of parts) {
    for (const [i, text] of content.toString().split('\n').slice(0, -1).entries()) {
      expect(lines[lineInFile(i + 1) - 1]).toBe(text);
    }
  }
  expect(parts.length).toBeGreaterThan(1);
});

test('what stands before the header goes with it into each part', () => {
  const file = '\ufeffsep=;\r\n\r\nname;mac\r\na;1\nb;2\rc;3\r\n';
  const parts = splitCsv(Buffer.from(file), 29);
  const start = '\ufeffsep=;\r\n\r\nname;mac\r\n';
  expect(parts.map(({ content }) => content.toString())).toEqual(
    ['a;1\n', 'b;2\r', 'c;3\r\n'].map((row) => start + row),
  );
  expect(parts.map(({ lineInFile }) => [lineInFile(3), lineInFile(4)])).toEqual([
    [3, 4],
    [3, 5],
    [3, 6],
  ]);
});

test('a file without rows has no parts', () => {
  for (const file of ['', 'name,mac', 'name,mac\n']) expect(splitCsv(Buffer.from(file), 10)).toEqual([]);
});
