/** `/tokens`, `/sites` and `/enrol`: who may do what, where, and through which agents. */
import * as z from 'zod';
import { DiscoverySettings, GatewayMac, WatchedNetwork } from '../agent/discovery.ts';
import { AgentId, AgentName, JobId, SCOPES, Scope, SiteId, Stage } from '../identity.ts';
import { EXPORT, ExportQuery } from './export.ts';
import { list } from './list.ts';
import { type Operations, Page, Unreadables } from './operation.ts';
import {
  Agent,
  AuditEntry,
  DISCOVERY_OFF,
  Label,
  MAX_DESCENDANTS,
  Site,
  Sites,
  Time,
  Token,
  TokenId,
} from './records.ts';

const succeeded = z.literal(true);
const Csr = z
  .string()
  .max(4096)
  .startsWith('-----BEGIN CERTIFICATE REQUEST-----')
  .meta({ 'x-checked-further': true, description: 'PKCS #10, PEM' });
/** What an agent gets with its certificate. */
const Identity = z
  .object({
    success: succeeded,
    agent: AgentId,
    stage: Stage,
    certificate: z.string().meta({ description: 'X.509, PEM' }),
    authority: z.string().meta({ description: 'The certificates by which the broker is known, PEM' }),
    broker: z.string().meta({ description: 'Where to connect: `mqtts://<host>:<port>`' }),
  })
  .meta({ id: 'Identity' });
/** With what is made here for another host goes where that host is to turn to. */
const Addresses = z.array(z.url()).meta({
  description:
    'Base URLs of this API under which other hosts may reach it, as far as the service knows them itself: empty when it listens for its own host alone, and in the cloud.',
});
const exampleAddresses = ['http://192.168.1.2:8787'];
const SiteAnswer = z.object({ success: succeeded, ...Site.shape }).meta({ id: 'SiteAnswer' });
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
};
const exampleIdentity = {
  agent: 'home:attic',
  stage: 'local',
  certificate: '-----BEGIN CERTIFICATE-----\n…',
  authority: '-----BEGIN CERTIFICATE-----\n…',
  broker: 'mqtts://192.168.1.2:8883',
};
const exampleEntry = {
  id: '01934c1e-5f00-7a11-8a22-0123456789ab',
  at: '2026-11-01T08:15:00.000Z',
  site: 'home',
  actor: '0123456789abcdef',
  sourceAddress: '192.168.1.30',
  action: 'devices.delete',
  detail: { what: 'macs', deleted: 3 },
  outcome: 'done',
};
const exampleSite = {
  id: 'home',
  name: 'Home',
  createdAt: '2026-11-01T08:15:00.000Z',
  discovery: DISCOVERY_OFF,
  revision: 1793520900000,
  staleSince: null,
  coverage: { watched: [], unwatched: [] },
};

export const admin = {
  listTokens: {
    method: 'GET',
    path: '/tokens',
    scope: 'admin',
    summary: 'All tokens that have not been revoked',
    response: z.object({ success: succeeded, tokens: z.array(Token) }),
    example: { response: { success: true, tokens: [exampleToken] } },
  },
  getOwnToken: {
    method: 'GET',
    path: '/tokens/self',
    scope: 'any',
    summary: 'The token of this request: what it may do, on which sites, and until when',
    response: z.object({
      success: succeeded,
      ...Token.shape,
      lastUsedAt: Time.nullable().meta({ description: 'Its use before this request, accurate to five minutes.' }),
    }),
    example: { response: { success: true, ...exampleToken } },
  },
  createToken: {
    method: 'POST',
    path: '/tokens',
    scope: 'admin',
    status: 201,
    summary: 'Make a token that may do no more than your own; its secret is in this answer and nowhere else',
    body: z.object({
      name: Label,
      scopes: list(Scope, { min: 1, max: SCOPES.length }).meta({ description: 'Only scopes that your own token has.' }),
      sites: Sites.meta({
        description: `Only sites that your own token may use. At most ${MAX_DESCENDANTS} living tokens may descend from one that is limited to certain sites.`,
      }),
      defaultSite: SiteId.optional().meta({ description: 'Default: the first of `sites`.' }),
      expiresAt: Time.optional().meta({
        description: 'Not after the end of your own token. Default: that end; never, when your own token has none.',
      }),
    }),
    response: z.object({ success: succeeded, token: z.string(), ...Token.shape, addresses: Addresses }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { name: 'dashboard', scopes: ['devices:read'], sites: ['home'] },
      response: { success: true, token: 'lr_0123456789abcdef.…', ...exampleToken, addresses: exampleAddresses },
    },
  },
  revokeToken: {
    method: 'DELETE',
    path: '/tokens/{id}',
    scope: 'admin',
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
  listSites: {
    method: 'GET',
    path: '/sites',
    scope: 'devices:read',
    summary: 'The sites that the token may use',
    query: z.object({
      limit: Page.shape.limit.unwrap().optional().meta({ description: 'Without it, all sites are one page.' }),
      cursor: Page.shape.cursor,
    }),
    response: z.object({
      success: succeeded,
      sites: z.array(Site).meta({ description: 'Ordered by id. A page may have fewer than `limit`.' }),
      nextCursor: z.string().nullable(),
    }),
    mcp: {
      name: 'list_sites',
      title: 'List sites',
      description:
        'The sites (LANs) that you may use, with their ids, which other tools take as `site`. ' +
        '`staleSince` says since when no agent watches a site, so that the status of its devices is old; ' +
        '`coverage` which of its networks are watched.',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    example: { response: { success: true, sites: [exampleSite], nextCursor: null } },
  },
  addSite: {
    method: 'POST',
    path: '/sites',
    scope: 'admin',
    status: 201,
    summary: 'Add a site',
    body: z.object({ id: SiteId, name: Label.optional() }),
    response: SiteAnswer,
    errors: ['site_forbidden', 'conflict'],
    example: { body: { id: 'home', name: 'Home' }, response: { success: true, ...exampleSite } },
  },
  getSite: {
    method: 'GET',
    path: '/sites/{site}',
    scope: 'devices:read',
    summary: 'One site, with its settings',
    params: z.object({ site: SiteId }),
    response: SiteAnswer,
    errors: ['site_forbidden'],
    example: { params: { site: 'home' }, response: { success: true, ...exampleSite } },
  },
  changeSite: {
    method: 'PATCH',
    path: '/sites/{site}',
    scope: 'admin',
    summary: 'Change the name or the settings of a site; what is left out stays as it is. Its agents are told at once',
    params: z.object({ site: SiteId }),
    body: z
      .strictObject({
        name: Label.optional(),
        discovery: z
          .strictObject({
            enabled: z.boolean().optional(),
            networks: z
              .union([z.literal('auto'), list(WatchedNetwork, { min: 1, max: 32 })], {
                error: 'expected "auto" or a list of 1 to 32 IPv4 networks such as 192.168.1.0/24, /20 or longer',
              })
              .optional(),
            intervalSeconds: DiscoverySettings.shape.intervalSeconds.unwrap().optional(),
            gateways: list(GatewayMac, { max: 64 }).optional(),
          })
          .optional(),
      })
      .refine((wanted) => Object.keys(wanted).length > 0, { error: 'expected name, discovery or both' }),
    response: SiteAnswer,
    errors: ['site_forbidden', 'conflict'],
    example: {
      params: { site: 'home' },
      body: { discovery: { enabled: true } },
      response: {
        success: true,
        ...exampleSite,
        discovery: { ...DISCOVERY_OFF, enabled: true },
        revision: 1793521000000,
      },
    },
  },
  removeSite: {
    method: 'DELETE',
    path: '/sites/{site}',
    scope: 'admin',
    summary:
      'Remove a site and all that is in it; its agents are cut off. A large site takes several calls: 202 asks for another one',
    params: z.object({ site: SiteId }),
    query: z.object({
      confirm: Label.meta({
        'x-checked-further': true,
        description: 'The name of the site, so that no other one is removed by mistake.',
      }),
    }),
    response: z.object({
      success: succeeded,
      isComplete: z.boolean().meta({ description: 'false: make the same call again. The site is out of use already.' }),
    }),
    incomplete: 'Make the same call again after `Retry-After`.',
    errors: ['site_forbidden', 'conflict'],
    example: {
      params: { site: 'home' },
      query: { confirm: 'Home' },
      response: { success: true, isComplete: true },
    },
  },
  listAgents: {
    method: 'GET',
    path: '/sites/{site}/agents',
    scope: 'nettools:run',
    summary: 'The agents of a site, and which of them are connected',
    params: z.object({ site: SiteId }),
    response: z.object({ success: succeeded, agents: z.array(Agent), unreadable: Unreadables }),
    errors: ['site_forbidden'],
    example: {
      params: { site: 'home' },
      response: {
        success: true,
        agents: [
          {
            id: 'home:main',
            state: 'online',
            since: '2026-11-01T08:15:00.000Z',
            version: '0.1.0',
            programs: { ip: '6.1.0' },
            capabilities: ['raw-sockets'],
            networks: ['192.168.1.0/24'],
            load: { running: 0, queued: 0 },
            discovery: { state: 'on', accuracy: 'full', networks: ['192.168.1.0/24'] },
            limitedUntil: null,
          },
        ],
        unreadable: [],
      },
    },
  },
  createEnrolmentCode: {
    method: 'POST',
    path: '/sites/{site}/agents',
    scope: 'admin',
    status: 201,
    summary: 'Make a one-time code with which an agent of the site can enrol within an hour',
    params: z.object({ site: SiteId }),
    body: z.object({
      name: AgentName,
      replace: z
        .boolean()
        .optional()
        .meta({ description: 'Whoever uses the code takes the place of the agent of that name.' }),
    }),
    response: z.object({
      success: succeeded,
      agent: AgentId,
      code: z.string(),
      expiresAt: Time,
      addresses: Addresses,
    }),
    errors: ['site_forbidden', 'conflict'],
    example: {
      params: { site: 'home' },
      body: { name: 'attic' },
      response: {
        success: true,
        agent: 'home:attic',
        code: 'lre_…',
        expiresAt: '2026-11-01T09:15:00.000Z',
        addresses: exampleAddresses,
      },
    },
  },
  revokeAgent: {
    method: 'DELETE',
    path: '/sites/{site}/agents/{name}',
    scope: 'admin',
    summary: 'Revoke an agent: its connection is cut, its certificate and its enrolment codes are worthless',
    params: z.object({ site: SiteId, name: AgentName }),
    response: z.object({ success: succeeded }),
    errors: ['site_forbidden', 'not_found'],
    example: { params: { site: 'home', name: 'attic' }, response: { success: true } },
  },
  listAudit: {
    method: 'GET',
    path: '/audit',
    scope: 'admin',
    perSite: true,
    summary: 'What was done on a site, and by a token for all sites to all of them; the newest first',
    query: Page,
    response: z.object({
      success: succeeded,
      entries: z.array(AuditEntry),
      unreadable: Unreadables,
      nextCursor: z.string().nullable(),
    }),
    example: {
      response: {
        success: true,
        entries: [exampleEntry],
        unreadable: [],
        nextCursor: null,
      },
    },
  },
  exportAudit: {
    ...EXPORT,
    path: '/audit/export',
    scope: 'admin',
    summary: 'All that was done on a site in a span of time, as a file: the entries of `GET /audit`',
    query: ExportQuery,
    response: z.string(),
    example: {
      query: { since: '2026-11-01T00:00:00Z', until: '2026-12-01T00:00:00Z' },
      response:
        'id,at,site,actor,sourceAddress,action,detail,outcome,problem\r\n' +
        '01934c1e-5f00-7a11-8a22-0123456789ab,2026-11-01T08:15:00.000Z,home,0123456789abcdef,192.168.1.30,devices.delete,"{""what"":""macs"",""deleted"":3}",done,\r\n',
      line: exampleEntry,
    },
  },
  enrolAgent: {
    method: 'POST',
    path: '/enrol',
    scope: null,
    status: 201,
    summary: 'Exchange a one-time code and a certificate request for a certificate; called by the agent itself',
    body: z.object({
      code: z.string().min(1).max(100),
      csr: Csr,
    }),
    response: Identity,
    errors: ['enrolment_refused'],
    example: {
      body: { code: 'lre_…', csr: '-----BEGIN CERTIFICATE REQUEST-----\n…' },
      response: { success: true, ...exampleIdentity },
    },
  },
  renewAgent: {
    method: 'POST',
    path: '/enrol/renew',
    scope: null,
    status: 201,
    summary:
      'A further certificate for an agent that proves that it has the key of its present one, which is retired when the agent connects with the further one; called by the agent',
    body: z.object({
      agent: AgentId,
      at: z
        .int()
        .positive()
        .meta({ 'x-checked-further': true, description: 'Time of the signature (Unix, ms); good for five minutes' }),
      csr: Csr,
      signature: z
        .base64()
        .min(8)
        .max(1400)
        .meta({ description: 'With the private key of a certificate of the agent, over SHA-256; ECDSA as DER' }),
    }),
    response: Identity,
    errors: ['enrolment_refused', 'conflict'],
    example: {
      body: {
        agent: 'home:attic',
        at: 1793520900000,
        csr: '-----BEGIN CERTIFICATE REQUEST-----\n…',
        signature: 'MEUCIQDxV0Y5cH4k',
      },
      response: { success: true, ...exampleIdentity },
    },
  },
} as const satisfies Operations;
