import { expect, test } from 'vitest';
import { urlsForOthers } from './addresses.ts';

const OWN = [
  { address: '127.0.0.1', family: 'IPv4', internal: true },
  { address: '::1', family: 'IPv6', internal: true },
  { address: 'fd00::5', family: 'IPv6', internal: false },
  { address: 'fe80::1', family: 'IPv6', internal: false },
  { address: '192.168.1.5', family: 'IPv4', internal: false },
  { address: '10.8.0.2', family: 'IPv4', internal: false },
];

test.each([
  ['127.0.0.1', []],
  ['127.1.2.3', []],
  ['localhost', []],
  ['::1', []],
  ['0.0.0.0', ['http://192.168.1.5:8787', 'http://10.8.0.2:8787']],
  ['::', ['http://192.168.1.5:8787', 'http://10.8.0.2:8787', 'http://[fd00::5]:8787']],
  ['192.168.1.5', ['http://192.168.1.5:8787']],
  ['fd00::5', ['http://[fd00::5]:8787']],
  ['lan-host', ['http://lan-host:8787']],
])('other hosts reach a server that listens on %s under %j', (host, urls) => {
  expect(urlsForOthers(host, 8787, OWN)).toEqual(urls);
});
