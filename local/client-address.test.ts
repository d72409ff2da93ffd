import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { range } from '../shared/network.ts';
import { clientAddress } from './client-address.ts';

function addressOf(remoteAddress: string, forwardedFor: string | undefined, ...trusted: string[]): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return clientAddress({ socket: { remoteAddress } as Socket, headers }, trusted.map(range));
}

test('without trusted proxies it is that of the connection, whatever a header says', () => {
  expect(addressOf('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7');
  expect(addressOf('192.0.2.7', '198.51.100.1', '10.0.0.0/8')).toBe('192.0.2.7');
});

test('a trusted proxy says whose request it passes on, and what the client claims before that does not count', () => {
  expect(addressOf('10.0.0.2', '198.51.100.1', '10.0.0.2')).toBe('198.51.100.1');
  expect(addressOf('::ffff:10.0.0.2', '198.51.100.1', '10.0.0.0/8')).toBe('198.51.100.1');
  expect(addressOf('10.0.0.2', '203.0.113.9, 198.51.100.1', '10.0.0.2')).toBe('198.51.100.1');
  expect(addressOf('10.0.0.2', '203.0.113.9, 198.51.100.1, 10.0.0.3', '10.0.0.0/24')).toBe('198.51.100.1');
  expect(addressOf('10.0.0.2', '2001:db8::1', '10.0.0.2')).toBe('2001:db8::1');
});

test('a trusted proxy that says nothing that is an address is the client itself', () => {
  for (const said of [undefined, '', 'unknown', '198.51.100.1, unknown']) {
    expect(addressOf('10.0.0.2', said, '10.0.0.2')).toBe('10.0.0.2');
  }
});
