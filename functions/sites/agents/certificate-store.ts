/** The certificates of an agent: the one in use, and its successor. */
import type { AgentId } from '../../../shared/identity.ts';
import { EXISTS } from '../../table/condition.ts';
import { rows } from '../../table/rows.ts';
import { setOrRemove, type Table } from '../../table/table.ts';
import { type AgentCertificates, changeRow, rowOf } from './agent-row.ts';

export function openCertificateStore(table: Table) {
  return {
    /** Null for an agent that is not enrolled, or is revoked. */
    async find(agent: AgentId) {
      const { certificates, revokedAt } = rowOf(await table.get(rows.agent(agent), { consistent: true }));
      return revokedAt === null ? certificates : null;
    },

    /** @returns false when the certificates have changed since `before`, or the agent has been revoked */
    replace(agent: AgentId, before: AgentCertificates, after: AgentCertificates) {
      const { certificateId, key, next, provedAt, endsAt } = after;
      const row = { certificate: certificateId, key, next: next && JSON.stringify(next), provedAt, endsAt };
      return changeRow(table, agent, { certificates: before, revokedAt: null }, setOrRemove(row));
    },

    /** Records a retired certificate. */
    async noteRetired(agent: AgentId, certificateId: string) {
      await table.update(rows.agent(agent), { set: { retired: certificateId } }, EXISTS);
    },
  };
}
