import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { range } from '../shared/network.ts';
import { clientAddress } from './client-address.ts';

test.each([
  // Without trusted proxies it is that of the connection, whatever a header says.
  ['192.0.2.7', '198.51.100.1', undefined, '192.0.2.7'],
  ['192.0.2.7', '198.51.100.1', '10.0.0.0/8', '192.0.2.7'],
  // A trusted proxy says whose request it passes on, and what the client claims before that does not count.
  ['10.0.0.2', '198.51.100.1', '10.0.0.2', '198.51.100.1'],
  ['::ffff:10.0.0.2', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
  ['10.0.0.2', '203.0.113.9, 198.51.100.1', '10.0.0.2', '198.51.100.1'],
  ['10.0.0.2', '203.0.113.9, 198.51.100.1, 10.0.0.3', '10.0.0.0/24', '198.51.100.1'],
  ['10.0.0.2', '2001:db8::1', '10.0.0.2', '2001:db8::1'],
  // One that says nothing that is an address is the client itself.
  ...[undefined, '', 'unknown', '198.51.100.1, unknown'].map((said) => ['10.0.0.2', said, '10.0.0.2', '10.0.0.2']),
])('from %s, forwarded for %s, with the trusted proxy %s: it is %s', (remoteAddress, forwardedFor, trusted, is) => {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const proxies = trusted === undefined ? [] : [range(trusted)];
  expect(clientAddress({ socket: { remoteAddress } as Socket, headers }, proxies)).toBe(is);
});
