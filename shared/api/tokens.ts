/** `/tokens`: who may do what, and where. */
import * as z from 'zod';
import { JobId, SCOPES, Scope, SiteId } from '../identity.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { list } from './list.ts';
import type { Operations } from './operation.ts';
import { Label, MAX_DESCENDANTS, Sites, Time, Token, TokenId } from './records.ts';

const succeeded = z.literal(true);
/** A week: as long as nobody looks after what uses the token. */
const MAX_OVERLAP_HOURS = 168;
const ListedToken = z
  .object({
    ...Token.shape,
    expiresSoon: z.boolean().meta({ description: 'It ends within 14 days; of a session never said.' }),
  })
  .meta({ id: 'ListedToken' });
export type ListedToken = z.infer<typeof ListedToken>;
const exampleToken = {
  id: '0123456789abcdef',
  name: 'dashboard',
  scopes: ['devices:read'],
  sites: ['home'],
  defaultSite: 'home',
  createdAt: '2026-11-01T08:15:00.000Z',
  createdBy: 'fedcba9876543210',
  expiresAt: null,
  lastUsedAt: null,
  person: null,
  purpose: 'api',
  expiresSoon: false,
};

export const tokens = {
  listTokens: {
    method: 'GET',
    path: '/tokens',
    scope: 'admin',
    summary: 'All tokens that have not been revoked',
    response: z.object({ success: succeeded, tokens: z.array(ListedToken) }),
    example: { response: { success: true, tokens: [exampleToken] } },
  },
  getOwnToken: {
    method: 'GET',
    path: '/tokens/self',
    scope: 'any',
    summary: 'The token of this request: what it may do, on which sites, and until when',
    response: z.object({
      success: succeeded,
      ...ListedToken.shape,
      lastUsedAt: Time.nullable().meta({ description: 'Its use before this request, accurate to five minutes.' }),
    }),
    example: { response: { success: true, ...exampleToken } },
  },
  createToken: {
    method: 'POST',
    path: '/tokens',
    scope: 'admin',
    audit: 'token.create',
    status: 201,
    summary: 'Make a token that may do no more than your own; its secret is in this answer and nowhere else',
    body: z.strictObject({
      name: Label,
      scopes: list(Scope, { min: 1, max: SCOPES.length }).meta({ description: 'Only scopes that your own token has.' }),
      sites: Sites.meta({
        description: `Only sites that your own token may use: by the tag, where that is what allows them. At most ${MAX_DESCENDANTS} living tokens may descend from one that is limited to certain sites.`,
      }),
      defaultSite: SiteId.optional().meta({ description: 'Default: the first of `sites`.' }),
      expiresAt: Time.optional().meta({
        description:
          'Not after the end of your own token; with a session, at any time. Default: that end; never, when your own token has none; 90 days with a session.',
      }),
    }),
    response: z.object({ success: succeeded, token: z.string(), ...ListedToken.shape, addresses: Addresses }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { name: 'dashboard', scopes: ['devices:read'], sites: ['home'] },
      response: { success: true, token: 'lr_0123456789abcdef.…', ...exampleToken, addresses: exampleAddresses },
    },
  },
  revokeOwnToken: {
    method: 'DELETE',
    path: '/tokens/self',
    scope: 'any',
    audit: 'token.revoke',
    summary: 'Revoke the token of this request, as at the end of a session',
    response: z.object({ success: succeeded }),
    example: { response: { success: true } },
  },
  rotateToken: {
    method: 'POST',
    path: '/tokens/{id}/rotate',
    scope: 'any',
    audit: 'token.rotate',
    summary:
      'Give a token a new secret, which is in this answer and nowhere else; its id, its rights and its open streams stay',
    params: z.object({
      id: TokenId.meta({ description: 'Your own token, or with the scope `admin` one that you could have made.' }),
    }),
    body: z.strictObject({
      overlapHours: z.int().min(0).max(MAX_OVERLAP_HOURS).optional().meta({
        description: 'For how long the secret that it has now stays valid beside the new one. Default: not at all.',
      }),
      expiresAt: Time.optional().meta({
        description: 'Another end. Default: the end that it has. Neither may be after the end of your own token.',
      }),
    }),
    bodyOptional: true,
    response: z.object({
      success: succeeded,
      token: z.string(),
      ...ListedToken.shape,
      formerValidUntil: Time.nullable().meta({ description: 'Until when the secret before is valid; null: no more.' }),
      addresses: Addresses,
    }),
    errors: ['not_found', 'conflict'],
    example: {
      params: { id: '0123456789abcdef' },
      body: { overlapHours: 24 },
      response: {
        success: true,
        token: 'lr_0123456789abcdef.…',
        ...exampleToken,
        formerValidUntil: '2026-11-02T08:15:00.000Z',
        addresses: exampleAddresses,
      },
    },
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/{id}',
    scope: 'admin',
    audit: 'token.revoke',
    summary: 'Revoke a token; its next request is refused, its event streams end within 15 s, its commands go on',
    params: z.object({ id: TokenId }),
    response: z.object({
      success: succeeded,
      running: z.array(JobId).meta({ description: 'Jobs of the token that go on; `DELETE /jobs/{id}` stops one.' }),
      truncated: z.boolean().meta({ description: 'There may be more of them: not everything was looked at.' }),
    }),
    errors: ['not_found'],
    example: {
      params: { id: '0123456789abcdef' },
      response: { success: true, running: ['home.01934c1e-5f00-7a11-8a22-0123456789ab'], truncated: false },
    },
  },
} as const satisfies Operations;
