/**
 * How an agent comes to its next certificate. It proves itself by its keys: with the one of the certificate in use it
 * asks for a further one, with the further one it says that it uses it. Until then both are good; after it the one
 * before is retired.
 *
 * Every step can be repeated, by an agent that got no answer as by one whose function was killed on the way: a
 * certificate is noted before it can be used, and stays noted until it has been retired.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify, X509Certificate } from 'node:crypto';
import type * as z from 'zod';
import { confirmationText, PROOF_HOLDS_MS, renewalText } from '../../shared/agent/proof.ts';
import type { admin as operations } from '../../shared/api/admin.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, siteOfAgent } from '../../shared/identity.ts';
import type { Context } from '../context/context.ts';
import type { AgentCertificates } from '../dynamodb/agent-row.ts';
import { validationError } from '../http/errors.ts';
import type { Call } from '../http/routes.ts';

type RenewAgent = typeof operations.renewAgent;
type ConfirmAgent = typeof operations.confirmAgent;

/** Strangers may ask too: they cost one read and one check of a signature, and learn nothing from the answer. */
export async function renewAgent(
  context: Context,
  { requestId }: Pick<Call, 'requestId'>,
  { agent, at, csr, signature }: z.output<RenewAgent['body']>,
): Promise<z.output<RenewAgent['response']>> {
  const { certificates, registry, audit, now } = context;
  requireRecent(at, now());
  const known = await certificates.find(agent);
  const isProven = isSignedBy(known?.key ?? null, renewalText(agent, at, csr), signature);
  // Nobody but the agent and the service has seen the proof. Whoever has nevertheless cannot use it a second time.
  if (known === null || !isProven || at <= known.provedAt) throw refused(context, agent);
  // A table that was restored from a backup knows nothing of a revocation since; neither does one from before a
  // replacement that broke off.
  if (!(await registry.isActive(known.certificateId))) throw refused(context, agent);
  // One that was issued before and never confirmed: its answer was lost, or the agent could do nothing with it.
  for (const unused of [known.former, known.next?.certificateId]) if (unused) await registry.retire(agent, unused);
  const issued = await registry.enrol(agent, csr, async ({ certificateId, certificate }) => {
    const next = { certificateId, key: publicKeyOf(certificate) };
    const renewed = { ...known, next, former: null, provedAt: at };
    if (!(await certificates.replace(agent, known, renewed))) throw overtaken(agent);
  });
  await record(audit, agent, 'agent.renew', requestId);
  const { certificate, authority, broker } = issued;
  return { success: true, agent, certificate, authority, broker };
}

export async function confirmAgent(
  context: Context,
  { requestId }: Pick<Call, 'requestId'>,
  { agent, at, signature }: z.output<ConfirmAgent['body']>,
): Promise<z.output<ConfirmAgent['response']>> {
  const { certificates, audit, now } = context;
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
  await record(audit, agent, 'agent.confirm', requestId);
  await retireFormer(context, agent, confirmed);
  return { success: true, agent };
}

/** The key that a certificate certifies, as it is noted. */
export function publicKeyOf(certificatePem: string): string {
  return toSpki(new X509Certificate(certificatePem).publicKey);
}

function toSpki(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Retires the certificate that was in use before, if its row still names one. @returns what the row says then */
async function retireFormer(
  { certificates, registry }: Pick<Context, 'certificates' | 'registry'>,
  agent: AgentId,
  known: AgentCertificates,
): Promise<AgentCertificates> {
  if (known.former === null) return known;
  await registry.retire(agent, known.former);
  const rest = { ...known, former: null };
  if (!(await certificates.replace(agent, known, rest))) throw overtaken(agent);
  return rest;
}

async function record(
  audit: Context['audit'],
  agent: AgentId,
  action: 'agent.renew' | 'agent.confirm',
  requestId: string,
): Promise<void> {
  await audit.record({ site: siteOfAgent(agent), actor: agent, action, detail: { agent }, requestId });
}

/** Told before anything is looked up, and so to everybody alike: who has set a clock wrong must learn of it. */
function requireRecent(at: number, now: Date): void {
  const offMs = at - now.getTime();
  if (Math.abs(offMs) <= PROOF_HOLDS_MS) return;
  const direction = offMs > 0 ? 'ahead of' : 'behind';
  const off = `${Math.round(Math.abs(offMs) / 1000)} s ${direction} the clock of the service`;
  throw validationError([{ path: 'at', message: `expected a time of now, but it is ${off}` }]);
}

/** For agents that are not there: the answer must not come sooner than for those that are. */
const NOBODYS_KEY = toSpki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

function isSignedBy(spki: string | null, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(spki ?? NOBODYS_KEY, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64')) && spki !== null;
  } catch {
    return false; // A signature can be malformed in ways that make the library throw.
  }
}

function refused({ log }: Pick<Context, 'log'>, agent: AgentId): ServiceError {
  log.warn({ agentId: agent }, 'a proof of an agent is refused');
  return new ServiceError(
    'enrolment_refused',
    'There is no such agent, or it has not proven that it has the key of its certificate. Enrol it again to use it',
  );
}

function overtaken(agent: AgentId): ServiceError {
  return new ServiceError('conflict', `The certificates of ${agent} have changed in the meantime`, { retryAfter: 2 });
}
