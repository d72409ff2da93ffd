/**
 * Renewal of an agent's certificate. The agent authenticates with its private key, gets the next certificate, and connects
 * with it. The broker's event of that connection retires the former certificate; until then both are valid.
 *
 * Every step is idempotent, for an agent that got no response and after a function was killed: a certificate is recorded
 * before it can be used, and stays recorded until it is retired.
 */
import { X509Certificate } from 'node:crypto';
import { renewalText } from '../../../shared/agent/proof.ts';
import type { enrolment as operations } from '../../../shared/api/enrolment.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type AgentId, siteOfAgent } from '../../../shared/identity.ts';
import type { Handler } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import type { Stores } from '../../stores.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { certificateIds } from './agent-row.ts';
import { proofRefused, provenBy, toSpki } from './proof.ts';

export type RenewalContext = RequestContext<'certificates'> & { registry: AgentRegistry };

/** Needs no token: see `provenBy`. */
export const renewAgent: Handler<(typeof operations)['renewAgent'], RenewalContext> = async (
  context,
  call,
  { agent, at, csr, signature },
) => {
  const { certificates, registry } = context;
  const { known, certificateId, key } = await provenBy(context, { agent, at, signature }, renewalText(agent, at, csr));
  // A proof is accepted once, so an intercepted one is useless.
  if (at <= known.provedAt) throw proofRefused(context, agent);
  for (const other of certificateIds(known)) if (other !== certificateId) await registry.retire(agent, other);
  const issued = await registry.enrol(agent, csr, async (made) => {
    const next = { certificateId: made.certificateId, key: publicKeyOf(made.certificate) };
    const renewed = { ...known, certificateId, key, next, provedAt: at, endsAt: endOf(made.certificate) };
    if (await certificates.replace(agent, known, renewed)) return;
    const message = `The certificates of ${agent} have changed in the meantime`;
    throw new ServiceError('conflict', message, { retryAfter: 2 });
  });
  await call.audit({ agent }, { site: siteOfAgent(agent), actor: agent });
  const { stage, certificate, authority, broker } = issued;
  return { success: true, agent, stage, certificate, authority, broker };
};

/** Retires an agent's former certificate when the agent has connected with the next one. */
export async function retirePrevious(
  { certificates, registry }: Pick<Stores, 'certificates'> & { registry: Pick<AgentRegistry, 'retire'> },
  agent: AgentId,
  connectedWith: string,
): Promise<void> {
  const known = await certificates.find(agent);
  if (known?.next?.certificateId !== connectedWith || known.retired === known.certificateId) return;
  await registry.retire(agent, known.certificateId);
  await certificates.noteRetired(agent, known.certificateId);
}

/** The public key of a certificate, in the stored form. */
export const publicKeyOf = (certificatePem: string): string => toSpki(new X509Certificate(certificatePem).publicKey);

/** The expiry of a certificate (Unix, ms). */
export const endOf = (certificatePem: string): number => Date.parse(new X509Certificate(certificatePem).validTo);
