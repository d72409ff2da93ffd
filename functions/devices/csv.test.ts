import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvRow, csvLines, parseCsv, untame, uploadedFile } from './csv.ts';

async function rowsOf(file: string | Uint8Array): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const batch of parseCsv(Buffer.from(file))) rows.push(...batch);
  return rows;
}

const asText = (columns: string[], rows: Record<string, string>[]) => [...csvLines(columns, rows)].join('');

test('lines end with CRLF, and only cells that need quotes have them', () => {
  const text = asText(['devName', 'devComments'], [{ devName: 'nas', devComments: 'a, "b"\nc' }]);
  expect(text).toBe('devName,devComments\r\nnas,"a, ""b""\nc"\r\n');
});

test('a cell with a line end of any kind is quoted: other programs end a row at a lone LF', () => {
  expect(asText(['a', 'b'], [{ a: 'x\ny', b: 'x\ry' }])).toBe('a,b\r\n"x\ny","x\ry"\r\n');
});

/** What stands in front of a sign unseen: blanks, line ends, and characters for control and format. */
const UNSEEN = [' ', '\t', '\n', '\r', '\u00a0', '\u200b', '\ufeff', '\u2060', '\u202e', '\u00ad', '\u3164', '\0'];

test('a cell that a spreadsheet would run is tamed, and comes back as it was', () => {
  const plain = ['=1+1', '+49 30', '-1', '@sum', '\tx', '\nx', '\rx', '＝1', "'=1", "''@x"];
  const hidden = UNSEEN.flatMap((unseen) => [`${unseen}=1`, `${unseen}${unseen}@x`, `'${unseen}=1`, ` ${unseen}-1`]);
  for (const cell of [...plain, ...hidden]) {
    const text = asText(['devName'], [{ devName: cell }]);
    expect(text.split('\r\n')[1]?.replace(/^"/, '')).toMatch(/^'/);
    expect(untame(`'${cell}`)).toBe(cell);
  }
  expect(untame("'quoted'")).toBe("'quoted'");
});

test('whatever the cells hold, a written file reads back the same', async () => {
  const cell = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[=+\-@'";,\r\n\t a]{0,6}$/),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...UNSEEN, '=', '@', "'", '＝', 'a') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ a: cell, b: cell }), { minLength: 1, maxLength: 8 }), async (rows) => {
      const [header, ...read] = await rowsOf(asText(['a', 'b'], rows));
      expect(header?.cells).toEqual(['a', 'b']);
      expect(read.map(({ cells }) => cells.map(untame))).toEqual(rows.map(({ a, b }) => [a, b]));
    }),
    { numRuns: 300 },
  );
});

test('a row has the number of the line on which it begins, whatever line ends the file has', async () => {
  for (const end of ['\n', '\r\n']) {
    const rows = await rowsOf(['a,b', '1,2', '', '"x', 'y",3', '4,5', ''].join(end));
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 4, 6]);
  }
});

test('a semicolon delimits where the first line has more of them', async () => {
  expect((await rowsOf('a;b\n1,5;2\n'))[1]?.cells).toEqual(['1,5', '2']);
});

test.each(['a,b\n"1,2\n', 'a,b\n1"x",2\n', 'a,b\n"1"x,2\n'])('broken quoting is refused: %j', async (text) => {
  await expect(rowsOf(text)).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('a byte order mark is no part of the first name', async () => {
  expect((await rowsOf('\uFEFFdevName\nx\n'))[0]?.cells).toEqual(['devName']);
});

test('rows are parsed as they are asked for, some at a time, and others have their turn in between', async () => {
  let turns = 0;
  let counting = true;
  const count = () => {
    turns++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const sizes: number[] = [];
  for await (const batch of parseCsv(Buffer.from(`name\n${'a\n'.repeat(50_000)}`))) sizes.push(batch.length);
  counting = false;
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(50_001);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_100);
  expect(turns).toBeGreaterThanOrEqual(24);

  const parsed = parseCsv(Buffer.from(`name\n${'a\n'.repeat(5_000)}"broken`));
  expect((await parsed.next()).value?.length).toBeGreaterThan(1_000);
  await parsed.return(undefined); // What is broken further down was not looked at.
});

test.each([
  ['a cell without end', 'a'.repeat(1_000_000)],
  ['characters NUL', '\0'.repeat(1_000_000)],
  ['a quote that is never closed', `a,b\n"${'x,y\n'.repeat(300_000)}`],
  ['cells without end', ','.repeat(1_000_000)],
  ['quotes', `"${'""'.repeat(500_000)}"`],
])('a row that is longer than any device is refused before all of it is parsed: %s', async (_, text) => {
  await expect(rowsOf(`name\n${text}`)).rejects.toMatchObject({
    code: 'malformed_csv',
    message: expect.stringMatching(/row on line \d is longer than 256 KB/),
  });
});

test('blank lines are no row, however many there are', async () => {
  expect((await rowsOf(`name\n${'\n'.repeat(400_000)}x\n`)).map(({ line }) => line)).toEqual([1, 400_002]);
});

test('the file of an import: a form, base64 with or without line breaks, or a clear refusal', () => {
  expect(Buffer.from(uploadedFile(null, 'ZGV2\r\nTmFt\nZQ==')).toString()).toBe('devName');
  expect(() => uploadedFile(null, 'ZGV2$')).toThrow(/content: expected base64/);
  expect(() => uploadedFile(Uint8Array.of(0xc3, 0x28), undefined)).toThrow(/UTF-8/);
  expect(() => uploadedFile(null, undefined)).toThrow(/form field "file"/);
});
