/**
 * How an agent gets its next certificate. It proves itself with a private key that it has, gets the certificate, and
 * connects with it. That connection, of which the broker tells, retires the certificate before; until then both are
 * valid.
 *
 * Every step can be repeated, by an agent that got no answer and after a function that was killed: a certificate is
 * recorded before it can be used, and stays recorded until it is retired.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { PROOF_HOLDS_MS, renewalText } from '../../shared/agent/proof.ts';
import type { enrolment as operations } from '../../shared/api/enrolment.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, siteOfAgent } from '../../shared/identity.ts';
import type { Handler } from '../http/call.ts';
import type { RequestContext } from '../http/context.ts';
import { validationError } from '../http/errors.ts';
import type { Stores } from '../stores.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { certificateIds } from './agent-row.ts';

export type RenewalContext = RequestContext<'certificates'> & { registry: AgentRegistry };

/**
 * Open to everybody: an unauthorized request costs one read and two signature checks, and its answer reveals nothing.
 */
export const renewAgent: Handler<(typeof operations)['renewAgent'], RenewalContext> = async (
  context,
  call,
  { agent, at, csr, signature },
) => {
  const { certificates, sites, registry, now } = context;
  requireRecent(at, now());
  const known = await certificates.find(agent);
  // The certificate before is as good as the next one until the agent has connected with the next one.
  const proven = [known, known?.next ?? null].filter((one) =>
    isSignedBy(one?.key ?? null, renewalText(agent, at, csr), signature),
  )[0];
  // A proof is accepted once, so an intercepted one is useless.
  if (known === null || !proven || at <= known.provedAt) throw refused(context, agent);
  const { certificateId, key } = proven;
  // A retired certificate proves nothing. Nor does one that was revoked while a table that has since been restored from a
  // backup knew nothing of it.
  if (!(await registry.isActive(certificateId))) throw refused(context, agent);
  if ((await sites.find(siteOfAgent(agent))) === null) throw refused(context, agent); // It is deleted.
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

function toSpki(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Checked before anything is read, and the same for every caller: an agent with a wrong clock has to learn of it. */
function requireRecent(at: number, now: Date): void {
  const offMs = at - now.getTime();
  if (Math.abs(offMs) <= PROOF_HOLDS_MS) return;
  const direction = offMs > 0 ? 'ahead of' : 'behind';
  const off = `${Math.round(Math.abs(offMs) / 1000)} s ${direction} the clock of the service`;
  throw validationError([
    { path: 'at', message: `expected the current time, but it is ${off}; is the clock of the agent's host correct?` },
  ]);
}

/** Stands for a key that is not there, so that the answer takes as long as for a known agent. */
const PLACEHOLDER_KEY = toSpki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

function isSignedBy(spki: string | null, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(spki ?? PLACEHOLDER_KEY, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64')) && spki !== null;
  } catch {
    return false; // The library throws for some malformed signatures.
  }
}

function refused({ log }: Pick<RequestContext, 'log'>, agent: AgentId): ServiceError {
  log.warn({ agentId: agent }, 'a proof of an agent is refused');
  return new ServiceError(
    'enrolment_refused',
    'The agent does not exist, or the request is not signed with the key of its certificate. Enrol the agent again',
  );
}
