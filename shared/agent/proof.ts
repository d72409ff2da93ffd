/**
 * The text that an agent signs with its private key to prove its identity without a token, when it renews its certificate
 * over the API. It is distinct from anything else that is signed with such a key.
 */
import type { AgentId } from '../identity.ts';

/** How long a proof is valid, before and after its time. */
export const PROOF_HOLDS_MS = 5 * 60_000;

/** Requests a certificate for another key; signed with the key of the current certificate. */
export function renewalText(agent: AgentId, at: number, csr: string): string {
  // The request comes last, because it is the only part that may contain line breaks.
  return ['LanReach: renewal of a certificate, 1', agent, at, csr].join('\n');
}
