import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

const body = fc.uint8Array({ maxLength: 300 });
const name = fc.stringMatching(/^X-[A-Za-z]{1,12}$/);
const headers = fc.dictionary(name, fc.stringMatching(/^[\x21-\x7e]{0,40}$/), { maxKeys: 4 });

/** An answer as a server may send it, and what has to be read of it. */
const answer = fc.oneof(
  fc.record({ headers, body }).map(({ headers, body }) => ({
    bytes: Buffer.concat([head(200, { ...headers, 'content-LENGTH': String(body.length) }), body]),
    read: { status: 200, bodyBytes: body.length },
  })),
  fc
    .record({ headers, chunks: fc.array(body, { maxLength: 4 }), trailer: headers })
    .map(({ headers, chunks, trailer }) => {
      const full = chunks.filter(({ length }) => length > 0);
      const pieces = full.map((chunk) => [
        Buffer.from(`${chunk.length.toString(16)};x=y\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ]);
      const end = Buffer.from(`0\r\n${lines(trailer)}\r\n`);
      return {
        bytes: Buffer.concat([head(503, { ...headers, 'Transfer-Encoding': 'chunked' }), ...pieces.flat(), end]),
        read: { status: 503, bodyBytes: full.reduce((sum, { length }) => sum + length, 0) },
      };
    }),
  fc.constantFrom(204, 304).map((status) => ({ bytes: head(status, { ETag: '"1"' }), read: { status, bodyBytes: 0 } })),
  fc.constant({
    bytes: Buffer.concat([head(100, {}), head(200, { 'Content-Length': '0' })]),
    read: { status: 200, bodyBytes: 0 },
  }),
);

function head(status: number, headers: Record<string, string>): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} Some reason\r\n${lines(headers)}\r\n`);
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function readAll(pieces: readonly Buffer[]): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  const reader = new AnswerReader((answer) => answers.push(answer));
  for (const piece of pieces) reader.read(piece);
  return answers;
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}

test('answers are found wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(), { maxLength: 30 }), (all, at) => {
      const bytes = Buffer.concat(all.map(({ bytes }) => bytes));
      expect(readAll(cut(bytes, at))).toEqual(all.map(({ read }) => read));
    }),
  );
});

test('any bytes are read or refused, and no more than 16 KB of them are kept', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readAll([head(200, { 'Transfer-Encoding': 'chunked' }), Buffer.from(bytes)]);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
  expect(() => readAll([Buffer.alloc(20_000, 'a')])).toThrow('The head is too long');
  expect(() => readAll(Array.from({ length: 200 }, () => Buffer.alloc(100, 'a')))).toThrow('The head is too long');
});

test.each([
  ['another protocol', 'SSH-2.0-x\r\n\r\n', 'Expected an HTTP/1.1 answer'],
  ['a body that the end of the connection ends', 'HTTP/1.1 200 OK\r\n\r\n', 'neither a Content-Length nor chunks'],
  ['a size that is no number', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\n', 'size of a chunk'],
  [
    'a chunk that does not end',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
    'longer than its size',
  ],
])('%s is refused', (_, text, message) => {
  expect(() => readAll([Buffer.from(text)])).toThrow(message);
});
