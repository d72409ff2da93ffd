import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLoopback as isLoopbackForCli } from '../../../cli/client/loopback.ts';
import { isLoopback } from '../../api/base-address.ts';
import { parseApiUrl } from './api-url.ts';

const Host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.constantFrom('localhost', '127.0.0.1', '127.1.2.3', '[::1]', '[::]', '0.0.0.0'),
);
const ApiUrl = fc
  .tuple(fc.constantFrom('http', 'https'), Host, fc.integer({ min: 1, max: 65_535 }), fc.webPath())
  .map(([scheme, host, port, path]) => `${scheme}://${host}:${port}${path}`);

test('any URL is taken as the command line takes it, without a slash at its end', () => {
  fc.assert(
    fc.property(ApiUrl, (text) => {
      const url = parseApiUrl(text);
      if (url === null) throw new Error(`refused: ${text}`);
      expect(isLoopback(url)).toBe(isLoopbackForCli(url));
      expect(url.endsWith('/')).toBe(false);
      expect(parseApiUrl(url)).toBe(url);
    }),
  );
});

test('what is no URL of an API is refused, whatever it would do in a shell', () => {
  for (const text of ['', 'lanreach.example.com', 'ftp://h', 'javascript:alert(1)', 'http://u:p@h', '; rm -rf /']) {
    expect([text, parseApiUrl(text)]).toEqual([text, null]);
  }
  expect(parseApiUrl(' http://h:8787/api/?x=1#y ')).toBe('http://h:8787/api');
});
