import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { AgentHost } from '../../shared/agent/host.ts';
import { describeHost } from './describe.ts';

const entry = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

test('a host is described by its addresses that others can reach, IPv4 first, and its system by the name it goes by', () => {
  const interfaces = {
    lo: [entry('127.0.0.1', true)],
    eth0: [entry('fe80::1'), entry('2001:db8::9'), entry('192.168.1.9'), entry('192.168.1.9')],
    wlan0: [entry('169.254.3.4')],
  };
  const release = 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n';
  expect(describeHost(interfaces, release)).toMatchObject({
    addresses: ['192.168.1.9', '2001:db8::9'],
    platform: 'Debian GNU/Linux 12 (bookworm)',
  });
});

test('a host of any size fits into the message, and is the same at each call', () => {
  const many = { eth0: Array.from({ length: 300 }, (_, at) => entry(`10.0.${at >> 8}.${at & 255}`)) };
  const described = describeHost(many, `PRETTY_NAME=${'x'.repeat(500)}`);
  expect(AgentHost.parse(described)).toEqual(described);
  expect(describeHost(many)).toEqual(describeHost(many));
});
