import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROW_ENDS } from '../../shared/csv.ts';
import { turnsDuring } from '../../test/support/event-loop.ts';
import { unescapeFormula } from '../http/csv-text.ts';
import { type CsvRow, csvLines, parseCsv, uploadedFile } from './csv.ts';

async function rowsOf(file: string | Uint8Array): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const batch of parseCsv(Buffer.from(file))) rows.push(...batch);
  return rows;
}

const asText = (columns: string[], rows: Record<string, string>[]) =>
  [...csvLines(columns, rows, (row) => row)].join('');

test('lines end with CRLF; cells that need quotes have them, as do those with a lone LF, which ends rows elsewhere', () => {
  const text = asText(['devName', 'devComments'], [{ devName: 'nas', devComments: 'a, "b"\nc' }]);
  expect(text).toBe('devName,devComments\r\nnas,"a, ""b""\nc"\r\n');
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
    expect(unescapeFormula(`'${cell}`)).toBe(cell);
  }
  expect(unescapeFormula("'quoted'")).toBe("'quoted'");
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
      expect(read.map(({ cells }) => cells.map(unescapeFormula))).toEqual(rows.map(({ a, b }) => [a, b]));
    }),
    { numRuns: 150 },
  );
});

test('a row has the number of its line, whatever stands in the rows before it, and however they end', async () => {
  /** By the places at which the rows end for the parser. */
  function linesOf(text: string): number[] {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true };
    const rows: unknown = parse(text, { ...options, record_delimiter: ROW_ENDS });
    const bytes = Buffer.from(text).toString('latin1'); // One character for each byte.
    let at = text.startsWith('\ufeff') ? 3 : 0;
    return (rows as { info: { bytes: number } }[]).map(({ info }) => {
      while (/[\r\n]/.test(bytes.charAt(at))) at++;
      const line = 1 + (bytes.slice(0, at).match(/\r\n|\r|\n/g)?.length ?? 0);
      at = info.bytes;
      return line;
    });
  }
  const cell = fc.stringMatching(/^(?:[ab]{0,2}|"(?:[a\r\n,]|""){0,3}")$/);
  const row = fc.array(cell, { minLength: 1, maxLength: 3 }).map((cells) => cells.join(','));
  const files = fc.array(fc.tuple(row, fc.constantFrom('\n', '\r\n', '\r', '\r\r\n')), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(files, fc.constantFrom('', '\ufeff'), async (rows, mark) => {
      const text = mark + rows.flat().join('');
      expect((await rowsOf(text)).map(({ line }) => line)).toEqual(linesOf(text));
    }),
    { numRuns: 150 },
  );
});

test('a row end of two bytes is one, also where the parts meet in which a file is parsed', async () => {
  for (let length = 4_090; length < 4_100; length++) {
    const rows = await rowsOf(`a,b\n${'x'.repeat(length - 4)},\r\n1,2\r\n`);
    expect([length, rows.length, rows[2]?.cells, rows[2]?.line]).toEqual([length, 3, ['1', '2'], 3]);
  }
});

test.each([
  ['sep=;\r\na;b\r\n1,5;2\r\n', 2],
  ['\ufeffSEP=;\na;b\n1,5;2\n', 2],
  ['"sep=;"\na;b\n1,5;2\n', 2],
  ['sep=;,,\ra;b\r1,5;2\r', 2],
  ['sep=\t\na\tb\n1,5\t2\n', 2],
  ['sep=|\n\na|b\n1,5|2\n', 3],
  ['sep=,\na,b\n"1,5",2\n', 2],
])('the line by which a spreadsheet names its delimiter is followed, and is no row: %j', async (text, line) => {
  expect(await rowsOf(text)).toEqual([
    { line, cells: ['a', 'b'] },
    { line: line + 1, cells: ['1,5', '2'] },
  ]);
});

test('a cell that keeps spreadsheets from reading a number is the text in it', async () => {
  const file = '="a",b\r\n="001E06","=""1,5"""\n="say ""x"", y",x="1"\n';
  await expect(rowsOf(file)).rejects.toMatchObject({ code: 'malformed_csv' }); // A quote inside of a cell is misplaced.
  const rows = await rowsOf(file.replace('x="1"', '=1'));
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['a', 'b'],
    ['001E06', '1,5'],
    ['say "x", y', '=1'],
  ]);
  expect((await rowsOf('sep=;\n="a";="b"\n'))[0]?.cells).toEqual(['a', 'b']);
});

test.each(['a,b\n"1,2\n', 'a,b\n1"x",2\n', 'a,b\n"1"x,2\n'])('broken quoting is refused: %j', async (text) => {
  await expect(rowsOf(text)).rejects.toMatchObject({ code: 'malformed_csv' });
});

test('rows are parsed as they are requested, some at a time, and other requests get a turn in between', async () => {
  const sizes: number[] = [];
  const turns = await turnsDuring(async () => {
    for await (const batch of parseCsv(Buffer.from(`name\n${'a\n'.repeat(50_000)}`))) sizes.push(batch.length);
  });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(50_001);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_100);
  expect(turns).toBeGreaterThanOrEqual(sizes.length / 2);

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

test('the file of an import: a form, base64 with or without line breaks, or a clear refusal', async () => {
  expect(Buffer.from(await uploadedFile(null, 'ZGV2\r\nTmFt\nZQ==')).toString()).toBe('devName');
  for (const wrong of ['ZGV2$', 'ZGV2T', 'ZGV2TmFtZQ==Z', 'ZGV2TmFtZQ==ZZ', '=', 'Z===', 'ZGV2TmFtZQ===']) {
    await expect(uploadedFile(null, wrong), wrong).rejects.toThrow(/content: expected base64/);
  }
  await expect(uploadedFile(Uint8Array.of(0xc3, 0x28), undefined)).rejects.toThrow(/not UTF-8/);
  const utf16 = Buffer.from('devName\nnas\n', 'utf16le');
  for (const file of [utf16, Buffer.concat([Buffer.of(0xff, 0xfe), utf16]), Buffer.from(utf16).swap16()]) {
    await expect(uploadedFile(file, undefined)).rejects.toThrow('The file is UTF-16 text; save it as "CSV UTF-8"');
  }
  await expect(uploadedFile(null, undefined)).rejects.toThrow(/form field "file"/);
});

test('base64 of any length, with blanks anywhere, gives the bytes that it stands for', async () => {
  const blank = fc.constantFrom('', '', '', '\n', ' ', '\r\n');
  await fc.assert(
    fc.asyncProperty(
      fc.string({ maxLength: 50 }),
      fc.nat(70_000),
      blank,
      fc.boolean(),
      async (text, more, gap, padded) => {
        const file = text + 'x'.repeat(more);
        const base64 = Buffer.from(file)
          .toString('base64')
          .replace(/=*$/, (padding) => (padded ? padding : ''));
        const content = base64.replace(/.{7}/g, `$&${gap}`);
        expect(Buffer.from(await uploadedFile(null, content)).toString()).toBe(file);
        if (more > 0) await expect(uploadedFile(null, `${content}=x`)).rejects.toThrow('expected base64');
      },
    ),
    { numRuns: 50 },
  );
});
