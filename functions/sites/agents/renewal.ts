/**
 * How an agent gets its next certificate. It proves itself with a private key that it has, gets the certificate, and
 * connects with it. That connection, of which the broker tells, retires the certificate before; until then both are
 * valid.
 *
 * Every step can be repeated, by an agent that got no answer and after a function that was killed: a certificate is
 * recorded before it can be used, and stays recorded until it is retired.
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

/**
 * Open to everybody: an unauthorized request costs one read and two signature checks, and its answer reveals nothing.
 */
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

/** The agent has connected with a certificate: if that is its next one, the one before is retired. */
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

/** The public key of a certificate, in the form in which it is stored. */
export function publicKeyOf(certificatePem: string): string {
  return toSpki(new X509Certificate(certificatePem).publicKey);
}

/** When a certificate ends (Unix, ms). */
export function endOf(certificatePem: string): number {
  return Date.parse(new X509Certificate(certificatePem).validTo);
}
