/** Texts that an agent signs to prove its identity to the API, distinct from all else signed with its key. */
import type { AgentId } from '../identity.ts';

/** How long a proof is valid, before and after its time. */
export const PROOF_HOLDS_MS = 5 * 60_000;

/** Requests a certificate for another key; signed with the key of the current certificate. */
export function renewalText(agent: AgentId, at: number, csr: string): string {
  // The request comes last, because it is the only part that may contain line breaks.
  return ['LanReach: renewal of a certificate, 1', agent, at, csr].join('\n');
}

/** Requests a package of a release. `scripts/packaging/install.sh` signs the same text. */
export function packageText(agent: AgentId, at: number, name: string): string {
  return ['LanReach: a package of the agent, 1', agent, at, name].join('\n');
}

/**
 * The header that authorizes a download of a package: an enrolment code, or `<agent> <time> <signature in base64>` over
 * `packageText`. Not `Authorization`: wget sends that along to S3, to which the service redirects, and which rejects it
 * with a signed address.
 */
export const PERMIT_HEADER = 'LanReach-Permit';
