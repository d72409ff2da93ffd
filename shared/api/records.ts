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
import { Millis } from '../time.ts';
import { ROLES, TOKEN_PURPOSES, UPDATE_MODES } from '../words.ts';
import { list } from './list.ts';

export const Time = z.iso.datetime().max(40).meta({ id: 'Time', description: 'A time in UTC (ISO 8601).' });
/** Who looks after a schedule, a check or a hook. */
export const Origin = z.string().max(50).optional().meta({
  description: '`template:<name>`: a template has made it, and only the template changes it. Absent: somebody has.',
});
const TOKEN_ID_EXPECTED = 'expected the 16 hexadecimal digits of a token id';
export const TokenId = z
  .string()
  .max(16, { error: TOKEN_ID_EXPECTED, abort: true })
  .regex(/^[0-9a-f]{16}$/, { error: TOKEN_ID_EXPECTED });
export const Label = z.string().min(1).max(100);
export const Sites = z.union([z.literal('*'), list(SiteRef, { min: 1, max: 100 })], {
  error: 'expected "*" or a list of 1 to 100 site ids and tags, such as home or tag:customers',
});
export type Sites = z.infer<typeof Sites>;

/**
 * How many living tokens may descend from one that is limited to certain sites: those that it has made, those that
 * they have made, and so on. A token that has expired or been revoked does not count.
 */
export const MAX_DESCENDANTS = 100;

export const PersonId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, { error: 'expected the 16 hexadecimal digits of a person' })
  .meta({ id: 'PersonId' });

/** What somebody may do, and where. */
export const Grant = z.object({ role: z.enum(ROLES), sites: Sites }).meta({ id: 'Grant' });
export type Grant = z.infer<typeof Grant>;

/** Somebody who signs in with an identity provider. */
export const Person = z
  .object({
    id: PersonId,
    issuer: z.string().max(500).meta({ description: 'The identity provider.' }),
    subject: z.string().max(255).meta({ description: 'What the provider calls this person.' }),
    name: z.string().max(100),
    email: z.string().max(254).nullable(),
    grants: z.array(Grant).max(50),
    grantsBy: z.enum(['claims', 'hand']).meta({
      description: '`claims`: what the provider says at each sign-in decides; `hand`: what was set here.',
    }),
    isDisabled: z.boolean(),
    createdAt: Time,
    lastSignInAt: Time,
  })
  .meta({ id: 'Person' });
export type Person = z.infer<typeof Person>;

/** A token as it is listed: everything but the secret, of which only a digest is kept. */
export const Token = z
  .object({
    id: TokenId,
    name: Label,
    scopes: z.array(Scope),
    sites: Sites.meta({ description: 'Sites the token may use, by their ids or tags; `*` for all.' }),
    defaultSite: SiteId.nullable().meta({ description: 'The site that is meant when a request names none.' }),
    createdAt: Time,
    createdBy: TokenId.nullable().meta({
      description: 'Id of the token with which it was made; null for the token of `npm start` or of a deployment.',
    }),
    expiresAt: Time.nullable(),
    lastUsedAt: Time.nullable().meta({ description: 'Accurate to five minutes.' }),
    person: PersonId.nullable().meta({
      description:
        'Whose it is: it can do no more than this person may, and ends with them. null: nobody in particular.',
    }),
    purpose: z.enum(TOKEN_PURPOSES).meta({
      description:
        '`session`: somebody who has signed in; `mcp`: an assistant, whose token is accepted at `/mcp` alone.',
    }),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

/** Something that was done: a command, or a change of the collection, the tokens, the sites or the agents. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Time,
    site: SiteId.nullable().meta({ description: 'null: it concerns all sites.' }),
    actor: z.string().meta({
      description:
        "Token id; `schedule:<id>` for what an agent has run by a schedule; `enrolment` for an agent that came with a code; an agent's own id for what it proved with its key; `templates` for what templates have made without a request; `service` for a deleted site that was removed for good; `deployment` for the first token.",
    }),
    person: z
      .object({ id: PersonId, name: z.string() })
      .nullable()
      .optional()
      .meta({ description: 'Whose token it was; null when it was nobody in particular.' }),
    sourceAddress: z.string().nullable().meta({
      description:
        'IP address from which the request came. Null for what no request over the network did, and for entries that are older than this field.',
    }),
    action: z.string().meta({ description: '`tool.<name>` for a command, else what was changed: `devices.import`.' }),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'The command, or names and numbers that say what was changed.' }),
    outcome: z.string().meta({ description: 'State of a command, with its reason; `done` for a change.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The settings of a site for which nobody has set any. */
export const DISCOVERY_OFF: DiscoverySettings = { enabled: false, networks: 'auto', intervalSeconds: 60 };

/** Where a site can be reached from outside: a name, or an address. */
export const ReachableAt = z
  .string()
  .trim()
  .max(253, { abort: true })
  .refine((text) => parseIp(text) !== null || parseHostName(text) !== null, {
    error: 'expected an address or a host name, such as 198.51.100.7 or vpn.example.org',
  });

/**
 * What is to happen when there is a newer release of the agent: nothing, that people are told of it, or that agents replace
 * themselves.
 */
export const Updates = z
  .object({
    mode: z.enum(UPDATE_MODES),
    window: Window.nullable().meta({ description: 'When agents may begin; null: at any time.' }),
  })
  .meta({
    id: 'Updates',
    description:
      'How the agents of the site get newer releases: `auto`, by themselves, one agent of the deployment first, then a tenth, then all; `notify`, by people, who see which could be newer; `off`, by people.',
  });
export type Updates = z.infer<typeof Updates>;

/** The settings of a site for which nobody has set any. */
export const USUAL_UPDATES: Updates = { mode: 'notify', window: null };

/** Most tags of a site. */
export const MAX_TAGS = 16;

/** Not z.json(), which repeats itself: generators of clients take no schema that refers to itself and has no name. */
export const JsonValue = z
  .unknown()
  .meta({ id: 'JsonValue', description: 'Any JSON.' }) as z.ZodType<z.core.util.JSONType>;

/** What templates have made of a site. */
export const SiteTemplates = z
  .object({
    made: z.string().max(32).nullable().meta({ description: 'As which templates it is; null: not all could be made.' }),
    settings: z.record(z.string().max(50), JsonValue).meta({
      description: 'The settings that they have set. One that is another since is the own choice of somebody.',
    }),
    failed: z.record(z.string().max(32), z.string().max(300)).meta({
      description: 'What could not be made, by the names of the templates. It is tried again once an hour.',
    }),
  })
  .meta({ id: 'SiteTemplates', description: 'Absent: no template is about it.' });
export type SiteTemplates = z.infer<typeof SiteTemplates>;

const Network = z.string().max(65).meta({ description: 'In CIDR notation.' });

export const Site = z
  .object({
    id: SiteId,
    name: Label,
    tags: z.array(Tag).max(MAX_TAGS).meta({ description: 'What is given to a tag holds for all sites with it.' }),
    createdAt: Time,
    discovery: DiscoverySettings.meta({
      description:
        'Whether the agents of the site watch its LAN, which networks of it (`auto`: those to which their hosts are attached), and how often.',
    }),
    timeZone: TimeZone,
    reachableAt: ReachableAt.nullable().meta({
      description:
        'The address or name at which the agents of other sites can reach this one, for checks between sites.',
    }),
    updates: Updates,
    policy: SitePolicy.optional().meta({ description: 'Absent: the policy files of the agents alone decide.' }),
    templates: SiteTemplates.optional(),
    revision: Millis.meta({ description: 'Grows with every change of the settings.' }),
    staleSince: Time.nullable().meta({
      description:
        'Since when no agent of the site is connected, so that its devices keep the status they had; null while one is, or while discovery is off.',
    }),
    coverage: z
      .object({
        watched: z.array(Network),
        unwatched: z.array(z.object({ network: Network, since: Time })),
      })
      .meta({
        id: 'SiteCoverage',
        description:
          'The networks that connected agents watch now, and those that were watched before, with since when they are not. Of devices elsewhere nobody knows more than was known last.',
      }),
  })
  .meta({ id: 'Site' });
export type Site = z.infer<typeof Site>;

/** How long a deleted site can be restored. */
export const SITE_RESTORABLE_DAYS = 7;

export const SiteDeletion = z
  .object({
    deletedAt: Time,
    deletedBy: z.string().meta({ description: 'Id of the token.' }),
    restorableUntil: Time.meta({ description: 'From then on nothing of the site comes back.' }),
  })
  .meta({ id: 'SiteDeletion' });
/** A site in a list: with its deletion, in the list of those that are deleted. */
export const ListedSite = Site.extend({ deletion: SiteDeletion.optional() }).meta({ id: 'ListedSite' });
export type ListedSite = z.infer<typeof ListedSite>;

/** How a connection of an agent has ended, as far as the broker knows it. */
export const ConnectionEnd = z.enum(CONNECTION_ENDS).meta({
  id: 'ConnectionEnd',
  description:
    '`stopped`: the agent said goodbye; `connection_lost`: the connection broke off; `timed_out`: nothing was heard of the agent for too long; `taken_over`: another connection of the same name came; `refused`: the agent sent what it may not; `disconnected`: the service cut it, to revoke or replace a certificate; `service_stopped`: the service itself stopped.',
});
export type ConnectionEnd = z.infer<typeof ConnectionEnd>;

/** Why an agent is offline: how its last connection ended, or what keeps it from another one. */
export const OfflineReason = z
  .enum([...CONNECTION_ENDS, 'updating', 'certificate_ended', 'revoked', 'incompatible', 'unknown'])
  .meta({
    id: 'OfflineReason',
    description:
      'A `ConnectionEnd`, or `updating`: it stopped to become another release and has not come back; `certificate_ended`: its certificate is too old to connect with, enrol it again; `revoked`: it is being revoked; `incompatible`: see `problem`; `unknown`: it was not noted.',
  });
export type OfflineReason = z.infer<typeof OfflineReason>;

export const Agent = z
  .object({
    id: AgentId,
    state: z.enum(['enrolling', 'online', 'draining', 'offline']),
    since: Time.nullable(),
    offlineReason: OfflineReason.nullable().meta({ description: 'Why it is offline; null in every other state.' }),
    host: AgentHost.extend({ startedAt: Time.meta({ description: 'When the program of the agent was started.' }) })
      .nullable()
      .meta({
        id: 'AgentHost',
        description: 'The host on which it runs, as the agent said it last; null for agents that do not say so yet.',
      }),
    version: z.string().nullable(),
    protocol: z.int().nullable().meta({
      description:
        'The version of the protocol between agents and the service that the agent speaks; null until it has said so.',
    }),
    problem: z.string().nullable().meta({
      description:
        'Why the agent counts as offline although it may be connected: it speaks another version of the protocol than the service. Or that two hosts use its identity, as after one was copied, and throw each other out.',
    }),
    programs: z.record(z.string(), z.string().nullable()),
    capabilities: z.array(z.string()),
    networks: z.array(z.string()),
    load: Load.nullable().meta({ description: 'Commands that run and that wait, as the agent said it last.' }),
    discovery: DiscoveryState.meta({ id: 'DiscoveryState' })
      .nullable()
      .meta({ description: 'How the agent watches its LAN, as it said it last.' }),
    limitedUntil: Time.nullable().meta({
      description:
        'Until when one message a minute of what it has seen is taken, because it told of more than 20,000 changes within an hour; null when all are.',
    }),
    update: UpdateState.nullable(),
  })
  .meta({ id: 'Agent' });
/** An agent as its row has it. */
export type Agent = z.infer<typeof Agent>;

/** The parts of a deployment that a release reaches one after the other: one agent, a tenth of them, all. */
export const Ring = z.literal([1, 2, 3]);
export type Ring = z.infer<typeof Ring>;

const ListedUpdate = z
  .object({
    able: UpdateState.shape.able.meta({ description: 'Whether it can replace itself, as it says.' }),
    last: z
      .object({
        version: ReleaseVersion,
        state: z.enum(['installing', 'done', 'failed']),
        reason: z.string().nullable().meta({ description: 'Why it failed.' }),
        at: Time,
      })
      .nullable()
      .meta({ description: 'The last release that it tried.' }),
  })
  .meta({ id: 'AgentUpdate' });

/** An agent as it is listed: with what the release says of it that is handed out. */
export const ListedAgent = Agent.extend({
  update: ListedUpdate.nullable().meta({
    description: 'How it stands with updates, as it said it last; null for an agent that knows of none.',
  }),
  updateAvailable: ReleaseVersion.nullable().meta({
    description: 'The release that it could have, where that is newer; null too where the site wants to hear of none.',
  }),
  ring: Ring.nullable().meta({
    description:
      'Where `updates` is `auto`: whether it is the first agent to get the release, among the tenth after it, or among the others.',
  }),
}).meta({ id: 'ListedAgent' });
export type ListedAgent = z.infer<typeof ListedAgent>;
