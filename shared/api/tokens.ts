/** `/tokens`: tokens with their scopes and sites. */
import * as z from 'zod';
import { JobId, SCOPES, Scope, SiteId } from '../identity.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { list } from './list.ts';
import { answer, named, type Operations, route } from './operation.ts';
import { Label, MAX_DESCENDANTS, Sites, Time, Token, TokenId } from './records.ts';

/** A week, the longest time until people update every user of the token. */
const MAX_OVERLAP_HOURS = 168;
const ListedToken = named('ListedToken', {
  ...Token.shape,
  expiresSoon: z.boolean().describe('Whether it expires within 14 days; false for sessions.'),
});
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
    ...route('GET', '/tokens', 'admin'),
    summary: 'All tokens that have not been revoked',
    response: answer({ tokens: z.array(ListedToken) }),
    example: { response: { success: true, tokens: [exampleToken] } },
  },
  getOwnToken: {
    ...route('GET', '/tokens/self', 'any'),
    summary: 'The token of this request: its scopes, sites and expiry',
    response: answer({
      ...ListedToken.shape,
      lastUsedAt: Time.nullable().describe('Its use before this request, accurate to five minutes.'),
    }),
    example: { response: { success: true, ...exampleToken } },
  },
  createToken: {
    ...route('POST', '/tokens', 'admin'),
    audit: 'token.create',
    status: 201,
    summary: 'Create a token that may do no more than your own; only this answer contains its secret',
    body: z.strictObject({
      name: Label,
      scopes: list(Scope, { min: 1, max: SCOPES.length }).describe('Only scopes that your own token has.'),
      sites: Sites.describe(
        `Only sites that your own token may use: by tag, if a tag grants them. At most ${MAX_DESCENDANTS} valid tokens may descend from one that is limited to certain sites.`,
      ),
      defaultSite: SiteId.optional().describe('Default: the first of `sites`.'),
      expiresAt: Time.optional().describe(
        'Not after your own token expires; with a session, any time. Default: when your own token expires, or never if it does not; 90 days with a session.',
      ),
    }),
    response: answer({ token: z.string(), ...ListedToken.shape, addresses: Addresses }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { name: 'dashboard', scopes: ['devices:read'], sites: ['home'] },
      response: { success: true, token: 'lr_0123456789abcdef.…', ...exampleToken, addresses: exampleAddresses },
    },
  },
  revokeOwnToken: {
    ...route('DELETE', '/tokens/self', 'any'),
    audit: 'token.revoke',
    summary: 'Revoke the token of this request, as at the end of a session',
    response: answer({}),
    example: { response: { success: true } },
  },
  rotateToken: {
    ...route('POST', '/tokens/{id}/rotate', 'any'),
    audit: 'token.rotate',
    summary: 'Give a token a new secret, which only this answer contains; its id, its scopes and its open streams stay',
    params: z.object({
      id: TokenId.describe('Your own token, or with the scope `admin` one that yours could create.'),
    }),
    body: z.strictObject({
      overlapHours: z
        .int()
        .min(0)
        .max(MAX_OVERLAP_HOURS)
        .optional()
        .describe('How long the present secret stays valid beside the new one. Default: not at all.'),
      expiresAt: Time.optional().describe('A new expiry. Default: unchanged. Not after your own token expires.'),
    }),
    bodyOptional: true,
    response: answer({
      token: z.string(),
      ...ListedToken.shape,
      formerValidUntil: Time.nullable().describe('Until when the previous secret is valid; null: no longer.'),
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
    ...route('DELETE', '/tokens/{id}', 'admin'),
    audit: 'token.revoke',
    summary: 'Revoke a token; its next request is rejected, its event streams end within 15 s, its commands continue',
    params: z.object({ id: TokenId }),
    response: answer({
      running: z.array(JobId).describe('Jobs of the token that continue; `DELETE /jobs/{id}` stops one.'),
      truncated: z.boolean().describe('There may be more: not all jobs were read.'),
    }),
    errors: ['not_found'],
    example: {
      params: { id: '0123456789abcdef' },
      response: { success: true, running: ['home.01934c1e-5f00-7a11-8a22-0123456789ab'], truncated: false },
    },
  },
} as const satisfies Operations;
