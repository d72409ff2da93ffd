import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientOf, mayRedirect, registeredClient } from './client-id.ts';

const place = fc.record({
  host: fc.constantFrom(
    'http://127.0.0.1',
    'http://[::1]',
    'http://localhost',
    'https://a.example',
    'https://b.example',
  ),
  port: fc.integer({ min: 1, max: 65_535 }),
  path: fc.webPath().map((path) => (path === '' ? '/' : path)),
});
const textOf = ({ host, port, path }: typeof place extends fc.Arbitrary<infer Place> ? Place : never) =>
  `${host}:${port}${path}`;
const uri = place.map(textOf);

test('an id says all of its client, and nothing else is an id', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.array(uri, { minLength: 1, maxLength: 3 }),
      (name, uris) => {
        const client = registeredClient({ client_name: name, redirect_uris: uris });
        expect(clientOf(client.id)).toEqual(client);
        expect(client.name).not.toBe('');
        for (const one of uris) expect(mayRedirect(client, one)).toBe(true);
        // Another spelling of the same, as the base64 of other programs.
        expect(clientOf(`${client.id}=`)).toBeNull();
      },
    ),
  );
  fc.assert(fc.property(fc.string(), (text) => clientOf(`lrc_${text}`) === null));
});

test('answers go nowhere but to what is registered; on the loopback interface the port is free', () => {
  fc.assert(
    fc.property(place, place, fc.string({ minLength: 1, maxLength: 5 }), (registered, other, more) => {
      const client = registeredClient({ redirect_uris: [textOf(registered)] });
      const isSame = registered.host === other.host && registered.path === other.path;
      const isFree = other.host.startsWith('http://') || registered.port === other.port;
      expect(mayRedirect(client, textOf(other))).toBe(isSame && isFree);
      expect(mayRedirect(client, textOf({ ...registered, port: other.port }))).toBe(
        registered.host.startsWith('http://') || registered.port === other.port,
      );
      expect(mayRedirect(client, textOf(registered) + more)).toBe(false);
    }),
  );
});

test.each([
  ['http://127.0.0.1:80@evil.example/'],
  ['http://127.0.0.1:8080\\@evil.example/'],
  ['http://localhost.evil.example/'],
  ['http://127.0.0.1/\n'],
  ['http://127.1/'],
  ['//evil.example/'],
])('a client cannot register %j', (one) => {
  expect(() => registeredClient({ redirect_uris: [one] })).toThrow();
});

test('a name is shown as a person reads it', () => {
  const nameOf = (client_name: string) => registeredClient({ client_name, redirect_uris: ['https://a.example/'] }).name;
  expect(nameOf('Cl\u200baude\u202e\r\n\u0007')).toBe('Claude \ufffd');
  expect(nameOf('\u200b')).toBe('a.example');
});
