/** Authorization to fetch agent packages: an enrolment code, or the proof of an agent. */
import { packageText } from '../../../../shared/agent/proof.ts';
import { AgentId } from '../../../../shared/identity.ts';
import { type CodesContext, requireOpen, usedOrUnknown } from '../codes.ts';
import { isUsedUp } from '../enrolment-store.ts';
import { provenBy } from '../proof.ts';
import type { RenewalContext } from '../renewal.ts';

export type PermitContext = CodesContext & RenewalContext;

const PROOF = /^(\S{1,100}) (\d{1,15}) ([A-Za-z0-9+/]{8,1400}={0,2})$/;

/**
 * Counts no use of a code: only the enrolment does.
 * @param permit see PERMIT_HEADER
 * @throws {ServiceError} `enrolment_refused`; `validation_failed` for an agent whose clock is wrong
 */
export async function requirePermit(
  context: PermitContext,
  permit: string,
  name: string,
  sourceAddress: string | null,
): Promise<void> {
  const [, id, time, signature = ''] = PROOF.exec(permit) ?? [];
  const { data: agent } = AgentId.safeParse(id);
  if (agent !== undefined) {
    const at = Number(time);
    await provenBy(context, { agent, at, signature }, packageText(agent, at, name));
  } else if (isUsedUp(await requireOpen(context, permit, sourceAddress))) throw usedOrUnknown();
}
