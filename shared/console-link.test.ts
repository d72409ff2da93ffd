import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consoleUrl, signInLink } from './console-link.ts';

test('the console is below the URL of the API', () => {
  expect(consoleUrl('https://example.org/lanreach')).toBe('https://example.org/lanreach/console/');
  expect(signInLink('http://127.0.0.1:8787', 'lr_0123.ab-_', 'home')).toBe(
    'http://127.0.0.1:8787/console/#token=lr_0123.ab-_&to=/sites/home/devices',
  );
});

/** Printable ASCII without the blank, as the command line accepts tokens. */
const token = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);

test('any token comes out of the fragment as it went in, and is nowhere else in the link', () => {
  fc.assert(
    fc.property(token, fc.option(fc.constantFrom('home', 'a-1'), { nil: undefined }), (secret, site) => {
      const { href, hash } = new URL(signInLink('http://[::1]:8787', secret, site));
      const fields = new URLSearchParams(hash.slice(1));
      expect(href.slice(0, -hash.length)).toBe('http://[::1]:8787/console/');
      expect(fields.get('token')).toBe(secret);
      expect(fields.get('to')).toBe(site === undefined ? null : `/sites/${site}/devices`);
    }),
  );
});
