import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, parseMailAddress, parseMailto } from './mail-address.ts';

test.each([
  ['me@example.org', 'me@example.org'],
  ['Me.Too+lan=1@Example.ORG', 'Me.Too+lan=1@example.org'],
  ["o'neil@sub.example.co.uk", "o'neil@sub.example.co.uk"],
  ['ich@bücher.example', 'ich@xn--bcher-kva.example'],
])('%s is an address', (text, expected) => {
  expect(parseMailAddress(text)).toBe(expected);
  expect(parseMailto(`MailTo:${text}`)).toBe(`mailto:${expected}`);
});

test.each([
  ...['', 'me', '@example.org', 'me@', 'me@localhost', 'a@b@example.org', 'me@example.org,you@example.org'],
  ...['me@example.org <you@example.org>', 'me@example.org\r\nRCPT TO:<you@example.org>', '"a b"@example.org'],
  ...['a%you@example.org', 'host!me@example.org', '.me@example.org', 'me.@example.org', 'm..e@example.org'],
  ...['-oQ/tmp@example.org', 'me@-example.org', 'me@example.org.', 'me@127.0.0.1', 'me@[127.0.0.1]', 'me@exam ple.org'],
  ...[
    'me@bü/../x.example',
    'me@example.org?cc=you@example.org',
    `${'m'.repeat(65)}@example.org`,
    `m@${'a.'.repeat(125)}org`,
  ],
])('%j is none', (text) => {
  expect(parseMailAddress(text)).toBeNull();
  expect(parseMailto(`mailto:${text}`)).toBeNull();
});

test('whatever passes is one address of harmless characters, and stays as it is', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[\w.+@<>,;:"'\r\n %!-]{0,12}$/),
    fc.emailAddress(),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        part,
        fc.tuple(part, part).map((both) => both.join('@')),
      ),
      (text) => {
        const address = parseMailAddress(text);
        if (address === null) return;
        expect(address).toMatch(/^[\w.+='~&-]+@[a-z0-9.-]+$/);
        expect([parseMailAddress(address), addressOf(`mailto:${address}`)]).toEqual([address, address]);
      },
    ),
    { numRuns: 2_000 },
  );
});
