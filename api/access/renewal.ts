/**
 * How an agent gets its next certificate. It proves itself by its private keys: with the current one it requests the
 * next certificate, with the next one it confirms that it uses that. Until then both certificates are valid; then the
 * previous one is retired.
 *
 * Every step is idempotent, for an agent that got no answer and for a function that was killed in between: a
 * certificate is recorded before it can be used, and stays recorded until it is retired.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { confirmationText, PROOF_HOLDS_MS, renewalText } from '../../shared/agent/proof.ts';
import type { enrolment as operations } from '../../shared/api/enrolment.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, siteOfAgent } from '../../shared/identity.ts';
import type { AgentCertificates } from '../../store/access/agent-row.ts';
import type { AccessContext } from '../context/context.ts';
import type { Handler } from '../http/call.ts';
import { validationError } from '../http/errors.ts';

/**
 * Open to everybody: an unauthorized request costs one read and one signature check, and its answer reveals nothing.
 */
export const renewAgent: Handler<(typeof operations)['renewAgent'], AccessContext> = async (
  context,
  call,
  { agent, at, csr, signature },
) => {
  const { certificates, registry, now } = context;
  requireRecent(at, now());
  const known = await certificates.find(agent);
  const isProven = isSignedBy(known?.key ?? null, renewalText(agent, at, csr), signature);
  // A proof is accepted once, so an intercepted one is useless.
  if (known === null || !isProven || at <= known.provedAt) throw refused(context, agent);
  // A table that was restored from a backup may lack a later revocation, or one from before a replacement that was not
  // completed: ask the registry.
  if (!(await registry.isActive(known.certificateId))) throw refused(context, agent);
  // Certificates that were issued earlier and never confirmed, because the agent did not get them or could not use
  // them.
  for (const unused of [known.former, known.next?.certificateId]) if (unused) await registry.retire(agent, unused);
  const issued = await registry.enrol(agent, csr, async ({ certificateId, certificate }) => {
    const next = { certificateId, key: publicKeyOf(certificate) };
    const renewed = { ...known, next, former: null, provedAt: at };
    if (!(await certificates.replace(agent, known, renewed))) throw overtaken(agent);
  });
  await call.audit({ agent }, { site: siteOfAgent(agent), actor: agent });
  const { stage, certificate, authority, broker } = issued;
  return { success: true, agent, stage, certificate, authority, broker };
};

export const confirmAgent: Handler<(typeof operations)['confirmAgent'], AccessContext> = async (
  context,
  call,
  { agent, at, signature },
) => {
  const { certificates, now } = context;
  requireRecent(at, now());
  const known = await certificates.find(agent);
  const text = confirmationText(agent, at);
  const isByNext = isSignedBy(known?.next?.key ?? null, text, signature);
  // Confirmed before, by a request whose answer was lost.
  const isByPresent = isSignedBy(known?.key ?? null, text, signature);
  if (known === null || !(isByNext || isByPresent)) throw refused(context, agent);
  const before = await retireFormer(context, agent, known);
  if (!isByNext || before.next === null) return { success: true, agent };
  const confirmed = { ...before, ...before.next, next: null, former: before.certificateId };
  if (!(await certificates.replace(agent, before, confirmed))) throw overtaken(agent);
  await call.audit({ agent }, { site: siteOfAgent(agent), actor: agent });
  await retireFormer(context, agent, confirmed);
  return { success: true, agent };
};

/** The public key of a certificate, in the form in which it is stored. */
export function publicKeyOf(certificatePem: string): string {
  return toSpki(new X509Certificate(certificatePem).publicKey);
}

function toSpki(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Retires the previous certificate, if the row still names one. @returns the row's certificates after that */
async function retireFormer(
  { certificates, registry }: Pick<AccessContext, 'certificates' | 'registry'>,
  agent: AgentId,
  known: AgentCertificates,
): Promise<AgentCertificates> {
  if (known.former === null) return known;
  await registry.retire(agent, known.former);
  const rest = { ...known, former: null };
  if (!(await certificates.replace(agent, known, rest))) throw overtaken(agent);
  return rest;
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

/** Stands for the key of an unknown agent, so that the answer takes as long as for a known one. */
const PLACEHOLDER_KEY = toSpki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

function isSignedBy(spki: string | null, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(spki ?? PLACEHOLDER_KEY, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64')) && spki !== null;
  } catch {
    return false; // The library throws for some malformed signatures.
  }
}

function refused({ log }: Pick<AccessContext, 'log'>, agent: AgentId): ServiceError {
  log.warn({ agentId: agent }, 'a proof of an agent is refused');
  return new ServiceError(
    'enrolment_refused',
    'The agent does not exist, or the request is not signed with the key of its certificate. Enrol the agent again',
  );
}

function overtaken(agent: AgentId): ServiceError {
  return new ServiceError('conflict', `The certificates of ${agent} have changed in the meantime`, { retryAfter: 2 });
}
