/**
 * `/claim-keys` and `/claims`: many agents with one secret. A host that has the key asks to become an agent; a person
 * approves it, or the key says that nobody has to.
 */
import * as z from 'zod';
import { formatRange, parseRange, withoutHostBits } from '../addresses.ts';
import { AgentId, AgentName, SiteId, Tag } from '../identity.ts';
import { APPROVALS, CLAIM_STATES } from '../words.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { ReleaseOffer } from './agents.ts';
import { list } from './list.ts';
import { type Operations, Page, Unreadables } from './operation.ts';
import { Label, MAX_TAGS, Time } from './records.ts';

const succeeded = z.literal(true);

/** How a claim key begins, and an enrolment code does not. */
export const CLAIM_KEY_PREFIX = 'lrk_';

/** Most hosts that one key takes, and the longest time for which it does. */
export const MAX_USES = 10_000;
export const MAX_KEY_DAYS = 30;
export const USUAL_KEY_DAYS = 7;
/** Most keys that are not over. */
export const MAX_KEYS = 100;
/** Most claims that one request decides about. */
export const MAX_DECIDED = 100;

const KEY_ID_EXPECTED = 'expected the 16 hexadecimal digits of a claim key';
const KeyId = z
  .string()
  .max(16, { error: KEY_ID_EXPECTED, abort: true })
  .regex(/^[0-9a-f]{16}$/, { error: KEY_ID_EXPECTED });
const CLAIM_EXPECTED = 'expected the id of a claim, as the API returned it';
/** `<id of its key>-<digest of its certificate request>`: whoever repeats a request repeats a claim. */
export const ClaimId = z
  .string()
  .max(49, { error: CLAIM_EXPECTED, abort: true })
  .regex(/^[0-9a-f]{16}-[0-9a-f]{32}$/, { error: CLAIM_EXPECTED })
  .meta({ id: 'ClaimId', description: 'A host that has asked to become an agent.' });
export type ClaimId = z.infer<typeof ClaimId>;

/** Canonical after parsing. */
const Network = z
  .string()
  .max(50, { abort: true })
  .transform((text, context): string => {
    const range = parseRange(text);
    if (range !== null && range.address.zone === null) return formatRange(withoutHostBits(range));
    context.addIssue({ code: 'custom', message: 'expected an address, or a network such as 192.168.0.0/16' });
    return z.NEVER;
  });
const Networks = list(Network, { max: 32 });

const Wanted = {
  name: Label,
  uses: z.int().min(1).max(MAX_USES).meta({ description: 'How many hosts may claim with it.' }),
  expiresAt: Time,
  from: Networks.meta({ description: 'Where requests must come from, as the service sees them; empty: anywhere.' }),
  networks: Networks.meta({
    description: 'To one of which the host must be attached, as it says itself; empty: to any.',
  }),
  approve: z.enum(APPROVALS).meta({ description: '`at once`: whoever has the key is let in without a look.' }),
  site: SiteId.nullable().meta({
    description: 'Where the hosts become agents, named after their host names. null: see `siteFrom`.',
  }),
  siteFrom: z
    .literal('host name')
    .nullable()
    .meta({ description: 'Each host gets a site of its own, named after it. Only a token for all sites may say so.' }),
  tags: z.array(Tag).max(MAX_TAGS).meta({ description: 'Of these new sites, such as the tag of a template.' }),
};

const STATES_OF_KEY = ['open', 'used up', 'over', 'revoked'] as const;
export const ClaimKey = z
  .object({
    id: KeyId,
    ...Wanted,
    used: z.int().meta({ description: 'How many hosts have claimed, those that were refused included.' }),
    state: z.enum(STATES_OF_KEY),
    createdAt: Time,
  })
  .meta({ id: 'ClaimKey' });
export type ClaimKey = z.infer<typeof ClaimKey>;

/** What a host says of itself when it claims. */
export const ClaimingHost = z
  .object({
    name: z.string().min(1).max(253),
    platform: z.string().max(100),
    addresses: list(z.string().max(45), { max: 20 }),
    networks: list(z.string().max(50), { max: 50 }),
    version: z.string().max(50).meta({ description: 'Of the agent.' }),
  })
  .meta({ id: 'ClaimingHost' });
export type ClaimingHost = z.infer<typeof ClaimingHost>;

export const Claim = z
  .object({
    id: ClaimId,
    key: KeyId,
    state: z.enum(CLAIM_STATES).meta({
      description: '`approved`: its agent has not come for its certificate yet; `enrolled`: it has.',
    }),
    host: ClaimingHost,
    sourceAddress: z.string().nullable().meta({ description: 'Where it came from.' }),
    claimedAt: Time,
    decidedAt: Time.nullable(),
    site: SiteId.nullable().meta({ description: 'null: as long as nobody has decided about a site of its own.' }),
    agent: AgentId.nullable().meta({ description: 'What it has enrolled as.' }),
  })
  .meta({ id: 'Claim' });
export type Claim = z.infer<typeof Claim>;

const Decided = z.object({
  success: succeeded,
  claims: z.array(Claim).meta({ description: 'Those about which it is decided as asked, now or before.' }),
  failed: z.array(z.object({ id: ClaimId, message: z.string() })),
});

const keyId = '0123456789abcdef';
const claimId = `${keyId}-00112233445566778899aabbccddeeff`;
const wantedExample = {
  name: 'Warehouses',
  uses: 50,
  expiresAt: '2026-11-08T08:15:00.000Z',
  from: ['203.0.113.0/24'],
  networks: [],
  approve: 'by hand' as const,
  site: 'home',
  siteFrom: null,
  tags: [],
};
const keyExample = {
  id: keyId,
  ...wantedExample,
  used: 0,
  state: 'open' as const,
  createdAt: '2026-11-01T08:15:00.000Z',
};
const claimExample = {
  id: claimId,
  key: keyId,
  state: 'waiting' as const,
  host: {
    name: 'till-7.example.net',
    platform: 'Debian GNU/Linux 12 (bookworm)',
    addresses: ['192.168.7.2'],
    networks: ['192.168.7.0/24'],
    version: '0.2.0',
  },
  sourceAddress: '203.0.113.7',
  claimedAt: '2026-11-01T09:15:00.000Z',
  decidedAt: null,
  site: 'home',
  agent: null,
};

export const claims = {
  createClaimKey: {
    method: 'POST',
    path: '/claim-keys',
    scope: 'admin',
    audit: 'claim-key.create',
    status: 201,
    summary: 'Make a key with which many hosts can ask to become agents; it is in this answer and nowhere else',
    body: z
      .strictObject({
        ...Wanted,
        expiresAt: Time.optional().meta({
          description: `At most ${MAX_KEY_DAYS} days from now; default: in ${USUAL_KEY_DAYS}. What still waits then is over.`,
        }),
        from: Wanted.from.optional(),
        networks: Wanted.networks.optional(),
        approve: Wanted.approve.optional(),
        site: SiteId.optional(),
        siteFrom: Wanted.siteFrom.unwrap().optional(),
        tags: list(Tag, { max: MAX_TAGS }).optional(),
      })
      .refine(({ site, siteFrom }) => (site === undefined) !== (siteFrom === undefined), {
        error: 'expected either site or siteFrom',
      })
      .refine(({ siteFrom, tags = [] }) => siteFrom !== undefined || tags.length === 0, {
        error: 'tags are those of new sites (siteFrom)',
        path: ['tags'],
      }),
    response: z.object({
      success: succeeded,
      secret: z.string(),
      ...ClaimKey.shape,
      addresses: Addresses,
      release: ReleaseOffer,
    }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { name: 'Warehouses', uses: 50, from: ['203.0.113.0/24'], site: 'home' },
      response: { success: true, secret: 'lrk_…', ...keyExample, addresses: exampleAddresses, release: null },
    },
  },
  listClaimKeys: {
    method: 'GET',
    path: '/claim-keys',
    scope: 'admin',
    summary: 'The claim keys, those included that have come to their end in the last 30 days',
    response: z.object({ success: succeeded, keys: z.array(ClaimKey), unreadable: Unreadables }),
    example: { response: { success: true, keys: [keyExample], unreadable: [] } },
  },
  revokeClaimKey: {
    method: 'DELETE',
    path: '/claim-keys/{id}',
    scope: 'admin',
    audit: 'claim-key.revoke',
    summary: 'Revoke a claim key: hosts that wait are refused, agents that have enrolled stay',
    params: z.object({ id: KeyId }),
    response: z.object({ success: succeeded }),
    errors: ['not_found'],
    example: { params: { id: keyId }, response: { success: true } },
  },
  listClaims: {
    method: 'GET',
    path: '/claims',
    scope: 'admin',
    summary: 'The hosts that have claimed, by key',
    query: z.object({
      state: z.enum(CLAIM_STATES).optional(),
      key: KeyId.optional(),
      limit: Page.shape.limit,
      cursor: Page.shape.cursor,
    }),
    response: z.object({
      success: succeeded,
      claims: z.array(Claim).meta({ description: 'A page may have fewer than `limit`.' }),
      unreadable: Unreadables,
      nextCursor: z.string().nullable(),
    }),
    example: { response: { success: true, claims: [claimExample], unreadable: [], nextCursor: null } },
  },
  approveClaims: {
    method: 'POST',
    path: '/claims/approve',
    scope: 'admin',
    audit: 'claim.approve',
    summary: 'Let hosts in: each becomes an agent when it asks next, within some minutes',
    body: z
      .strictObject({
        ids: list(ClaimId, { min: 1, max: MAX_DECIDED }),
        site: SiteId.optional().meta({ description: 'Another site than their key says.' }),
        name: AgentName.optional().meta({
          description: 'Of the agent; default: after its host name. A number is added where it is taken.',
        }),
      })
      .refine(({ ids, name }) => name === undefined || ids.length === 1, {
        error: 'one name is for one claim',
        path: ['name'],
      }),
    response: Decided,
    errors: ['site_forbidden'],
    example: {
      body: { ids: [claimId] },
      response: {
        success: true,
        claims: [{ ...claimExample, state: 'approved', decidedAt: '2026-11-01T09:20:00.000Z' }],
        failed: [],
      },
    },
  },
  refuseClaims: {
    method: 'POST',
    path: '/claims/refuse',
    scope: 'admin',
    audit: 'claim.refuse',
    summary: 'Refuse hosts that have not enrolled yet; they are told so when they ask next',
    body: z.strictObject({ ids: list(ClaimId, { min: 1, max: MAX_DECIDED }) }),
    response: Decided,
    example: {
      body: { ids: [claimId] },
      response: {
        success: true,
        claims: [{ ...claimExample, state: 'refused', decidedAt: '2026-11-01T09:20:00.000Z' }],
        failed: [],
      },
    },
  },
} as const satisfies Operations;
