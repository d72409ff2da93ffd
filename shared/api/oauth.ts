/**
 * `/oauth`: how assistants and the command line get tokens of their own, once a person has approved. The console calls these
 * operations for that person. The forms and redirects of OAuth clients are paths without schemas.
 */
import * as z from 'zod';
import { SCOPES, Scope } from '../identity.ts';
import { list } from './list.ts';
import { answer, type Operation, type Operations, route } from './operation.ts';
import { Label, Sites, Time } from './records.ts';

const RequestId = z.string().regex(/^[0-9a-f]{32}$/);
const RedirectTo = z.string().describe('Where the browser must go, so that the client gets the answer.');

const exampleRequest = {
  kind: 'assistant',
  client: { name: 'Claude', redirectHost: 'claude.ai' },
  scopes: ['devices:read', 'devices:write', 'nettools:run'],
  sourceAddress: '192.168.1.30',
  expiresAt: '2026-11-01T08:25:00.000Z',
};
const exampleId = '5f0c2a9d71b34e8896d10e7a4c3b2f18';
const exampleRedirect = 'https://claude.ai/api/mcp/auth_callback?code=…&state=…&iss=https%3A%2F%2Flan.example';
const exampleDenial = exampleRedirect.replace('code=…', 'error=access_denied');

export const oauth = {
  getAccessRequest: {
    ...route('GET', '/oauth/requests/{id}', 'any'),
    summary: 'A pending request for access, by an assistant or a command line',
    params: z.object({ id: RequestId }),
    response: answer({
      kind: z
        .enum(['assistant', 'device'])
        .describe(
          '`assistant`: gets a token for `/mcp`; `device`: a command line on the host of the person, which gets one for the API.',
        ),
      client: z.object({
        name: Label.describe('The name that the client claims: unverified.'),
        redirectHost: z.string().describe('The host that receives the answer.'),
      }),
      scopes: z.array(Scope).describe('The requested scopes.'),
      sourceAddress: z.string().nullable().describe('The address of the request.'),
      expiresAt: Time.describe('When the request expires.'),
    }),
    errors: ['not_found'],
    example: { params: { id: exampleId }, response: { success: true, ...exampleRequest } },
  },
  approveAccessRequest: {
    ...route('POST', '/oauth/requests/{id}/approve', 'any'),
    audit: 'oauth.approve',
    summary: 'Approve a request: the client gets a token that may do no more than requested, and no more than your own',
    params: z.object({ id: RequestId }),
    body: z.strictObject({
      scopes: list(Scope, { min: 1, max: SCOPES.length }).describe(
        'A subset of the requested scopes that your own token has.',
      ),
      sites: Sites.describe('Only sites that your own token may use.'),
    }),
    response: answer({ redirectTo: RedirectTo }),
    errors: ['not_found', 'site_forbidden', 'conflict'],
    example: {
      params: { id: exampleId },
      body: { scopes: ['devices:read'], sites: ['home'] },
      response: { success: true, redirectTo: exampleRedirect },
    },
  },
  denyAccessRequest: {
    ...route('POST', '/oauth/requests/{id}/deny', 'any'),
    audit: 'oauth.deny',
    summary: 'Deny a request for access',
    params: z.object({ id: RequestId }),
    response: answer({ redirectTo: RedirectTo }),
    errors: ['not_found', 'conflict'],
    example: { params: { id: exampleId }, response: { success: true, redirectTo: exampleDenial } },
  },
} as const satisfies Operations;

/** The endpoints of OAuth (RFC 6749, 7009, 7591, 8414, 9728). */
export const oauthEndpoints = {
  resourceMetadata: { method: 'GET', path: '/.well-known/oauth-protected-resource' },
  resourceMetadataOfMcp: { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' },
  resourceMetadataOfMcpSse: { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp/sse' },
  serverMetadata: { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  /** The same, where clients expect it behind a path prefix, such as that of API Gateway. */
  serverMetadataBehindPrefix: { method: 'GET', path: '/.well-known/openid-configuration' },
  /** An empty set: no token is signed. The document above must name it. */
  keys: { method: 'GET', path: '/oauth/keys' },
  registerClient: { method: 'POST', path: '/oauth/register' },
  authorize: { method: 'GET', path: '/oauth/authorize' },
  getToken: { method: 'POST', path: '/oauth/token' },
  revokeToken: { method: 'POST', path: '/oauth/revoke' },
} as const satisfies Record<string, Pick<Operation, 'method' | 'path'>>;
