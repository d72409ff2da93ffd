/** `/updates`: how the release of the agent that is handed out comes to the agents. */
import * as z from 'zod';
import { ReleaseVersion } from '../agent/release.ts';
import { AgentId } from '../identity.ts';
import { OnlySites } from './list.ts';
import type { Operations } from './operation.ts';
import { Ring, Time } from './records.ts';

/** Failures of a roll-out that are named, the last ones. */
export const MAX_NAMED_FAILURES = 20;

const RollOutState = z.enum(['going', 'stopped', 'given-up']);

const RollOut = z
  .object({
    version: ReleaseVersion,
    state: RollOutState.meta({
      description:
        '`stopped`: an agent has failed, and no other one is told to become this release until an administrator has it go on. `given-up`: none will be.',
    }),
    ring: Ring.meta({ description: '1: one agent; 2: a tenth of those that can; 3: all others.' }),
    since: Time.meta({ description: 'When the ring began.' }),
    underWay: z.int().min(0).meta({ description: 'Agents that were told to and are not well with it yet.' }),
    failures: z
      .array(z.object({ agent: AgentId, reason: z.string(), at: Time }))
      .max(MAX_NAMED_FAILURES)
      .meta({ description: 'Who has failed, and why, at the sites that the token may use.' }),
  })
  .meta({ id: 'RollOut' });

const Answer = z.object({
  success: z.literal(true),
  release: ReleaseVersion.nullable().meta({ description: 'The release that is handed out; null without one.' }),
  rollOut: RollOut.nullable().meta({ description: 'null until a site with `updates: auto` has an agent that can.' }),
});

const example = {
  success: true as const,
  release: '0.4.0',
  rollOut: {
    ...{
      version: '0.4.0',
      state: 'stopped' as const,
      ring: 1 as const,
      since: '2026-11-01T08:15:00.000Z',
      underWay: 0,
    },
    failures: [
      { agent: 'home:attic', reason: 'it ended within a minute, and was put back', at: '2026-11-01T08:17:12.000Z' },
    ],
  },
};

export const updates = {
  getUpdates: {
    method: 'GET',
    path: '/updates',
    scope: 'devices:read',
    summary: 'The release of the agent that is handed out, and how far it has come',
    query: z.object({ sites: OnlySites.meta({ description: 'Who has failed only at these sites, by ids and tags.' }) }),
    response: Answer,
    example: { response: example },
  },
  changeUpdates: {
    method: 'PATCH',
    path: '/updates',
    scope: 'admin',
    audit: 'updates.change',
    summary: 'Have a roll-out that has stopped go on, or give up one; the next release is another one',
    body: z.strictObject({
      version: ReleaseVersion.meta({ description: 'The release that is meant.' }),
      state: RollOutState.exclude(['stopped']),
    }),
    response: Answer,
    errors: ['site_forbidden', 'conflict'],
    example: {
      body: { version: '0.4.0', state: 'going' },
      response: { ...example, rollOut: { ...example.rollOut, state: 'going', underWay: 1 } },
    },
  },
} as const satisfies Operations;
