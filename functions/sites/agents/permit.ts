/** What an enrolment code permits, and why an enrolment is rejected. */
import type { AgentId } from '../../../shared/identity.ts';
import type { AgentRow } from './agent-row.ts';
import type { CodeUse } from './enrolment-store.ts';

export interface Permit {
  agent: AgentId;
  /** Whether an enrolled agent of that name is replaced. */
  replaces: boolean;
  madeAt: Date;
  /** Counted when the host is enrolled, unless it is that agent already. */
  use?: CodeUse;
}

/** The name is taken, the agent was revoked after the code was created, or the code was revoked or used up. */
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
