/** `/sites/{site}/agents`: the agents of a site. */
import * as z from 'zod';
import { MAX_SPANS } from '../agent/connections.ts';
import { PackageKind, ReleaseVersion } from '../agent/release.ts';
import { AgentName, SiteId } from '../identity.ts';
import { type Operations, Unreadables } from './operation.ts';
import { ConnectionEnd, ListedAgent, Time } from './records.ts';

const succeeded = z.literal(true);

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
  version: '0.2.0',
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
    last: { version: '0.2.0', state: 'done' as const, reason: null, at: '2026-11-01T08:14:51.000Z' },
  },
  updateAvailable: null,
  ring: 3 as const,
};

/** Time in which an agent was connected. */
const Connected = z
  .object({
    from: Time,
    to: Time.nullable().meta({ description: 'null: it is connected still.' }),
    end: ConnectionEnd.nullable().meta({
      description: 'How it ended; null while it lasts, or when that is not known.',
    }),
  })
  .meta({ id: 'AgentConnection' });

/** An agent with what only its own page needs. */
const OneAgent = z.object({
  success: succeeded,
  ...ListedAgent.shape,
  connections: z.array(Connected).max(MAX_SPANS).meta({
    description:
      'When it was connected, in the last seven days at least, the newest last. What lies before the first of them is not known. Accurate to a minute; where there were many, the shortest breaks are left out.',
  }),
  certificateEndsAt: Time.nullable().meta({
    description:
      'When its newest certificate ends, unless it renews it before; null for one that is older than this field.',
  }),
  clockOffSeconds: z.int().nullable().meta({
    description:
      'By how much the clock of its host was ahead of that of the service when it connected (behind: negative), accurate to some seconds, in the cloud to two minutes; null while it is offline. Commands are refused when it is more than five minutes. About 300 says at least so much: how much further ahead it is, is not kept.',
  }),
});

/** What an answer with something for a new host says of the agent. */
export const ReleaseOffer = z
  .object({ version: ReleaseVersion, packages: z.array(PackageKind).max(20) })
  .nullable()
  .meta({ description: 'The agent that `/agent/install.sh` of this service installs; null when it hands out none.' });

export const agents = {
  listAgents: {
    method: 'GET',
    path: '/sites/{site}/agents',
    scope: 'nettools:run',
    summary: 'The agents of a site, and which of them are connected',
    params: z.object({ site: SiteId }),
    response: z.object({ success: succeeded, agents: z.array(ListedAgent), unreadable: Unreadables }),
    errors: ['site_forbidden'],
    example: {
      params: { site: 'home' },
      response: {
        success: true,
        agents: [exampleAgent],
        unreadable: [],
      },
    },
  },
  getAgent: {
    method: 'GET',
    path: '/sites/{site}/agents/{name}',
    scope: 'nettools:run',
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
    method: 'DELETE',
    path: '/sites/{site}/agents/{name}',
    scope: 'admin',
    audit: 'agent.revoke',
    summary: 'Revoke an agent: its connection is cut, its certificate and its enrolment codes are worthless',
    params: z.object({ site: SiteId, name: AgentName }),
    response: z.object({ success: succeeded }),
    errors: ['site_forbidden', 'not_found'],
    example: { params: { site: 'home', name: 'attic' }, response: { success: true } },
  },
} as const satisfies Operations;
