/** The certificates of an agent: the one in use, and the one that is to follow it. */
import type { AgentId } from '../../../shared/identity.ts';
import { EXISTS } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import { setOrRemove, type Table } from '../../table/table.ts';
import { type AgentCertificates, changeRow, rowOf } from './agent-row.ts';

interface CertificateStore {
  /** The certificates of an agent that is enrolled and not revoked; null for any other. */
  find(agent: AgentId): Promise<AgentCertificates | null>;
  /** @returns false when the agent's certificates are not those of `before` any more, or it has been revoked */
  replace(agent: AgentId, before: AgentCertificates, after: AgentCertificates): Promise<boolean>;
  /** Notes that a certificate of the agent has been retired. */
  noteRetired(agent: AgentId, certificateId: string): Promise<void>;
}

export function openCertificateStore(table: Table): CertificateStore {
  return {
    async find(agent) {
      const { certificates, revokedAt } = rowOf(await table.get(rows.agent(agent), { consistent: true }));
      return revokedAt === null ? certificates : null;
    },

    replace(agent, before, after) {
      const { certificateId, key, next, provedAt, endsAt } = after;
      return changeRow(
        table,
        agent,
        { certificates: before, revokedAt: null },
        setOrRemove({
          certificate: certificateId,
          key,
          next: next === null ? null : JSON.stringify(next),
          provedAt,
          endsAt,
        }),
      );
    },

    async noteRetired(agent, certificateId) {
      await table.update(rows.agent(agent), { set: { retired: certificateId } }, EXISTS);
    },
  };
}
