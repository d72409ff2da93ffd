import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLines, parseCsv, untame, uploadedText } from './csv.ts';

const asText = (columns: string[], rows: Record<string, string>[]) => [...csvLines(columns, rows)].join('');

test('lines end with CRLF, and only cells that need quotes have them', () => {
  const text = asText(['devName', 'devComments'], [{ devName: 'nas', devComments: 'a, "b"\nc' }]);
  expect(text).toBe('devName,devComments\r\nnas,"a, ""b""\nc"\r\n');
});

test('a cell that a spreadsheet would run is tamed, and comes back as it was', () => {
  for (const cell of ['=1+1', '+49 30', '-1', '@sum', '\tx', '\rx', '＝1', "'=1", "''@x"]) {
    const text = asText(['devName'], [{ devName: cell }]);
    expect(text.split('\r\n')[1]?.replace(/^"/, '')).toMatch(/^'/);
    expect(untame(`'${cell}`)).toBe(cell);
  }
  expect(untame("'quoted'")).toBe("'quoted'");
});

test('whatever the cells hold, a written file reads back the same', async () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[=+\-@'";,\r\n\t a]{0,6}$/), fc.string({ unit: 'grapheme' }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1, maxLength: 8 }), async (rows) => {
      const [header, ...read] = await parseCsv(asText(['a', 'b'], rows));
      expect(header?.cells).toEqual(['a', 'b']);
      expect(read.map(({ cells }) => cells.map(untame))).toEqual(rows.map(({ a, b }) => [a, b]));
    }),
    { numRuns: 300 },
  );
});

test('a row has the number of the line on which it begins, whatever line ends the file has', async () => {
  for (const end of ['\n', '\r\n']) {
    const rows = await parseCsv(['a,b', '1,2', '', '"x', 'y",3', '4,5', ''].join(end));
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 4, 6]);
  }
});

test('a semicolon delimits where the first line has more of them', async () => {
  expect((await parseCsv('a;b\n1,5;2\n'))[1]?.cells).toEqual(['1,5', '2']);
});

test.each(['a,b\n"1,2\n', 'a,b\n1"x",2\n', 'a,b\n"1"x,2\n'])('broken quoting is refused: %j', async (text) => {
  await expect(parseCsv(text)).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('a byte order mark is no part of the first name', async () => {
  const text = uploadedText(Buffer.from('\uFEFFdevName\nx\n'), undefined);
  expect((await parseCsv(text))[0]?.cells).toEqual(['devName']);
});

test('the text of an import: a file, base64 with or without line breaks, or a clear refusal', () => {
  expect(uploadedText(null, 'ZGV2\r\nTmFt\nZQ==')).toBe('devName');
  expect(() => uploadedText(null, 'ZGV2$')).toThrow(/content: expected base64/);
  expect(() => uploadedText(Uint8Array.of(0xc3, 0x28), undefined)).toThrow(/UTF-8/);
  expect(() => uploadedText(null, undefined)).toThrow(/form field "file"/);
});
