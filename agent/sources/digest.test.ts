import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authorizationOf, type Challenge, parseChallenge } from './digest.ts';

test('the examples of RFC 7616, section 3.9.1', () => {
  const challenge = {
    realm: 'http-auth@example.org',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
    hasQop: true,
  };
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
  const responseBy = (algorithm: Challenge['algorithm']) => {
    const login = { user: 'Mufasa', password: 'Circle of Life' };
    const target = { method: 'GET', uri: '/dir/index.html' };
    return /response="(\w+)"/.exec(authorizationOf({ ...challenge, algorithm }, login, target, 1, cnonce))?.[1];
  };
  expect(responseBy('MD5')).toBe('8ca523f5e9506fed4657c9700eebdbec');
  expect(responseBy('SHA-256')).toBe('753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1');
});

test('of several challenges the first that can be met', () => {
  const bad = 'Basic realm="a, Digest realm=\\"x\\"", Digest realm="b", nonce="1", algorithm=SHA-512-256, qop="auth"';
  const good = 'Digest realm="c\\"d", nonce="2", algorithm=MD5, qop="auth-int,auth", stale=false, Basic realm="e"';
  const expected = { realm: 'c"d', nonce: '2', opaque: undefined, algorithm: 'MD5', hasQop: true };
  expect(parseChallenge(`${bad}, ${good}`)).toEqual(expected);
  expect(parseChallenge('digest REALM=x,nonce=y')).toMatchObject({ realm: 'x', nonce: 'y', hasQop: false });
  for (const none of ['', 'Basic realm="x"', 'Digest realm="x"', 'Digest nonce="x", realm="y", qop="auth-int"']) {
    expect(parseChallenge(none)).toBeNull();
  }
});

test('any challenge comes back as it was, whatever its texts hold; other text is none', () => {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const texts = fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)) });
  fc.assert(
    fc.property(texts, texts, (realm, nonce) => {
      const header = `Negotiate, Digest qop="auth", realm=${quoted(realm)}, nonce=${quoted(nonce)}, algorithm=MD5`;
      expect(parseChallenge(header)).toMatchObject({ realm, nonce });
    }),
  );
  fc.assert(fc.property(fc.string({ maxLength: 5_000 }), (text) => void parseChallenge(text)));
  // Backtracking would take forever.
  for (const each of ['a', 'a ', 'a=', '"\\', 'a="', 'Digest a=b, ']) parseChallenge(each.repeat(4_000));
});
