/** `/enrol`: what agents call themselves, to get and to renew their certificates. */
import * as z from 'zod';
import { AgentId, Stage } from '../identity.ts';
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

export const enrolment = {
  enrolAgent: {
    method: 'POST',
    path: '/enrol',
    scope: null,
    audit: 'agent.enrol',
    status: 201,
    summary:
      'Exchange an enrolment code and a certificate request for a certificate; a further request with the same key is the same use. Called by the agent itself',
    body: z.object({
      code: z.string().min(1).max(100),
      csr: Csr,
      name: z
        .string()
        .min(1)
        .max(253)
        .optional()
        .meta({ description: 'Of the host. Its agent is named after it where the code names none.' }),
    }),
    response: Identity,
    errors: ['enrolment_refused'],
    example: {
      body: { code: 'lre_…', csr: '-----BEGIN CERTIFICATE REQUEST-----\n…', name: 'attic.example.net' },
      response: { success: true, ...exampleIdentity },
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
