/** What clients read to find out how they get a token for `/mcp` (RFC 9728), and from whom (RFC 8414). */
import { mcp } from '../../../shared/api/mcp.ts';
import { oauthEndpoints } from '../../../shared/api/oauth.ts';
import type { Scope } from '../../../shared/identity.ts';
import type { Asked } from './access-request-store.ts';

/** What an assistant may ask for: no tool needs the scope `admin`. */
export const ASSISTANT_SCOPES: readonly Scope[] = ['devices:read', 'devices:write', 'nettools:run'];

export const GRANT = 'authorization_code';

const { callTools, callToolsAsInNetAlertX } = mcp;

/** What a token for this resource is for (RFC 8707): the endpoint for assistants, or the whole API. Null for what is not ours. */
export function purposeOf(resource: string, base: string): Asked['purpose'] | null {
  if (!URL.canParse(resource)) return null;
  const { href } = new URL(resource);
  if (href === new URL(base).href) return 'api';
  return [callTools, callToolsAsInNetAlertX].some(({ path }) => new URL(`${base}${path}`).href === href) ? 'mcp' : null;
}

/** @param path of the endpoint */
export function resourceMetadata(base: string, path: string) {
  return {
    resource: `${base}${path}`,
    authorization_servers: [base],
    scopes_supported: ASSISTANT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'LanReach',
  };
}

export function serverMetadata(base: string) {
  const at = (name: keyof typeof oauthEndpoints) => `${base}${oauthEndpoints[name].path}`;
  return {
    issuer: base,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('getToken'),
    registration_endpoint: at('registerClient'),
    revocation_endpoint: at('revokeToken'),
    scopes_supported: ASSISTANT_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [GRANT],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/**
 * The same where OpenID Connect would have it. Behind a path prefix that a gateway gives, as API Gateway does, it is the only place
 * that clients look at and that the service can answer. No identities are told: the fields are those that every such document has.
 */
export function serverMetadataBehindPrefix(base: string) {
  return {
    ...serverMetadata(base),
    jwks_uri: `${base}${oauthEndpoints.keys.path}`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [],
  };
}

/** The header WWW-Authenticate of a request without a valid token. @param isInvalid whether it had one */
export function challenge(base: string, isInvalid: boolean): string {
  const parts = [
    ...(isInvalid ? ['error="invalid_token"'] : []),
    `resource_metadata="${base}${oauthEndpoints.resourceMetadataOfMcp.path}"`,
    `scope="${ASSISTANT_SCOPES.join(' ')}"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}
