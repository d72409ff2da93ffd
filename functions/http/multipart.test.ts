import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFormField } from './multipart.ts';

const BOUNDARY = 'XX';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const END = `--${BOUNDARY}--\r\n`;

function part(disposition: string, content = 'the file', more = ''): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
}

function read(body: string, type = TYPE): string | null {
  const bytes = readFormField(Buffer.from(body), type, 'file');
  return bytes === null ? null : Buffer.from(bytes).toString();
}

test.each([
  ['a plain name', 'name="file"; filename="devices.csv"'],
  ['an escaped quote, as curl writes it', String.raw`name="file"; filename="a\"b.csv"`],
  ['an escaped quote and what looks like a name', String.raw`name="file"; filename="a\"; name=\"other"`],
  ['a quote in percent, as browsers write it', 'name="file"; filename="a%22b.csv"'],
  ['filename* alone (RFC 5987)', 'name="file"; filename*=UTF-8\'\'na%C3%AFve.csv'],
  ['both forms', 'name="file"; filename="naive.csv"; filename*=UTF-8\'\'na%C3%AFve.csv'],
  ['a filename* that is no such thing', 'name="file"; filename*=KOI9\'\'%E0%A4%A'],
  ['the file name first', 'filename="x.csv"; name="file"'],
  ['names without quotes', 'name=file; filename=x.csv'],
  ['a semicolon in the name', 'name="file"; filename="a;b.csv"'],
  ['a path of Windows', String.raw`name="file"; filename="C:\temp\a.csv"`],
  ['letters beyond ASCII', 'name="file"; filename="naïve ★.csv"'],
  ['a text field', 'name="file"'],
])('finds the field: %s', (_, disposition) => {
  expect(read(part(disposition) + END)).toBe('the file');
  expect(read(part('name="other"', 'another') + part(disposition) + END)).toBe('the file');
});

test('a form without the field, and an empty one, have no file', () => {
  expect(read(END)).toBeNull();
  expect(read(part('name="other"') + part('filename="file"') + END)).toBeNull();
  expect(read(part('name="file"; filename=""', '') + END)).toBe('');
});

test('of two files neither is dropped silently: the form is rejected, whatever their fields are called', () => {
  const one = part('name="file"; filename="a.csv"', 'one');
  for (const second of ['name="file"; filename="b.csv"', 'name="file"', 'name="more"; filename="b.csv"']) {
    expect(() => read(one + part(second, 'two') + END), second).toThrow('file: expected one file');
    expect(() => read(part(second, 'two') + one + END), second).toThrow('file: expected one file');
  }
  expect(read(`${one}${part('name="more"; filename=""', '')}${END}`)).toBe('one');
});

test('text behind the parts is passed over, and media types make no difference', () => {
  const csv = part('name="file"; filename="x"', 'the file', 'content-type: text/csv; charset=utf-16\r\n');
  expect(read(`${csv}${END}behind`)).toBe('the file');
});

test('whatever the file holds comes back byte for byte', () => {
  const text = fc.string({ unit: fc.constantFrom(...'\r\n-X"a'), maxLength: 40 });
  const content = fc.oneof(fc.uint8Array({ maxLength: 300 }), text.map(Buffer.from));
  fc.assert(
    fc.property(content, fc.boolean(), (bytes, isFile) => {
      fc.pre(
        !Buffer.from(bytes).includes(`\r\n--${BOUNDARY}`) &&
          !Buffer.from(bytes).subarray(0, 4).equals(Buffer.from('--XX')),
      );
      const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"${isFile ? '; filename="x"' : ''}\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n${END}`)]);
      expect(Buffer.from(readFormField(body, TYPE, 'file') ?? [])).toEqual(Buffer.from(bytes));
    }),
  );
});

const WHOLE = part('name="other"', 'x') + part('name="file"; filename="x"', 'a\r\nb') + END;

test('a form that breaks off is refused, wherever it does', () => {
  for (let length = 1; length < WHOLE.length - '--\r\n'.length; length++) {
    expect(() => read(WHOLE.slice(0, length)), String(length)).toThrow('well-formed');
  }
});

test('whatever a body holds, it is read or refused', () => {
  const words = [`--${BOUNDARY}`, '--', '\r\n', 'Content-Disposition: ', 'form-data; ', 'name="file"'];
  const pieces = fc.constantFrom(...words, ...'\n\r;"\\ x\0');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (some) => {
      try {
        read(some.join(''));
      } catch (error) {
        expect(error).toMatchObject({ code: 'validation_failed' });
      }
    }),
    { numRuns: 200 },
  );
});

test.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="YY"'])(
  'without the right boundary there is no form: %s',
  (type) => {
    expect(() => read(WHOLE, type)).toThrow('well-formed');
  },
);

test('a form of very many fields is refused', () => {
  expect(() => read(part('name="x"').repeat(21) + END)).toThrow('at most 20 fields');
  expect(() => read(`--${BOUNDARY}\r\n\r\n\r\n`.repeat(500_000) + END)).toThrow('at most 20 fields');
});
