/** `/sites/{site}/agents`: the agents of a site. */
import * as z from 'zod';
import { MAX_SPANS } from '../agent/connections.ts';
import { PackageKind, ReleaseVersion } from '../agent/release.ts';
import { AgentName, SiteId } from '../identity.ts';
import { answer, named, type Operations, route, Unreadables } from './operation.ts';
import { ConnectionEnd, ListedAgent, Time } from './records.ts';

const exampleAgent = {
  id: 'home:main',
  state: 'online' as const,
  since: '2026-11-01T08:15:00.000Z',
  offlineReason: null,
  host: {
    name: 'nuc',
    platform: 'Debian GNU/Linux 12 (bookworm)',
    addresses: ['192.168.1.9'],
    startedAt: '2026-11-01T08:14:59.000Z',
  },
  version: '0.3.0',
  protocol: 4,
  problem: null,
  programs: { ip: '6.1.0' },
  capabilities: ['raw-sockets'],
  networks: ['192.168.1.0/24'],
  load: { running: 0, queued: 0 },
  discovery: { state: 'on' as const, accuracy: 'full' as const, networks: ['192.168.1.0/24'] },
  limitedUntil: null,
  update: {
    able: true,
    last: { version: '0.3.0', state: 'done' as const, reason: null, at: '2026-11-01T08:14:51.000Z' },
  },
  updateAvailable: null,
  ring: 3 as const,
};

/** A period in which an agent was connected. */
const Connected = named('AgentConnection', {
  from: Time,
  to: Time.nullable().describe('null while it is connected.'),
  end: ConnectionEnd.nullable().describe('How it ended; null while it lasts, or if unknown.'),
});

/** An agent with details that the list omits. */
const OneAgent = answer({
  ...ListedAgent.shape,
  connections: z
    .array(Connected)
    .max(MAX_SPANS)
    .describe(
      'Its connections of at least the last seven days, the newest last. Nothing is known before the first. Accurate to a minute; if there were many, the shortest gaps are left out.',
    ),
  certificateEndsAt: Time.nullable().describe(
    'When its newest certificate expires, unless the agent renews it before; null for a certificate older than this field.',
  ),
  clockOffSeconds: z
    .int()
    .nullable()
    .describe(
      'By how much the clock of its host was ahead of that of the service when it connected (behind: negative), accurate to some seconds, in the cloud to two minutes; null while it is offline. Commands are rejected if it is more than five minutes. About 300 means 300 or more.',
    ),
});

/** The release for a new host, in answers with a code for it. */
export const ReleaseOffer = z
  .object({ version: ReleaseVersion, packages: z.array(PackageKind).max(20) })
  .nullable()
  .describe('The release that `/agent/install.sh` of this service installs; null when it offers none.');

export const agents = {
  listAgents: {
    ...route('GET', '/sites/{site}/agents', 'nettools:run'),
    summary: 'The agents of a site, and their connection states',
    params: z.object({ site: SiteId }),
    response: answer({ agents: z.array(ListedAgent), unreadable: Unreadables }),
    errors: ['site_forbidden'],
    example: { params: { site: 'home' }, response: { success: true, agents: [exampleAgent], unreadable: [] } },
  },
  getAgent: {
    ...route('GET', '/sites/{site}/agents/{name}', 'nettools:run'),
    summary: 'One agent: its host, why it is offline, and when it was connected in the last seven days',
    params: z.object({ site: SiteId, name: AgentName }),
    response: OneAgent,
    errors: ['site_forbidden', 'not_found'],
    example: {
      params: { site: 'home', name: 'main' },
      response: {
        success: true,
        ...exampleAgent,
        connections: [
          { from: '2026-10-25T17:02:11.000Z', to: '2026-11-01T08:14:52.000Z', end: 'stopped' },
          { from: '2026-11-01T08:15:00.000Z', to: null, end: null },
        ],
        certificateEndsAt: '2027-10-25T17:02:10.000Z',
        clockOffSeconds: 0,
      },
    },
  },
  revokeAgent: {
    ...route('DELETE', '/sites/{site}/agents/{name}', 'admin'),
    audit: 'agent.revoke',
    summary: 'Revoke an agent: closes its connection, and invalidates its certificate and its enrolment codes',
    params: z.object({ site: SiteId, name: AgentName }),
    response: answer({}),
    errors: ['site_forbidden', 'not_found'],
    example: { params: { site: 'home', name: 'attic' }, response: { success: true } },
  },
} as const satisfies Operations;
