/** `/oauth` and `/.well-known`: a small authorization server, for assistants (MCP) and for `lanreach login`. */
import { oauthEndpoints } from '../../../shared/api/oauth.ts';
import { baseUrlOf } from '../../http/base-url.ts';
import { parseJson } from '../../http/json.ts';
import { networkOf } from '../../http/refusal-brake.ts';
import { readBytes } from '../../http/request.ts';
import { TokenBuckets } from '../../http/token-bucket.ts';
import { rawRoutes } from '../raw-routes.ts';
import { authorize } from './authorize.ts';
import { registeredClient } from './client-id.ts';
import { failureJson, json, OAuthFailure } from './form.ts';
import { GRANT, resourceMetadata, serverMetadata, serverMetadataBehindPrefix } from './metadata.ts';
import type { OAuthCall, OAuthContext } from './oauth-call.ts';
import { getToken, revokeToken } from './token-endpoint.ts';

/** Per address. Each process counts for itself, as it does for rejected tokens. */
const REQUESTS = { capacity: 30, refillMs: 10_000, maxKeys: 10_000 };
const GUESSES = { capacity: 60, refillMs: 1_000, maxKeys: 10_000 };
const MAX_REGISTRATION_BYTES = 16 * 1024;

type Endpoint = (call: OAuthCall) => object | Response | Promise<object | Response>;

const ENDPOINTS: Record<keyof typeof oauthEndpoints, Endpoint> = {
  resourceMetadata: ({ base }) => resourceMetadata(base, '/mcp'),
  resourceMetadataOfMcp: ({ base }) => resourceMetadata(base, '/mcp'),
  resourceMetadataOfMcpSse: ({ base }) => resourceMetadata(base, '/mcp/sse'),
  serverMetadata: ({ base }) => serverMetadata(base),
  serverMetadataBehindPrefix: ({ base }) => serverMetadataBehindPrefix(base),
  keys: () => ({ keys: [] }),
  registerClient,
  authorize: (call) => authorize(call).catch(explained),
  getToken,
  revokeToken,
};

export const oauthRoutes = rawRoutes(oauthEndpoints, (context: OAuthContext) => {
  const requests = new TokenBuckets(REQUESTS);
  const guesses = new TokenBuckets(GUESSES);
  return async (call) => {
    const name = call.endpoint as keyof typeof ENDPOINTS;
    const address = networkOf(call.clientAddress ?? '');
    try {
      const answer = await ENDPOINTS[name]({
        ...call,
        context,
        base: baseUrlOf(call.request, oauthEndpoints[name].path, context.settings.publicUrl),
        countRequest: () => requests.require(address, TOO_MANY),
        countGuess: () => guesses.require(address, TOO_MANY),
      });
      return answer instanceof Response ? answer : json(answer);
    } catch (error) {
      if (error instanceof OAuthFailure) return failureJson(error);
      throw error;
    }
  };
});

const TOO_MANY = 'This address asks for access too often; try again later';

async function registerClient({ request }: OAuthCall): Promise<Response> {
  const metadata = await parseJson(await readBytes(request, MAX_REGISTRATION_BYTES));
  const { id, name, redirectUris } = registeredClient(metadata);
  const client = {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: [GRANT],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return json(client, 201);
}

/** The wrong link of a client has led a person here: a sentence for both. */
function explained(error: unknown): Response {
  if (!(error instanceof OAuthFailure)) throw error;
  return new Response(`LanReach cannot be connected like this: ${error.message} (${error.code}).\n`, {
    status: 400,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
