/** Tokens, sites, agents and entries of the audit, as they are stored and listed. */
import * as z from 'zod';
import { CONNECTION_ENDS } from '../agent/connections.ts';
import { DiscoverySettings, DiscoveryState } from '../agent/discovery.ts';
import { AgentHost } from '../agent/host.ts';
import { Load } from '../agent/load.ts';
import { ReleaseVersion, UpdateState } from '../agent/release.ts';
import { SitePolicy } from '../agent/site-policy.ts';
import { AgentId, Scope, SiteId, SiteRef, Tag } from '../identity.ts';
import { parseHostName, parseIp } from '../network.ts';
import { TimeZone, Window } from '../schedule-terms.ts';
import { matching } from '../text-schemas.ts';
import { Millis } from '../time.ts';
import { ROLES, TOKEN_PURPOSES, UPDATE_MODES } from '../words.ts';
import { list } from './list.ts';
import { named } from './operation.ts';

export const Time = z.iso.datetime().max(40).meta({ id: 'Time', description: 'A time in UTC (ISO 8601).' });
/** The template that manages a schedule, a check or a hook. */
export const Origin = z
  .string()
  .max(50)
  .optional()
  .describe(
    '`template:<name>`: a template created it, and only the template changes it. Absent: a person or a program did.',
  );
export const TokenId = matching(16, /^[0-9a-f]{16}$/, 'expected the 16 hexadecimal digits of a token id');
export const Label = z.string().min(1).max(100);
export const Sites = z.union([z.literal('*'), list(SiteRef, { min: 1, max: 100 })], {
  error: 'expected "*" or a list of 1 to 100 site ids and tags, such as home or tag:customers',
});
export type Sites = z.infer<typeof Sites>;

/** Valid tokens that may descend, over any number of generations, from one that is limited to certain sites. */
export const MAX_DESCENDANTS = 100;

export const PersonId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, { error: 'expected the 16 hexadecimal digits of a person' })
  .meta({ id: 'PersonId' });

/** A role at some sites. */
export const Grant = named('Grant', { role: z.enum(ROLES), sites: Sites });
export type Grant = z.infer<typeof Grant>;

/** A person who signs in with an identity provider. */
export const Person = named('Person', {
  id: PersonId,
  issuer: z.string().max(500).describe('The identity provider.'),
  subject: z.string().max(255).describe('The id of this person at the provider.'),
  name: z.string().max(100),
  email: z.string().max(254).nullable(),
  grants: z.array(Grant).max(50),
  grantsBy: z
    .enum(['claims', 'hand'])
    .describe('`claims`: the claims of the provider decide at each sign-in; `hand`: the grants were set here.'),
  isDisabled: z.boolean(),
  isInvited: z
    .literal(true)
    .optional()
    .describe('Added by their email address, and has not signed in yet: `lastSignInAt` means nothing.'),
  createdAt: Time,
  lastSignInAt: Time,
});
export type Person = z.infer<typeof Person>;

/** What a share shows. */
export const SharedContent = named('SharedContent', {
  view: z.enum(['status', 'map']).describe('`map`: all devices, and how they are connected.'),
  devices: z
    .enum(['favorites', 'all'])
    .describe('Devices of `status` that are named: all, or the favorites and those that are down.'),
  addresses: z.boolean().describe('Whether it shows MAC and IP addresses.'),
});
export type SharedContent = z.infer<typeof SharedContent>;

/** A token as it is listed: everything but the secret, of which only a digest is kept. */
export const Token = named('Token', {
  id: TokenId,
  name: Label,
  scopes: z.array(Scope),
  sites: Sites.describe('Sites the token may use, by their ids or tags; `*` for all.'),
  defaultSite: SiteId.nullable().describe('The site of requests that name none.'),
  createdAt: Time,
  createdBy: TokenId.nullable().describe(
    'Id of the token that created it; null for the token of `npm start` or of a deployment.',
  ),
  expiresAt: Time.nullable(),
  lastUsedAt: Time.nullable().describe('Accurate to five minutes.'),
  person: PersonId.nullable().describe(
    'Its owner: it can do no more than this person may, and ends with them. null: it belongs to no person.',
  ),
  purpose: z
    .enum(TOKEN_PURPOSES)
    .describe(
      '`session`: of a person who signed in; `mcp`: of an assistant, accepted only at `/mcp`; `share`: of a link for anyone, accepted only at `/shared`.',
    ),
  share: SharedContent.optional().describe('Of a share.'),
});
export type Token = z.infer<typeof Token>;

/** A command, or a change of the collection, the tokens, the sites or the agents. */
const AuditValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const AuditEntry = named('AuditEntry', {
  id: z.string(),
  at: Time,
  site: SiteId.nullable().describe('null: all sites.'),
  actor: z
    .string()
    .describe(
      "Token id; `schedule:<id>` for a run of a schedule; `enrolment` for an agent that enrolled with a code; an agent's own id for a request signed with its key; `templates` for changes that templates made without a request; `service` for the final removal of a deleted site; `deployment` for the first token.",
    ),
  person: z
    .object({ id: PersonId, name: z.string() })
    .nullable()
    .optional()
    .describe('The owner of the token; null for a token of no person.'),
  sourceAddress: z
    .string()
    .nullable()
    .describe(
      'IP address of the request. Null for actions without a request over the network, and for entries older than this field.',
    ),
  action: z.string().describe('`tool.<name>` for a command, else the change, such as `devices.import`.'),
  detail: z.record(z.string(), AuditValue).describe('The command, or names and numbers that describe the change.'),
  changes: z
    .record(z.string(), z.object({ from: AuditValue, to: AuditValue }))
    .optional()
    .describe('The changed values, before and after, shortened. `from` is null if they differed.'),
  outcome: z.string().describe('State of a command, with its reason; `done` for a change.'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The default settings of a site. */
export const DISCOVERY_OFF: DiscoverySettings = { enabled: false, networks: 'auto', intervalSeconds: 60 };

/** Where a site can be reached from outside: a name, or an address. */
export const ReachableAt = z
  .string()
  .trim()
  .max(253, { abort: true })
  .refine((text) => parseIp(text) !== null || parseHostName(text) !== null, {
    error: 'expected an address or a host name, such as 198.51.100.7 or vpn.example.org',
  });

export const Updates = z
  .object({
    mode: z.enum(UPDATE_MODES),
    window: Window.nullable().describe('When agents may start to update; null: at any time.'),
  })
  .meta({
    id: 'Updates',
    description:
      'How the agents of the site get newer releases: `auto`: they update themselves, one agent of the deployment first, then a tenth, then all; `notify`: people update them, and see which have an update; `off`: people update them.',
  });
export type Updates = z.infer<typeof Updates>;

/** The default. */
export const USUAL_UPDATES: Updates = { mode: 'notify', window: null };

export const MAX_TAGS = 16;

/** Not z.json(): client generators reject a recursive schema without a name. */
export const JsonValue = z
  .unknown()
  .meta({ id: 'JsonValue', description: 'Any JSON.' }) as z.ZodType<z.core.util.JSONType>;

/** The effect of templates on a site. */
export const SiteTemplates = z
  .object({
    made: z.string().max(32).nullable().describe('Digest of the templates that were applied; null: not all could be.'),
    settings: z
      .record(z.string().max(50), JsonValue)
      .describe('The settings that they have set. One with another value now was changed at the site.'),
    failed: z
      .record(z.string().max(32), z.string().max(300))
      .describe('The failures, by the names of the templates. The service retries once an hour.'),
  })
  .meta({ id: 'SiteTemplates', description: 'Absent: no template applies to it.' });
export type SiteTemplates = z.infer<typeof SiteTemplates>;

const Network = z.string().max(65).describe('In CIDR notation.');

export const Site = named('Site', {
  id: SiteId,
  name: Label,
  tags: z.array(Tag).max(MAX_TAGS).describe('A grant to a tag applies to all sites with it.'),
  createdAt: Time,
  discovery: DiscoverySettings.describe(
    'Whether the agents of the site monitor its LAN, which networks (`auto`: those to which their hosts are attached), and how often.',
  ),
  timeZone: TimeZone,
  reachableAt: ReachableAt.nullable().describe(
    'The address or name at which the agents of other sites can reach this one, for checks between sites.',
  ),
  updates: Updates,
  policy: SitePolicy.optional().describe('Absent: only the policy files of the agents apply.'),
  templates: SiteTemplates.optional(),
  revision: Millis.describe('Increases with every change of the settings.'),
  staleSince: Time.nullable().describe(
    'Since when no agent of the site has been connected, so that its devices keep their last status; null while one is, or while discovery is off.',
  ),
  coverage: z
    .object({ watched: z.array(Network), unwatched: z.array(z.object({ network: Network, since: Time })) })
    .meta({
      id: 'SiteCoverage',
      description:
        'The networks that connected agents monitor now, and those that they monitored before, with the time at which that ended. Devices elsewhere keep their last known status.',
    }),
});
export type Site = z.infer<typeof Site>;

/** How long a deleted site can be restored. */
export const SITE_RESTORABLE_DAYS = 7;

export const SiteDeletion = named('SiteDeletion', {
  deletedAt: Time,
  deletedBy: z.string().describe('Id of the token.'),
  restorableUntil: Time.describe('After this time the site cannot be restored.'),
});
/** A site in a list; in the list of deleted sites, with its deletion. */
export const ListedSite = Site.extend({ deletion: SiteDeletion.optional() }).meta({ id: 'ListedSite' });
export type ListedSite = z.infer<typeof ListedSite>;

/** How a connection of an agent ended, as far as the broker knows. */
export const ConnectionEnd = z.enum(CONNECTION_ENDS).meta({
  id: 'ConnectionEnd',
  description:
    '`stopped`: the agent disconnected; `connection_lost`: the connection broke; `timed_out`: the agent exceeded the keep-alive time; `taken_over`: another connection with the same client id replaced it; `refused`: the agent sent a packet that it may not send; `disconnected`: the service closed it, to revoke or replace a certificate; `service_stopped`: the service itself stopped.',
});
export type ConnectionEnd = z.infer<typeof ConnectionEnd>;

/** Why an agent is offline: how its last connection ended, or what prevents another one. */
export const OfflineReason = z
  .enum([...CONNECTION_ENDS, 'updating', 'certificate_ended', 'revoked', 'incompatible', 'unknown'])
  .meta({
    id: 'OfflineReason',
    description:
      'A `ConnectionEnd`, or `updating`: it stopped to update and has not reconnected; `certificate_ended`: its certificate has expired, enrol it again; `revoked`: it is being revoked; `incompatible`: see `problem`; `unknown`: not recorded.',
  });
export type OfflineReason = z.infer<typeof OfflineReason>;

export const Agent = named('Agent', {
  id: AgentId,
  state: z.enum(['enrolling', 'online', 'draining', 'offline']),
  since: Time.nullable(),
  offlineReason: OfflineReason.nullable().describe('Why it is offline; null in every other state.'),
  host: AgentHost.extend({ startedAt: Time.describe('When the agent was started.') })
    .nullable()
    .meta({
      id: 'AgentHost',
      description: 'The host on which it runs, as last reported; null for agents that do not report it.',
    }),
  version: z.string().nullable(),
  protocol: z
    .int()
    .nullable()
    .describe('The version of the protocol between agent and service that the agent uses; null until it reports it.'),
  problem: z
    .string()
    .nullable()
    .describe(
      'Why the agent counts as offline although it may be connected: the service does not support its version of the protocol. Or that two hosts use its identity, for example after one was cloned, and disconnect each other.',
    ),
  programs: z.record(z.string(), z.string().nullable()),
  capabilities: z.array(z.string()),
  networks: z.array(z.string()),
  load: Load.nullable().describe('Running and queued commands, as last reported.'),
  discovery: DiscoveryState.meta({ id: 'DiscoveryState' })
    .nullable()
    .describe('How the agent monitors its LAN, as last reported.'),
  limitedUntil: Time.nullable().describe(
    'Until when the service accepts only one message a minute of its discovery, because it reported more than 20,000 changes within an hour; null when it accepts all.',
  ),
  update: UpdateState.nullable(),
});
/** A stored agent. */
export type Agent = z.infer<typeof Agent>;

/** The stages of a roll-out: one agent, a tenth of them, all. */
export const Ring = z.literal([1, 2, 3]);
export type Ring = z.infer<typeof Ring>;

const ListedUpdate = named('AgentUpdate', {
  able: UpdateState.shape.able.describe('Whether it reports that it can update itself.'),
  last: z
    .object({
      version: ReleaseVersion,
      state: z.enum(['installing', 'done', 'failed']),
      reason: z.string().nullable().describe('Why it failed.'),
      at: Time,
    })
    .nullable()
    .describe('The last release that it tried to install.'),
});

/** An agent in a list, compared with the offered release. */
export const ListedAgent = Agent.extend({
  update: ListedUpdate.nullable().describe(
    'The state of its updates, as last reported; null for an agent that cannot report it.',
  ),
  updateAvailable: ReleaseVersion.nullable().describe(
    'The offered release, if newer; null also if `updates` of the site is `off`.',
  ),
  ring: Ring.nullable().describe(
    'If `updates` is `auto`: whether it is the first agent to get the release, among the tenth after it, or among the others.',
  ),
}).meta({ id: 'ListedAgent' });
export type ListedAgent = z.infer<typeof ListedAgent>;
