/** `/enrol`: agents get and renew their certificates. */
import * as z from 'zod';
import { AgentId, Stage } from '../identity.ts';
import { named, type Operations, route, succeeded } from './operation.ts';

const Csr = z
  .string()
  .max(4096)
  .startsWith('-----BEGIN CERTIFICATE REQUEST-----')
  .meta({ 'x-checked-further': true, description: 'PKCS #10, PEM' });
/** The certificate of an agent, and its parameters. */
const Identity = named('Identity', {
  success: succeeded,
  agent: AgentId,
  stage: Stage,
  certificate: z.string().describe('X.509, PEM'),
  authority: z.string().describe('The CA certificates that verify the broker, PEM'),
  broker: z.string().describe('The broker: `mqtts://<host>:<port>`'),
});
const exampleIdentity = {
  agent: 'home:attic',
  stage: 'local',
  certificate: '-----BEGIN CERTIFICATE-----\n…',
  authority: '-----BEGIN CERTIFICATE-----\n…',
  broker: 'mqtts://192.168.1.2:8883',
};

export const enrolment = {
  enrolAgent: {
    ...route('POST', '/enrol', null),
    audit: 'agent.enrol',
    status: 201,
    summary:
      'Exchange an enrolment code and a certificate request for a certificate; a further request with the same key is the same use. Agents call it',
    body: z.object({
      code: z.string().min(1).max(100),
      csr: Csr,
      name: z
        .string()
        .min(1)
        .max(253)
        .optional()
        .describe('Of the host. The agent gets this name unless the code has one.'),
    }),
    response: Identity,
    errors: ['enrolment_refused'],
    example: {
      body: { code: 'lre_…', csr: '-----BEGIN CERTIFICATE REQUEST-----\n…', name: 'attic.example.net' },
      response: { success: true, ...exampleIdentity },
    },
  },
  renewAgent: {
    ...route('POST', '/enrol/renew', null),
    audit: 'agent.renew',
    status: 201,
    summary:
      'Issue a further certificate to an agent that proves possession of the key of its present one, which is retired when the agent connects with the new one. Agents call it',
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
        .describe('With the private key of a certificate of the agent, over SHA-256; ECDSA as DER'),
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
