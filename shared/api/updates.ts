/** `/updates`: the roll-out of the offered release of the agent. */
import * as z from 'zod';
import { ReleaseVersion } from '../agent/release.ts';
import { AgentId } from '../identity.ts';
import { OnlySites } from './list.ts';
import { answer, named, type Operations, route } from './operation.ts';
import { Ring, Time } from './records.ts';

/** Listed failures of a roll-out, the last ones. */
export const MAX_NAMED_FAILURES = 20;

const RollOutState = z.enum(['going', 'stopped', 'given-up']);

const RollOut = named('RollOut', {
  version: ReleaseVersion,
  state: RollOutState.describe(
    '`stopped`: an agent has failed, and no other one gets this release until an administrator resumes the roll-out. `given-up`: none will get it.',
  ),
  ring: Ring.describe('1: one agent; 2: a tenth of those that can update; 3: all others.'),
  since: Time.describe('When the ring started.'),
  underWay: z.int().min(0).describe('Agents that have been sent the release and have not confirmed it yet.'),
  failures: z
    .array(z.object({ agent: AgentId, reason: z.string(), at: Time }))
    .max(MAX_NAMED_FAILURES)
    .describe('The agents that failed, and why, at the sites that the token may use.'),
});

const Answer = answer({
  release: ReleaseVersion.nullable().describe('The offered release; null without one.'),
  rollOut: RollOut.nullable().describe('null until a site with `updates: auto` has an agent that can update.'),
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
    ...route('GET', '/updates', 'devices:read'),
    summary: 'The offered release of the agent, and the progress of its roll-out',
    query: z.object({ sites: OnlySites.describe('Only failures at these sites, by ids and tags.') }),
    response: Answer,
    example: { response: example },
  },
  changeUpdates: {
    ...route('PATCH', '/updates', 'admin'),
    audit: 'updates.change',
    summary: 'Resume a stopped roll-out, or abandon one; the next release starts a new one',
    body: z.strictObject({
      version: ReleaseVersion.describe('The release of the roll-out.'),
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
