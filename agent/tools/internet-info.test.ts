import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOOL_SETTINGS } from '../testing/tool-settings.ts';
import { infoLine, internetInfo, parseInternetInfo } from './internet-info.ts';
import { type ToolContext, ToolFailure } from './tool.ts';

test.each([
  ['ipinfo.io', { ip: '203.0.113.7', city: 'Reykjavík', country: 'IS', org: 'AS64500 Example' }],
  ['ifconfig.co', { ip: '203.0.113.7', city: 'Reykjavík', country: 'IS', asn_org: 'AS64500 Example' }],
  ['by code', { ip: '::ffff:203.0.113.7', city: 'Reykjavík', country: '', country_code: 'IS', org: 'AS64500 Example' }],
])('the answer of a service like %s', (_name, answer) => {
  expect(infoLine(parseInternetInfo(JSON.stringify(answer)))).toBe('203.0.113.7 Reykjavík, IS AS64500 Example');
});

test('what is not known is left out of the line', () => {
  const lineOf = (answer: object) => infoLine(parseInternetInfo(JSON.stringify({ ip: '2001:DB8::1', ...answer })));
  expect(lineOf({})).toBe('2001:db8::1');
  expect(lineOf({ country: 'IS' })).toBe('2001:db8::1 IS');
  expect(lineOf({ city: null, org: 'Example' })).toBe('2001:db8::1 Example');
});

test('fields of strangers become one clean line of bounded length', () => {
  const { city, organisation } = parseInternetInfo(
    JSON.stringify({ ip: '203.0.113.7', city: ' A\r\n\u001b[31mB\u202e\ud800C ', org: 'x'.repeat(5000) }),
  );
  expect(city).toBe('A [31mB C');
  expect(organisation).toHaveLength(200);
});

test.each([
  '',
  '  \n',
  '<html>',
  '[]',
  'null',
  '{}',
  '{"ip":7}',
  '{"ip":"1.2.3"}',
  '{"ip":"010.0.0.1"}',
  '{"ip":"1.2.3.4","city":[]}',
])('%j is no answer', (body) => expect(() => parseInternetInfo(body)).toThrow(ToolFailure));

test('no text breaks the parser, and the line never has a second line', () => {
  const answer = fc.record({
    ip: fc.constant('203.0.113.7'),
    city: fc.string({ unit: 'binary' }),
    org: fc.string({ unit: 'binary' }),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.json(),
        answer.map((value) => JSON.stringify(value)),
      ),
      (body) => {
        try {
          expect(infoLine(parseInternetInfo(body))).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      },
    ),
  );
});

test('an answer is kept for a while, a failure is not', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.end(requests === 1 ? '' : '{"ip":"203.0.113.7"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const context: ToolContext = {
    run: () => Promise.reject(new Error('starts no process')),
    signal: new AbortController().signal,
    onOutput: () => {},
    onProgress: () => {},
    settings: {
      ...TOOL_SETTINGS,
      internetInfoUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/json`,
    },
  };
  try {
    await expect(internetInfo({ tool: 'internetinfo' }, context)).rejects.toThrow('empty');
    for (let i = 0; i < 3; i++) {
      expect((await internetInfo({ tool: 'internetinfo' }, context)).output).toBe('203.0.113.7');
    }
    expect(requests).toBe(2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
