import { createServer } from 'node:http';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { TOOL_CONTEXT, TOOL_SETTINGS } from '../../test/support/agent/tool-settings.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { createInternetInfo, infoLine, parseInternetInfo } from './internet-info.ts';

afterEach(() => void vi.useRealTimers());

test.each([
  ['ipinfo.io', { ip: '203.0.113.7', city: 'Reykjavík', country: 'IS', org: 'AS64500 Example' }],
  ['ifconfig.co', { ip: '203.0.113.7', city: 'Reykjavík', country: 'IS', asn_org: 'AS64500 Example' }],
  ['by code', { ip: '::ffff:203.0.113.7', city: 'Reykjavík', country: '', country_code: 'IS', org: 'AS64500 Example' }],
])('the answer of a service like %s', (_name, answer) => {
  expect(infoLine(parseInternetInfo(JSON.stringify(answer)))).toBe('203.0.113.7 Reykjavík, IS AS64500 Example');
});

test.each(['', '  \n', '<html>', '[]', 'null', '{}', '{"ip":7}', '{"ip":"1.2.3"}', '{"ip":"010.0.0.1"}'])(
  '%j is no answer',
  (body) => expect(() => parseInternetInfo(body)).toThrow(ToolFailure),
);

test('a byte order mark, and a field that is not needed of another type, cost nothing; a fault names its field', () => {
  const answer = { ip: ' 203.0.113.7\n', city: ['Oslo'], country: { code: 'NO' }, country_iso: 'NO', org: null };
  expect(infoLine(parseInternetInfo(`\uFEFF${JSON.stringify(answer)}`))).toBe('203.0.113.7 NO');
  for (const ip of [undefined, null, 7, {}, '', 'here'])
    expect(() => parseInternetInfo(JSON.stringify({ ip, city: 'Oslo' }))).toThrow('the field "ip" of its answer');
  expect(() => parseInternetInfo('<html>')).toThrow('no JSON object');
});

test('no text breaks the parser, and the line never has a second line', () => {
  const text = fc.string({ unit: 'binary' });
  const answer = fc.record({ ip: fc.constant('203.0.113.7'), city: text, org: text }).map((all) => JSON.stringify(all));
  fc.assert(
    fc.property(fc.oneof(text, fc.json(), answer), (body) => {
      try {
        expect(infoLine(parseInternetInfo(body))).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      } catch (error) {
        expect(error).toBeInstanceOf(ToolFailure);
      }
    }),
  );
});

/** A service that counts requests and numbers its answers; the first one is empty. */
async function startService() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.end(requests === 1 ? '' : `{"ip":"203.0.113.${requests}"}`);
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/json`,
    requests: () => requests,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

const ask = (tool: ReturnType<typeof createInternetInfo>, internetInfoUrl: string | null) =>
  tool({ ...TOOL_CONTEXT, settings: { ...TOOL_SETTINGS, internetInfoUrl } });

test('an answer of a public service is given again for a minute, with its time; a failure is not', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: new Date('2026-01-01T12:00:00Z') });
  await using service = await startService();
  const tool = createInternetInfo([service.url]);
  await expect(ask(tool, null)).rejects.toThrow('empty');
  const first = await ask(tool, null);
  const result = { ip: '203.0.113.2', at: '2026-01-01T12:00:00.000Z' };
  expect(first).toMatchObject({ output: '203.0.113.2\n', result });
  vi.advanceTimersByTime(59_999);
  expect(await ask(tool, null)).toEqual(first);
  expect(service.requests()).toBe(2);
  vi.advanceTimersByTime(1);
  expect((await ask(tool, null)).result).toMatchObject({ ip: '203.0.113.3', at: '2026-01-01T12:01:00.000Z' });
});

test('a configured service is queried every time', async () => {
  await using service = await startService();
  await expect(ask(createInternetInfo([]), service.url)).rejects.toThrow('empty');
  for (const ip of ['203.0.113.2', '203.0.113.3'])
    expect((await ask(createInternetInfo([]), service.url)).result.ip).toBe(ip);
});
