/** `/health`: for load balancers and supervisors. Reveals nothing that needs a token. */
import * as z from 'zod';
import { Deployment, Term } from '../agent/place.ts';
import type { Operations } from './operation.ts';

export const health = {
  health: {
    method: 'GET',
    path: '/health',
    scope: null,
    summary: 'The API answers',
    response: z.object({
      status: z.literal('ok'),
      version: z.string(),
      term: Term.optional().describe(
        'Grows with each standby that takes over: of two servers of a deployment, the one with the greater term counts',
      ),
      proof: Deployment.shape.proof.describe('The signature of the term by the authority of both servers.'),
    }),
    example: { response: { status: 'ok', version: '0.2.0', term: 1 } },
  },
  ready: {
    method: 'GET',
    path: '/health/ready',
    scope: null,
    summary: 'The database and the broker answer, and, on one machine, the local agent is connected',
    response: z.object({ status: z.literal('ready') }),
    errors: ['unavailable'],
    example: { response: { status: 'ready' } },
  },
} as const satisfies Operations;
