/** `/enrol`: what agents call themselves, to get and to renew their certificates. */
import * as z from 'zod';
import { AgentId, Stage } from '../identity.ts';
import { Claim, ClaimId, ClaimingHost } from './claims.ts';
import type { Operations } from './operation.ts';

const succeeded = z.literal(true);
const Csr = z
  .string()
  .max(4096)
  .startsWith('-----BEGIN CERTIFICATE REQUEST-----')
  .meta({ 'x-checked-further': true, description: 'PKCS #10, PEM' });
/** What an agent gets with its certificate. */
const Identity = z
  .object({
    success: succeeded,
    agent: AgentId,
    stage: Stage,
    certificate: z.string().meta({ description: 'X.509, PEM' }),
    authority: z.string().meta({ description: 'The certificates by which the broker is known, PEM' }),
    broker: z.string().meta({ description: 'Where to connect: `mqtts://<host>:<port>`' }),
  })
  .meta({ id: 'Identity' });
const exampleIdentity = {
  agent: 'home:attic',
  stage: 'local',
  certificate: '-----BEGIN CERTIFICATE-----\n…',
  authority: '-----BEGIN CERTIFICATE-----\n…',
  broker: 'mqtts://192.168.1.2:8883',
};

/** While nobody has decided. */
const Waiting = z
  .object({
    success: succeeded,
    claim: ClaimId,
    state: z.literal('waiting'),
    expiresAt: Claim.shape.claimedAt.meta({ description: 'Until when the claim holds.' }),
    askAgainSeconds: z.int().min(1).max(3600),
  })
  .meta({ id: 'WaitingClaim' });
const exampleWaiting = {
  success: true,
  claim: '0123456789abcdef-00112233445566778899aabbccddeeff',
  state: 'waiting' as const,
  expiresAt: '2026-11-08T08:15:00.000Z',
  askAgainSeconds: 30,
};
/** What an agent that claims is answered: 201 with its identity, or 202. */
const ClaimAnswer = z.union([Identity, Waiting]);

export const enrolment = {
  enrolAgent: {
    method: 'POST',
    path: '/enrol',
    scope: null,
    audit: 'agent.enrol',
    status: 201,
    summary: 'Exchange a one-time code and a certificate request for a certificate; called by the agent itself',
    body: z.object({
      code: z.string().min(1).max(100),
      csr: Csr,
    }),
    response: Identity,
    errors: ['enrolment_refused'],
    example: {
      body: { code: 'lre_…', csr: '-----BEGIN CERTIFICATE REQUEST-----\n…' },
      response: { success: true, ...exampleIdentity },
    },
  },
  claimAgent: {
    method: 'POST',
    path: '/enrol/claims',
    scope: null,
    audit: 'agent.claim',
    status: 201,
    summary:
      'Ask to become an agent, with a claim key and a certificate request; the same request again is the same claim. Called by the agent itself',
    body: z.object({ key: z.string().min(1).max(100), csr: Csr, host: ClaimingHost }),
    response: ClaimAnswer,
    incomplete: 'Somebody has to approve it: ask `/enrol/claims/{claim}` after `askAgainSeconds`.',
    errors: ['enrolment_refused', 'conflict'],
    example: {
      body: {
        key: 'lrk_…',
        csr: '-----BEGIN CERTIFICATE REQUEST-----\n…',
        host: {
          name: 'till-7.example.net',
          platform: 'Debian GNU/Linux 12 (bookworm)',
          addresses: ['192.168.7.2'],
          networks: ['192.168.7.0/24'],
          version: '0.2.0',
        },
      },
      response: exampleWaiting,
    },
  },
  followClaim: {
    method: 'POST',
    path: '/enrol/claims/{claim}',
    scope: null,
    audit: 'agent.claim',
    status: 201,
    summary: 'What became of a claim, for who has its certificate request; called by the agent itself',
    params: z.object({ claim: ClaimId }),
    body: z.object({ csr: Csr }),
    response: ClaimAnswer,
    incomplete: 'Nobody has decided: ask again after `askAgainSeconds`.',
    errors: ['enrolment_refused', 'conflict'],
    example: {
      params: { claim: exampleWaiting.claim },
      body: { csr: '-----BEGIN CERTIFICATE REQUEST-----\n…' },
      response: exampleWaiting,
    },
  },
  renewAgent: {
    method: 'POST',
    path: '/enrol/renew',
    scope: null,
    audit: 'agent.renew',
    status: 201,
    summary:
      'A further certificate for an agent that proves that it has the key of its present one, which is retired when the agent connects with the further one; called by the agent',
    body: z.object({
      agent: AgentId,
      at: z
        .int()
        .positive()
        .meta({ 'x-checked-further': true, description: 'Time of the signature (Unix, ms); good for five minutes' }),
      csr: Csr,
      signature: z
        .base64()
        .min(8)
        .max(1400)
        .meta({ description: 'With the private key of a certificate of the agent, over SHA-256; ECDSA as DER' }),
    }),
    response: Identity,
    errors: ['enrolment_refused', 'conflict'],
    example: {
      body: {
        agent: 'home:attic',
        at: 1793520900000,
        csr: '-----BEGIN CERTIFICATE REQUEST-----\n…',
        signature: 'MEUCIQDxV0Y5cH4k',
      },
      response: { success: true, ...exampleIdentity },
    },
  },
} as const satisfies Operations;
