/** `/health`: for load balancers and supervisors. Reveals nothing that needs a token. */
import * as z from 'zod';
import { type Operations, route } from './operation.ts';

export const health = {
  health: {
    ...route('GET', '/health', null),
    summary: 'The API answers',
    response: z.object({ status: z.literal('ok'), version: z.string() }),
    example: { response: { status: 'ok', version: '0.3.0' } },
  },
  ready: {
    ...route('GET', '/health/ready', null),
    summary: 'The database and the broker answer, and, on one machine, the local agent is connected',
    response: z.object({ status: z.literal('ready') }),
    errors: ['unavailable'],
    example: { response: { status: 'ready' } },
  },
} as const satisfies Operations;
