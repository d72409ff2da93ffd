import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LookupTarget, parseIp } from '../../shared/network.ts';
import { answerLines, isThisHost, resolve, reverseName, roundsOf, serverLines } from './nslookup.ts';

test.each([
  ['10.77.1.20', '20.1.77.10.in-addr.arpa'],
  ['::ffff:10.77.1.20', '20.1.77.10.in-addr.arpa'],
  ['fd77:1::70', '0.7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.7.7.d.f.ip6.arpa'],
  ['fe80::1%eth0', '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.e.f.ip6.arpa'],
])('%s is named under %s', (text, name) => {
  const address = parseIp(text);
  expect(address).not.toBeNull();
  if (address !== null) expect(reverseName(address)).toBe(name);
});

test.each([
  ['10.77.1.53', ['Server: 10.77.1.53', 'Address: 10.77.1.53#53', '']],
  ['10.77.1.53:5353', ['Server: 10.77.1.53', 'Address: 10.77.1.53#5353', '']],
  ['fd77:1::53', ['Server: fd77:1::53', 'Address: fd77:1::53#53', '']],
  ['[fd77:1::53]:5353', ['Server: fd77:1::53', 'Address: fd77:1::53#5353', '']],
])('the lines of server %s', (server, lines) => expect(serverLines(server)).toEqual(lines));

test.each([
  ['localhost', true],
  ['app.localhost', true],
  ['a.b.localhost', true],
  ['localhost.example.org', false],
  ['notlocalhost', false],
  ['localhost.localdomain', false],
  ['127.0.0.1', false],
])('%s means the host itself: %s', (query, expected) => expect(isThisHost(query)).toBe(expected));

test('names and addresses, each on a line', () => {
  expect(answerLines({ name: 'a.b', addresses: ['10.0.0.1', '10.0.0.2'], names: [] })).toEqual([
    'Name: a.b',
    'Address: 10.0.0.1',
    'Address: 10.0.0.2',
  ]);
  expect(answerLines({ name: '10.0.0.1', addresses: ['10.0.0.1'], names: ['a.b', 'c.d'] })).toEqual([
    'Name: a.b',
    'Name: c.d',
    'Address: 10.0.0.1',
  ]);
});

const nothing = async () => [];
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

test.each([
  ['a CNAME that points nowhere', 'ENODATA', nothing, nothing],
  ['one kind without a record', 'ENODATA', nothing, failing('ENODATA')],
  ['one kind for which the server fails', 'ESERVFAIL', nothing, failing('ESERVFAIL')],
])('%s is an answer: %s', async (_, code, resolve4, resolve6) => {
  const resolver = { resolve4, resolve6, resolvePtr: nothing };
  await expect(resolve(resolver, LookupTarget.parse('e.test'))).rejects.toMatchObject({ code });
  await expect(resolve(resolver, LookupTarget.parse('10.0.0.1'))).rejects.toMatchObject({ code: 'ENODATA' });
});

test('no server breaks its lines', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(serverLines(text)).toHaveLength(3);
    }),
  );
});

test('a slow name server has five seconds where it is the only one, and several share them', () => {
  expect(roundsOf(1)[1]).toBeGreaterThanOrEqual(5_000);
  for (const servers of [1, 2, 3]) {
    const wholeSeconds = roundsOf(servers).map((limitMs) => Math.ceil(limitMs / 1_000));
    expect(servers * wholeSeconds.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(12);
  }
});
