/** What an enrolment code permits, and why it may not hold for an agent. */
import type { AgentId } from '../../../shared/identity.ts';
import type { AgentRow } from './agent-row.ts';
import type { CodeUse } from './enrolment-store.ts';

/** What an enrolment code permits a host. */
export interface Permit {
  agent: AgentId;
  /** Whether an agent of that name that is enrolled already is replaced. */
  replaces: boolean;
  madeAt: Date;
  /** Counted when the host is enrolled, unless it is that agent already. */
  use?: CodeUse;
}

/**
 * Why a host is not enrolled: the name has been taken, the agent revoked after the code was made, or the code itself revoked
 * or used up meanwhile.
 */
export type Refusal = 'taken' | 'revoked' | 'closed';

export function refusalBy(row: AgentRow, { madeAt, replaces }: Permit, key: string | null): Refusal | null {
  const { certificates, revokedAt } = row;
  if (revokedAt !== null) return madeAt.getTime() <= revokedAt ? 'revoked' : null;
  return certificates !== null && !replaces && !hasKey(row, key) ? 'taken' : null;
}

/** Whether an agent that is not revoked has this key. */
export function hasKey({ certificates, revokedAt }: AgentRow, key: string | null): boolean {
  return key !== null && revokedAt === null && certificates?.key === key;
}
