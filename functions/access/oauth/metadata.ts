/** Metadata of the protected resource `/mcp` (RFC 9728), and of the authorization server (RFC 8414). */
import { mcp } from '../../../shared/api/mcp.ts';
import { oauthEndpoints } from '../../../shared/api/oauth.ts';
import type { Scope } from '../../../shared/identity.ts';
import type { RequestedAccess } from './access-request-store.ts';

/** For assistants: no tool needs the scope `admin`. */
export const ASSISTANT_SCOPES: readonly Scope[] = ['devices:read', 'devices:write', 'nettools:run'];

export const GRANT = 'authorization_code';

const { callTools, callToolsAsInNetAlertX } = mcp;

/** The purpose of a token for this resource (RFC 8707); null for a resource that is not ours. */
export function purposeOf(resource: string, base: string): RequestedAccess['purpose'] | null {
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
 * The same at the address of OpenID Connect: behind the path prefix of a gateway, such as API Gateway, the only one that
 * clients try and the service can serve. It provides no identities: the fields are those required of such a document.
 */
export function serverMetadataBehindPrefix(base: string) {
  return {
    ...serverMetadata(base),
    jwks_uri: `${base}${oauthEndpoints.keys.path}`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [],
  };
}

/** The header WWW-Authenticate for a request without a valid token. @param isInvalid whether it had an invalid one */
export function challenge(base: string, isInvalid: boolean): string {
  const parts = [
    ...(isInvalid ? ['error="invalid_token"'] : []),
    `resource_metadata="${base}${oauthEndpoints.resourceMetadataOfMcp.path}"`,
    `scope="${ASSISTANT_SCOPES.join(' ')}"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}
