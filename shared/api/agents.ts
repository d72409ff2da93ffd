/** `/sites/{site}/agents`: the agents of a site, and the codes with which further ones enrol. */
import * as z from 'zod';
import { PackageKind, ReleaseVersion } from '../agent/release.ts';
import { AgentId, AgentName, SiteId } from '../identity.ts';
import { Addresses, exampleAddresses } from './addresses.ts';
import { type Operations, Unreadables } from './operation.ts';
import { ListedAgent, Time } from './records.ts';

const succeeded = z.literal(true);

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
        agents: [
          {
            id: 'home:main',
            state: 'online',
            since: '2026-11-01T08:15:00.000Z',
            version: '0.2.0',
            protocol: 4,
            problem: null,
            programs: { ip: '6.1.0' },
            capabilities: ['raw-sockets'],
            networks: ['192.168.1.0/24'],
            load: { running: 0, queued: 0 },
            discovery: { state: 'on', accuracy: 'full', networks: ['192.168.1.0/24'] },
            limitedUntil: null,
            update: {
              able: true,
              last: { version: '0.2.0', state: 'done', reason: null, at: '2026-11-01T08:14:51.000Z' },
            },
            updateAvailable: null,
            ring: 3,
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
    audit: 'enrolment.create',
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
      release: z
        .object({ version: ReleaseVersion, packages: z.array(PackageKind).max(20) })
        .nullable()
        .meta({
          description: 'The agent that `/agent/install.sh` of this service installs; null when it hands out none.',
        }),
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
        release: { version: '0.2.0', packages: ['deb-amd64', 'deb-arm64', 'npm', 'program'] },
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
