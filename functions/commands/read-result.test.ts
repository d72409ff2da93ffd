import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION, Result } from '../../shared/agent/messages.ts';
import { MAX_RESULT_BYTES } from '../../shared/agent/wire.ts';
import { TOOLS } from '../../shared/tools/list.ts';
import { parseToolResult } from '../../shared/tools/parse-result.ts';
import { ENDED } from '../../test/support/made-up-result.ts';
import { readResult } from './read-result.ts';

const ID = 'home.01890000-0000-7000-8000-000000000001';
const HEADER = `${JSON.stringify({ v: PROTOCOL_VERSION, t: 'result', id: ID })}\n`;
const BODY = { ...ENDED, output: 'done\n' };
const INFO = { ip: '192.0.2.1', city: 'Here', country: 'XX', organisation: 'None', at: '2026-01-01T12:00:00.000Z' };

const payload = (body: Uint8Array) => Buffer.concat([Buffer.from(HEADER), body]);
const packed = (body: unknown) => payload(gzipSync(JSON.stringify(body)));
const read = (bytes: Uint8Array) => readResult(bytes, { tool: 'internetinfo', createdAt: 1 });

test('the result of a tool is accepted unchanged, without unknown fields', () => {
  const result = read(packed({ ...BODY, result: { ...INFO, extra: 1 }, more: 2, id: 'another' }));
  expect(result).toEqual({ ...BODY, result: INFO });
});

test.each([
  ['is not compressed', payload(Buffer.from(JSON.stringify(BODY))), 'incorrect header check'],
  ['is cut off', packed(BODY).subarray(0, -9), 'unexpected end of file'],
  ['unpacks to too much', payload(gzipSync(Buffer.alloc(MAX_RESULT_BYTES + 1))), 'larger than 2097152 bytes'],
  ['is no JSON', payload(gzipSync('<html>')), 'it is not JSON'],
  ['is nested a million levels deep', payload(gzipSync('['.repeat(1_000_000) + ']'.repeat(1_000_000))), 'object'],
  ['has no state', packed({ ...BODY, state: undefined }), 'state: '],
  ['ended later than any date', packed({ ...BODY, endedAt: 9_007_199_254_740_991 }), 'endedAt: '],
  ['ended before there were dates', packed({ ...BODY, endedAt: -1 }), 'endedAt: '],
  ['is one of another tool', packed({ ...BODY, result: { hosts: [] } }), 'result.ip: expected string'],
  ['is a text', packed({ ...BODY, result: 'text' }), 'result: expected object'],
  ['has no result of the tool', packed({ ...BODY, result: undefined }), 'result: '],
])('a result that %s is malformed, and says why', (_, bytes, problem) => {
  const { message, ...ended } = read(bytes);
  expect(ended).toMatchObject({ state: 'failed', reason: 'malformed_result', result: null });
  expect(message).toMatch(/^The agent sent a result that cannot be read: /);
  expect(message).toContain(problem);
});

test('where only what the output means is malformed, the output is kept', () => {
  expect(read(packed({ ...BODY, result: [] })).output).toBe('done\n');
});

test('what an agent says to people is one line of at most 1,000 characters, steers no terminal, and hides nothing', () => {
  const failed = { ...BODY, state: 'failed', reason: 'tool_failed' };
  const messageOf = (message: string) => read(packed({ ...failed, message })).message;
  const long = messageOf('\x1b[2J\r\nx'.repeat(9_000));
  expect(long).toHaveLength(1_000);
  expect(long).toMatch(/^\ufffd\[2J x\P{Cc}*$/u);
  expect(messageOf('no route\u{e0063}\u{e0061}\u200b to it\u3164')).toBe('no route to it');
  const hostile = { ...BODY, result: { '\x1b[2J': 1 } };
  const named = readResult(packed(hostile), { tool: 'interfaces', createdAt: 1 }).message;
  expect(named).toContain('result.\ufffd[2J: expected object');
});

test('whatever an agent sends becomes a result that can be stored', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant('x'.repeat(2_000)));
  const body = fc.record(Object.fromEntries(Object.keys(BODY).map((name) => [name, value])), { requiredKeys: [] });
  const bytes = fc.oneof(
    fc.uint8Array().map(payload),
    body.map((changes) => packed({ ...BODY, ...changes })),
    fc.uint8Array(),
  );
  fc.assert(
    fc.property(bytes, fc.constantFrom(...TOOLS), (sent, tool) => {
      const result = readResult(sent, { tool, createdAt: 1 });
      const message = { v: PROTOCOL_VERSION, t: 'result', id: ID, ...result };
      expect(Result.parse(message)).toEqual(message);
      expect(result.message?.length ?? 0).toBeLessThanOrEqual(1_000);
      expect(parseToolResult(tool, result.result)).toEqual(result.result);
      expect(() => new Date(result.endedAt).toISOString()).not.toThrow();
    }),
  );
});
