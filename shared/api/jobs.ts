/** `/jobs`: every command that was accepted, and how it ended. */
import * as z from 'zod';
import { Command, JobState, Reason, Tool } from '../agent/messages.ts';
import { JobId, SiteId } from '../identity.ts';
import type { Operations } from './operation.ts';

const Time = z.iso.datetime();

export const Job = z
  .object({
    id: JobId,
    site: SiteId,
    agent: z.string(),
    tool: Tool,
    request: Command,
    state: JobState,
    reason: Reason.nullable(),
    /** Which token asked for it. */
    actor: z.string(),
    createdAt: Time,
    startedAt: Time.nullable(),
    endedAt: Time.nullable(),
    /** What the tool printed; null while it runs. */
    output: z.string().nullable(),
    /** The output, parsed. */
    result: z.unknown(),
    truncated: z.boolean(),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

const id = 'home.01934c1e-5f00-7a11-8a22-0123456789ab';

export const jobs = {
  getJob: {
    method: 'GET',
    path: '/jobs/{id}',
    scope: 'nettools:run',
    summary: 'One command: its state, and its result once it has ended',
    params: z.object({ id: JobId }),
    response: Job.extend({ success: z.literal(true) }),
    errors: ['not_found'],
    example: {
      params: { id },
      response: {
        success: true,
        id,
        site: 'home',
        agent: 'home:main',
        tool: 'traceroute',
        request: { tool: 'traceroute', target: '192.168.1.1' },
        state: 'succeeded',
        reason: null,
        actor: '0123456789abcdef',
        createdAt: '2026-11-01T08:15:00.000Z',
        startedAt: '2026-11-01T08:15:00.010Z',
        endedAt: '2026-11-01T08:15:00.240Z',
        output: ' 1  192.168.1.1  0.3 ms  0.2 ms  0.2 ms\n',
        result: null,
        truncated: false,
      },
    },
  },
} as const satisfies Operations;
