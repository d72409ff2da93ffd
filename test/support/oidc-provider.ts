/** A real OpenID provider on loopback, with a page where whoever types the name of an account is signed in. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { interactionPolicy, type JWK, Provider } from 'oidc-provider';
import { closeServer, listenOnLoopback } from './loopback.ts';

/** The claims of each account, by its name. */
export type Accounts = Record<string, Record<string, unknown>>;

export interface OidcProvider extends AsyncDisposable {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** May be changed: what is there counts at the next sign-in. */
  accounts: Accounts;
  /**
   * Goes to a page as the browser of a person who signs in at once, and follows until the provider sends them back.
   * @returns where it sends them
   */
  visit(url: string, account: string): Promise<URL>;
}

const HOUR_S = 3_600;
const CLIENT = { id: 'lanreach', secret: 'a-secret-of-the-tests-with-many-letters' };

export async function startOidcProvider(accounts: Accounts): Promise<OidcProvider> {
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' } as JWK;
  const policy = interactionPolicy.base();
  // Programs of the same host are to be agreed to each time; ours is none.
  policy.get('consent')?.checks.remove('native_client_prompt');
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: ['of the tests'] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        // Of a program on the same host, any port is as good (RFC 8252).
        application_type: 'native',
        redirect_uris: ['http://localhost/sign-in/callback', 'http://127.0.0.1/sign-in/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    ttl: { Interaction: HOUR_S, Grant: HOUR_S, Session: HOUR_S, AccessToken: HOUR_S, IdToken: HOUR_S },
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      groups: ['groups'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_, { uid }) => `/login/${uid}` },
    findAccount: (_, accountId) =>
      accounts[accountId] === undefined
        ? undefined
        : { accountId, claims: async () => ({ sub: accountId, ...accounts[accountId] }) },
    // Nobody is asked whether the client may know who they are: it belongs to the same people as the provider.
    async loadExistingGrant({ oidc }) {
      const { client, session, requestParamScopes } = oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope([...requestParamScopes].join(' '));
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();

  async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      let body = '';
      for await (const chunk of request) body += chunk;
      const accountId = new URLSearchParams(body).get('account') ?? '';
      const result =
        accounts[accountId] === undefined
          ? { error: 'access_denied', error_description: 'There is no such account' }
          : { login: { accountId, remember: false } };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  }

  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/login/')) return void answer(request, response);
    login(request, response).catch((error: Error) => response.destroy(error));
  });

  return {
    issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    accounts,
    visit: (url, account) => visit(issuer, url, account),
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

const PAGE = `<!doctype html><html lang="en"><title>Sign in</title>
<form method="post"><label>Account <input name="account" autofocus></label> <button>Sign in</button></form></html>`;

const MOST_STEPS = 10;

async function visit(issuer: string, url: string, account: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(url);
  let form: URLSearchParams | null = null;
  for (let step = 0; step < MOST_STEPS; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer: Response = await fetch(at, {
      method: form === null ? 'GET' : 'POST',
      headers: { cookie },
      body: form,
      redirect: 'manual',
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null && !at.pathname.startsWith('/login/')) {
      throw new Error(`the provider answered ${answer.status} at ${at.pathname}: ${await answer.text()}`);
    }
    form = location === null ? new URLSearchParams({ account }) : null;
    if (location !== null) at = new URL(location, at);
    if (at.origin !== issuer) return at;
  }
  throw new Error('the provider sends a browser around in circles');
}
