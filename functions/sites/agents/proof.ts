/** Authentication of an agent over the API, by a signature with the private key of its certificate. */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { PROOF_HOLDS_MS } from '../../../shared/agent/proof.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { type AgentId, siteOfAgent } from '../../../shared/identity.ts';
import { orNull } from '../../../shared/problem.ts';
import type { RequestContext } from '../../http/context.ts';
import { invalid } from '../../http/errors.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { AgentCertificates } from './agent-row.ts';

interface Proof {
  agent: AgentId;
  /** Unix, ms; part of the text that was signed. */
  at: number;
  /** Base64. */
  signature: string;
}

/** `certificateId` and `key` are those of the signature. */
interface Proven {
  known: AgentCertificates;
  certificateId: string;
  key: string;
}

/**
 * An unauthorized request costs one read and two signature checks, and its response reveals nothing.
 * @throws {ServiceError} `validation_failed` when its time is not current; `enrolment_refused`
 */
export async function provenBy(
  context: RequestContext<'certificates'> & { registry: Pick<AgentRegistry, 'isActive'> },
  { agent, at, signature }: Proof,
  text: string,
): Promise<Proven> {
  const { certificates, sites, registry, now } = context;
  requireRecent(at, now());
  const known = await certificates.find(agent);
  // Both certificates are valid until the agent has connected with the next one.
  const proven = [known, known?.next ?? null].filter((one) => isSignedBy(one?.key ?? null, text, signature))[0];
  if (known === null || !proven) throw proofRefused(context, agent);
  const { certificateId, key } = proven;
  // Not with a retired certificate, nor with one whose revocation a table restored from a backup does not know.
  if (!(await registry.isActive(certificateId))) throw proofRefused(context, agent);
  if ((await sites.find(siteOfAgent(agent))) === null) throw proofRefused(context, agent); // It is deleted.
  return { known, certificateId, key };
}

export function proofRefused({ log }: Pick<RequestContext, 'log'>, agent: AgentId): ServiceError {
  log.warn({ agentId: agent }, 'proof of an agent rejected');
  return new ServiceError(
    'enrolment_refused',
    'The agent does not exist, or the request is not signed with the key of its certificate. Enrol the agent again',
  );
}

/** A public key in the form in which it is stored. */
export const toSpki = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64');

/** Checked before any read, and for every caller: an agent with a wrong clock must get this error. */
function requireRecent(at: number, now: Date): void {
  const offMs = at - now.getTime();
  if (Math.abs(offMs) <= PROOF_HOLDS_MS) return;
  const direction = offMs > 0 ? 'ahead of' : 'behind';
  const off = `${Math.round(Math.abs(offMs) / 1000)} s ${direction} the clock of the service`;
  throw invalid('at', `expected the current time, but it is ${off}; is the clock of the agent's host correct?`);
}

/** In place of a missing key, so that the response takes as long as for a known agent. */
const PLACEHOLDER_KEY = toSpki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

function isSignedBy(spki: string | null, text: string, signature: string): boolean {
  // The library throws for some malformed signatures.
  const isValid = orNull(() => {
    const key = createPublicKey({ key: Buffer.from(spki ?? PLACEHOLDER_KEY, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'));
  });
  return isValid === true && spki !== null;
}
