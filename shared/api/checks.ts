/** `/checks`: periodic checks by the agents of a site. */
import * as z from 'zod';
import { PlanItemId } from '../agent/plan.ts';
import { AgentName, SiteId } from '../identity.ts';
import { ReasonCode } from '../reasons.ts';
import { matching } from '../text-schemas.ts';
import { DeviceName } from './device-terms.ts';
import { list, OnlySites } from './list.ts';
import { answer, named, type Operations, onSite, route, succeeded, Unreadables } from './operation.ts';
import { Label, Origin, Time } from './records.ts';

const CHECK_KINDS = ['ping', 'tcp', 'http', 'dns', 'internet', 'site'] as const;
export const CheckKind = z.enum(CHECK_KINDS);
export type CheckKind = z.infer<typeof CheckKind>;

const EverySeconds = z.int().min(60).max(86_400);
const Port = z.int().min(1).max(65_535);
const HostText = z.string().trim().min(1).max(253);
const DnsRecord = z.enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'PTR', 'SRV']);
const StatusList = matching(
  100,
  /^[1-5]\d\d(-[1-5]\d\d)?(,[1-5]\d\d(-[1-5]\d\d)?)*$/,
  'expected statuses such as 200-399 or 200,401',
);
const HttpUrl = z
  .string()
  .max(2_000, { abort: true })
  .refine((text) => /^https?:\/\/[^/\s]/i.test(text) && URL.canParse(text) && new URL(text).username === '', {
    error: 'expected a URL such as https://nas.lan/, without a user name',
  });

/** The agents that run a check. */
const CheckAgents = z
  .union([z.enum(['auto', 'all']), list(AgentName, { min: 1, max: 8 })], {
    error: 'expected "auto", "all" or a list of 1 to 8 agents',
  })
  .describe(
    '`auto`: two connected agents, or the only one. If several agents run a check, it is down only when all connected ones report it down.',
  );

/** The target of a check, in the fields of its kind. */
const target = {
  device: DeviceName.optional().describe(
    'For `ping` and `tcp`: a device of the site, at its current address. Instead of `host`.',
  ),
  host: HostText.optional().describe('For `ping` and `tcp`: an address or a name. Instead of `device`.'),
  port: Port.optional().describe('For `tcp`.'),
  url: HttpUrl.optional().describe('For `http`.'),
  status: StatusList.optional().describe('For `http`: statuses that count as up. Default: `200-399`.'),
  text: z.string().min(1).max(200).optional().describe('For `http`: what the answer must contain.'),
  name: HostText.optional().describe('For `dns`: the name to resolve.'),
  record: DnsRecord.optional().describe('For `dns`. Default: `A`.'),
  server: HostText.optional().describe('For `dns`: the server. Default: the resolver of the host of the agent.'),
  expect: z.string().min(1).max(255).optional().describe('For `dns`: one of the answers must be this.'),
  anchors: list(HostText, { min: 1, max: 4 })
    .optional()
    .describe(
      'For `internet`: hosts of the internet; it is down when none of them answers. Default: 1.1.1.1 and 9.9.9.9.',
    ),
  toSite: SiteId.optional().describe(
    'For `site`: another site that the token may use, at the `reachableAt` of its settings.',
  ),
};
const Target = z.object(target);

/** The fields of a new check. */
export const checkFields = {
  label: Label.optional().describe('Default: the target.'),
  kind: CheckKind,
  ...target,
  everySeconds: EverySeconds.default(60),
  agents: CheckAgents.default('auto'),
  enabled: z.boolean().default(true),
};

export const CheckMeasured = named('CheckMeasured', {
  agent: AgentName,
  at: Time,
  rttMs: z.number().nullable().describe('Milliseconds until the answer; null without one.'),
  lossPercent: z.number(),
  jitterMs: z.number().nullable(),
});

export const Check = named('Check', {
  id: PlanItemId,
  site: SiteId,
  label: Label,
  kind: CheckKind,
  ...target,
  everySeconds: EverySeconds,
  agents: CheckAgents,
  enabled: z.boolean(),
  createdAt: Time,
  createdBy: z.string(),
  origin: Origin,
  state: z
    .enum(['up', 'down', 'unknown'])
    .describe('`unknown`: it never ran, is disabled, or no agent that runs it is connected.'),
  since: Time.nullable().describe('Since when it is up or down, if known.'),
  reason: z.string().nullable().describe('Why it is down.'),
  reasonCode: ReasonCode,
  certificateEndsAt: Time.nullable().describe('Of an HTTPS check: when the certificate of the server expires.'),
  path: z.array(z.string()).nullable().describe('Of a `site` check: the hops, empty where one does not answer.'),
  measured: z.array(CheckMeasured).describe('The last run of each agent, five minutes old or more.'),
});
export type Check = z.infer<typeof Check>;

const exampleCheck = {
  id: '8a11c0ffee42',
  site: 'home',
  label: 'nas',
  kind: 'ping' as const,
  device: '00:1E:06:AA:BB:01',
  everySeconds: 60,
  agents: 'auto' as const,
  enabled: true,
  createdAt: '2026-11-01T08:15:00.000Z',
  createdBy: '0123456789abcdef',
  state: 'up' as const,
  since: '2026-11-01T08:17:00.000Z',
  reason: null,
  certificateEndsAt: null,
  path: null,
  measured: [{ agent: 'main', at: '2026-11-01T09:40:00.000Z', rttMs: 0.42, lossPercent: 0, jitterMs: 0.05 }],
};
const params = z.object({ check: PlanItemId });
const about = { check: exampleCheck.id };

const Edge = named('MatrixEdge', {
  from: SiteId,
  to: SiteId,
  check: PlanItemId,
  state: z.enum(['up', 'down', 'unknown']),
  since: Time.nullable(),
  rttMs: z.number().nullable(),
  lossPercent: z.number().nullable(),
  path: z.array(z.string()).nullable(),
});

export const checks = {
  listChecks: {
    ...onSite('GET', '/checks', 'devices:read'),
    summary: 'The checks of a site, with their states',
    query: z.object({
      device: DeviceName.optional().describe('Only those of this device.'),
      state: z.enum(['up', 'down', 'unknown']).optional(),
    }),
    response: answer({ checks: z.array(Check), unreadable: Unreadables }),
    mcp: {
      name: 'list_checks',
      title: 'List checks',
      description:
        'The periodic checks by the agents of a site (ping, TCP, HTTP, DNS, the internet, other sites): whether the target answers, how fast, and why not.',
    },
    example: { response: { success: true, checks: [exampleCheck], unreadable: [] } },
  },
  addCheck: {
    ...onSite('POST', '/checks', 'nettools:run'),
    audit: 'check.add',
    status: 201,
    summary: 'Check a device, an address, a service, the internet or another site periodically',
    body: z
      .strictObject(checkFields)
      .superRefine((check, context) =>
        requireFieldsOf(check.kind, check, (path, message) =>
          context.addIssue({ code: 'custom', path: [path], message }),
        ),
      ),
    response: Check.extend({ success: succeeded }),
    errors: ['conflict', 'not_found'],
    mcp: {
      name: 'add_check',
      title: 'Add a check',
      description:
        'Makes the agents of a site check a target periodically: kind ping or tcp with device or host, http with url, dns with name, internet, or site with toSite.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    example: {
      body: { kind: 'ping', device: '00:1E:06:AA:BB:01', label: 'nas' },
      response: { success: true, ...exampleCheck, state: 'unknown', since: null, measured: [] },
    },
  },
  getMatrix: {
    ...route('GET', '/checks/matrix', 'devices:read'),
    summary:
      'Which site reaches which, how fast and by which path: the checks of kind `site` of all sites of the token',
    query: z.object({ sites: OnlySites }),
    response: answer({
      sites: z.array(z.object({ id: SiteId, name: Label })),
      edges: z.array(Edge),
      unreadable: Unreadables,
    }),
    mcp: {
      name: 'site_matrix',
      title: 'Which site reaches which',
      description:
        'The checks between sites: from, to, whether it answers, milliseconds, loss, and the hops in between.',
    },
    example: {
      response: {
        success: true,
        sites: [
          { id: 'home', name: 'Home' },
          { id: 'cabin', name: 'Cabin' },
        ],
        edges: [
          {
            from: 'home',
            to: 'cabin',
            check: exampleCheck.id,
            state: 'up',
            since: '2026-11-01T08:17:00.000Z',
            rttMs: 21.4,
            lossPercent: 0,
            path: ['192.168.1.1', '', '198.51.100.7'],
          },
        ],
        unreadable: [],
      },
    },
  },
  addMatrix: {
    ...route('POST', '/checks/matrix', 'nettools:run'),
    audit: 'check.matrix',
    status: 201,
    summary:
      'Let sites check each other: adds the checks of kind `site` that are missing between them, in both directions',
    body: z.strictObject({ sites: list(SiteId, { min: 2, max: 30 }), everySeconds: EverySeconds.default(60) }),
    response: answer({
      added: z.int().min(0).describe('How many checks were added; existing ones stay.'),
      unreachable: z
        .array(SiteId)
        .describe('Sites without `reachableAt` in their settings: no other site can check them.'),
    }),
    errors: ['conflict', 'site_forbidden'],
    example: { body: { sites: ['home', 'cabin'] }, response: { success: true, added: 2, unreachable: [] } },
  },
  getCheck: {
    ...onSite('GET', '/checks/{check}', 'devices:read'),
    summary: 'One check',
    params,
    response: Check.extend({ success: succeeded }),
    errors: ['not_found'],
    example: { params: about, response: { success: true, ...exampleCheck } },
  },
  changeCheck: {
    ...onSite('PATCH', '/checks/{check}', 'nettools:run'),
    audit: 'check.change',
    summary: 'Change a check; omitted fields stay as they are, and the target always does',
    params,
    body: z
      .strictObject({
        label: Label.optional(),
        everySeconds: EverySeconds.optional(),
        agents: CheckAgents.optional(),
        enabled: z.boolean().optional(),
      })
      .refine((wanted) => Object.keys(wanted).length > 0, { error: 'expected label, everySeconds, agents or enabled' }),
    response: Check.extend({ success: succeeded }),
    errors: ['not_found', 'conflict'],
    example: {
      params: about,
      body: { everySeconds: 300 },
      response: { success: true, ...exampleCheck, everySeconds: 300 },
    },
  },
  removeCheck: {
    ...onSite('DELETE', '/checks/{check}', 'nettools:run'),
    audit: 'check.remove',
    summary: 'Remove a check; its series stays until it expires',
    params,
    response: answer({}),
    errors: ['not_found'],
    example: { params: about, response: { success: true } },
  },
} as const satisfies Operations;

type TargetField = keyof typeof target;
/** The required fields of each kind (one of each group), and the optional ones. */
const FIELDS_OF: Record<CheckKind, { oneOf: readonly (readonly TargetField[])[]; also: readonly TargetField[] }> = {
  ping: { oneOf: [['device', 'host']], also: [] },
  tcp: { oneOf: [['device', 'host'], ['port']], also: [] },
  http: { oneOf: [['url']], also: ['status', 'text'] },
  dns: { oneOf: [['name']], also: ['record', 'server', 'expect'] },
  internet: { oneOf: [], also: ['anchors'] },
  site: { oneOf: [['toSite']], also: [] },
};

/** Calls `reject` for each missing field, and for each that the kind of the check does not have. */
export function requireFieldsOf(
  kind: CheckKind,
  check: z.infer<typeof Target>,
  reject: (path: string, message: string) => void,
): void {
  const { oneOf, also } = FIELDS_OF[kind];
  for (const group of oneOf) {
    if (group.filter((field) => check[field] !== undefined).length === 1) continue;
    const expected = `${group.length > 1 ? 'exactly one of ' : ''}${group.join(' and ')}`;
    reject(group[0] ?? 'kind', `expected ${expected} for a check of kind ${kind}`);
  }
  const taken = [...oneOf.flat(), ...also];
  for (const field of Object.keys(target) as TargetField[]) {
    if (check[field] !== undefined && !taken.includes(field)) reject(field, `a check of kind ${kind} has no ${field}`);
  }
}
