/** HTTP digest authentication (RFC 7616) with MD5 or SHA-256, with `qop=auth` or, as RFC 2069 had it, without. */
import { createHash, randomBytes } from 'node:crypto';
import type { SourceHttpAnswer, SourceHttpRequest, SourceRequest } from './source.ts';

export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: 'MD5' | 'SHA-256';
  hasQop: boolean;
}

/** A scheme before the first of its parameters, then a parameter: `Digest realm="x", nonce="y", qop="auth,auth-int"`. */
const PARAMETER = /(?<![\w-])(?:([\w-]+) +)?([\w-]+) *= *(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

/** The first challenge in a `WWW-Authenticate` that this file can meet; null without one. Never throws. */
export function parseChallenge(header: string): Challenge | null {
  const all: { scheme: string; values: Map<string, string> }[] = [];
  for (const [, scheme, name = '', quoted, token = ''] of header.matchAll(PARAMETER)) {
    if (scheme !== undefined) all.push({ scheme: scheme.toLowerCase(), values: new Map() });
    all.at(-1)?.values.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
  }
  for (const { scheme, values } of all) {
    const [realm, nonce] = [values.get('realm'), values.get('nonce')];
    const algorithm = (values.get('algorithm') ?? 'MD5').toUpperCase();
    const qop = values
      .get('qop')
      ?.toLowerCase()
      .split(/[\s,]+/);
    if (scheme !== 'digest' || realm === undefined || nonce === undefined) continue;
    if ((algorithm !== 'MD5' && algorithm !== 'SHA-256') || qop?.includes('auth') === false) continue;
    return { realm, nonce, opaque: values.get('opaque'), algorithm, hasQop: qop !== undefined };
  }
  return null;
}

/** The `Authorization` that meets a challenge. @param count of requests with this nonce, from 1 */
export function authorizationOf(
  challenge: Challenge,
  { user, password }: { user: string; password: string },
  { method, uri }: { method: string; uri: string },
  count: number,
  cnonce = randomBytes(8).toString('hex'),
): string {
  const { realm, nonce, opaque, algorithm, hasQop } = challenge;
  const digest = (...parts: string[]) => createHash(algorithm).update(parts.join(':')).digest('hex');
  const nc = count.toString(16).padStart(8, '0');
  const used = hasQop ? [nonce, nc, cnonce, 'auth'] : [nonce];
  const response = digest(digest(user, realm, password), ...used, digest(method, uri));
  const quoted = { username: user, realm, nonce, uri, response, ...(opaque === undefined ? {} : { opaque }) };
  const texts = Object.entries(quoted).map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`);
  const tokens = [`algorithm=${algorithm}`, ...(hasQop ? ['qop=auth', `nc=${nc}`, `cnonce="${cnonce}"`] : [])];
  // Headers of Node.js hold bytes as Latin-1: a user name with an umlaut goes out in UTF-8, as it is hashed.
  return Buffer.from(`Digest ${[...texts, ...tokens].join(', ')}`).toString('latin1');
}

/** A way to send requests that meets challenges: after 401 once more, with the new nonce. */
export function withDigest(request: SourceRequest, login: { user: string; password: string }) {
  let challenge: Challenge | null = null;
  let count = 0;
  const send = (options: SourceHttpRequest) => {
    if (challenge === null) return request.http(options);
    const { pathname, search } = new URL(options.url);
    const target = { method: options.method ?? 'GET', uri: pathname + search };
    const authorization = authorizationOf(challenge, login, target, ++count);
    return request.http({ ...options, headers: { ...options.headers, authorization } });
  };
  return async (options: SourceHttpRequest): Promise<SourceHttpAnswer> => {
    const answer = await send(options);
    const next = answer.status === 401 ? parseChallenge(answer.headers['www-authenticate'] ?? '') : null;
    if (next === null) return answer;
    challenge = next;
    count = 0;
    return send(options);
  };
}
