/** An OpenID provider that lies: it speaks the protocol, and each test says in what it does not keep to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { closeServer, listenOnLoopback } from './loopback.ts';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** How one ID token is made. Absent members are as they should be. */
export interface Lies {
  /** Claims that take the place of the right ones. */
  claims?: JWTPayload;
  /** How it is signed. */
  signature?: 'none' | 'hmac-with-public-key' | 'other-key';
  /** What the token endpoint does instead of answering. */
  token?: 'hangs' | 'floods' | 'drips' | 'fails' | 'redirects';
  /** Members of the answer of /userinfo. */
  userInfo?: Record<string, unknown>;
  /** Members of its metadata. */
  metadata?: Record<string, unknown>;
}

export interface HostileProvider extends AsyncDisposable {
  issuer: string;
  lies: Lies;
  /**
   * What a browser brings back that was sent there; the token endpoint answers for this attempt from now on.
   * @param returned parameters that take the place of the right ones
   */
  visit(url: string, returned?: Record<string, string>): URLSearchParams;
  /** What the token endpoint was sent. */
  asked: { body: URLSearchParams; authorization: string | undefined }[];
  /** How many bytes it has sent of an answer that has no end. */
  sent(): number;
}

const HOUR_S = 3_600;
const FLOOD_BYTES = 100 * 1024 * 1024;
export const CLIENT_ID = 'lanreach';

export async function startHostileProvider(): Promise<HostileProvider> {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const publicKey = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' };
  let sent = 0;
  let nonce = '';

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`;

  const provider: HostileProvider = {
    issuer,
    lies: {},
    visit(url, returned = {}) {
      const asked = new URL(url).searchParams;
      nonce = asked.get('nonce') ?? '';
      return new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '', iss: issuer, ...returned });
    },
    asked: [],
    sent: () => sent,
    [Symbol.asyncDispose]: () => closeServer(server),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { lies } = provider;
    const send = (body: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (new URL(request.url ?? '/', issuer).pathname) {
      case '/.well-known/openid-configuration':
        return send({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/userinfo`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
          ...lies.metadata,
        });
      case '/keys':
        return send({ keys: [publicKey] });
      case '/userinfo':
        return send({ sub: lies.claims?.sub ?? 'ada', ...lies.userInfo });
      case '/token': {
        let body = '';
        for await (const chunk of request) body += chunk;
        provider.asked.push({ body: new URLSearchParams(body), authorization: request.headers.authorization });
        if (lies.token === 'hangs') return;
        if (lies.token === 'fails') return send({ error: 'invalid_grant', error_description: 'a secret' }, 400);
        if (lies.token === 'redirects') return void response.writeHead(302, { location: `${issuer}/keys` }).end();
        if (lies.token === 'floods') return stream(response, flood());
        if (lies.token === 'drips') return stream(response, drip());
        const idToken = await idTokenFor({ issuer, nonce, lies }, { own, other, publicKey });
        return send({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token: idToken });
      }
      default:
        return send({}, 404);
    }
  }

  /** Until there is no more, or the other side has had enough. */
  async function stream(response: ServerResponse, chunks: AsyncIterable<Buffer>): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(chunks, response).catch(() => {});
  }

  async function* flood(): AsyncGenerator<Buffer> {
    for (const blanks = Buffer.alloc(64 * 1024, ' '); sent < FLOOD_BYTES; sent += blanks.length) yield blanks;
  }

  return provider;
}

async function* drip(): AsyncGenerator<Buffer> {
  for (;;) {
    yield Buffer.from(' ');
    await setTimeout(20);
  }
}

async function idTokenFor(
  { issuer, nonce, lies }: { issuer: string; nonce: string; lies: Lies },
  { own, other, publicKey }: { own: Keys; other: Keys; publicKey: object },
): Promise<string> {
  const at = Math.floor(Date.now() / 1000);
  const usual = { iss: issuer, aud: CLIENT_ID, sub: 'ada', nonce, iat: at, exp: at + HOUR_S };
  const claims = { ...usual, ...lies.claims };
  if (lies.signature === 'none') return new UnsecuredJWT(claims).encode();
  const token = new SignJWT(claims);
  if (lies.signature === 'hmac-with-public-key') {
    const secret = Buffer.from(JSON.stringify(publicKey));
    return token.setProtectedHeader({ alg: 'HS256', kid: 'own' }).sign(secret);
  }
  const key = lies.signature === 'other-key' ? other : own;
  return token.setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(key.privateKey);
}
