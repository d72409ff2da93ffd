/**
 * The texts that an agent signs with its private key to prove who it is, where it has no token: when it renews its
 * certificate over the API. No text of one kind can be taken for one of another, nor for anything else that is signed
 * with such a key.
 */
import type { AgentId } from '../identity.ts';

/** A proof is worth something for so long before and after its time. */
export const PROOF_HOLDS_MS = 5 * 60_000;

/** "Certify this key for me": to be signed by the key of the certificate that is in use. */
export function renewalText(agent: AgentId, at: number, csr: string): string {
  // The request comes last: of the parts before it none can hold a line break.
  return ['LanReach: renewal of a certificate, 1', agent, at, csr].join('\n');
}

/** "I have connected with this key, and need the one before no more": to be signed by the key of the new certificate. */
export function confirmationText(agent: AgentId, at: number): string {
  return ['LanReach: confirmation of a certificate, 1', agent, at].join('\n');
}
