/** The certificates of an agent: the one in use, the next one, and the previous one. */
import type { AgentId } from '../../shared/identity.ts';
import { rows } from '../rows.ts';
import { setOrRemove, type Table } from '../table.ts';
import { type AgentCertificates, changeRow, rowOf } from './agent-row.ts';

export interface CertificateStore {
  /** The certificates of an agent that is enrolled and not revoked; null for any other. */
  find(agent: AgentId): Promise<AgentCertificates | null>;
  /** @returns false when the agent's certificates are not those of `before` any more, or it has been revoked */
  replace(agent: AgentId, before: AgentCertificates, after: AgentCertificates): Promise<boolean>;
}

export function openCertificateStore(table: Table): CertificateStore {
  return {
    async find(agent) {
      const { certificates, revokedAt } = rowOf(await table.get(rows.agent(agent), { consistent: true }));
      return revokedAt === null ? certificates : null;
    },

    replace(agent, before, after) {
      const { certificateId, key, next, former, provedAt } = after;
      return changeRow(
        table,
        agent,
        { certificates: before, revokedAt: null },
        setOrRemove({
          certificate: certificateId,
          key,
          next: next === null ? null : JSON.stringify(next),
          former,
          provedAt,
        }),
      );
    },
  };
}
