import { expect, test } from 'vitest';
import { urlsForOthers } from './addresses.ts';

const OWN = {
  lo: [
    { address: '127.0.0.1', internal: true },
    { address: '::1', internal: true },
  ],
  docker0: [{ address: '172.17.0.1', internal: false }],
  eth0: [
    { address: 'fd00::5', internal: false },
    { address: 'fe80::1', internal: false },
    { address: '192.168.1.5', internal: false },
  ],
  tun0: [{ address: '10.8.0.2', internal: false }],
};

test.each([
  ['127.0.0.1', []],
  ['127.1.2.3', []],
  ['localhost', []],
  ['::1', []],
  ['0.0.0.0', ['http://192.168.1.5:8787', 'http://10.8.0.2:8787', 'http://172.17.0.1:8787']],
  ['::', ['http://192.168.1.5:8787', 'http://10.8.0.2:8787', 'http://[fd00::5]:8787', 'http://172.17.0.1:8787']],
  ['192.168.1.5', ['http://192.168.1.5:8787']],
  ['fd00::5', ['http://[fd00::5]:8787']],
  ['lan-host', ['http://lan-host:8787']],
])('other hosts reach a server that listens on %s under %j', (host, urls) => {
  expect(urlsForOthers(host, 8787, OWN)).toEqual(urls);
});
