/** How the certificates of an agent follow each other: one in use, and those on their way in and out. */
import type { AgentId } from '../../shared/identity.ts';
import {
  type AgentCertificates,
  agentKey,
  changeRow,
  type NotedCertificate,
  rowOf,
  sealedCertificates,
} from './agent-row.ts';
import type { Table } from './table.ts';

export interface CertificateStore {
  /** Those of an agent that is enrolled and has not been revoked; null for any other. */
  find(agent: AgentId): Promise<AgentCertificates | null>;
  /**
   * Notes a further certificate, and the time of the proof for which it was given, in place of any that was never
   * confirmed. @returns false when the agent's certificates are not those of `before` any more
   */
  renewed(agent: AgentId, before: AgentCertificates, next: NotedCertificate, provedAt: number): Promise<boolean>;
  /**
   * Makes the further certificate the one in use, and the one before a former one, which is to be retired.
   * @returns false when the agent's certificates are not those of `before` any more
   */
  confirmed(agent: AgentId, before: AgentCertificates & { next: NotedCertificate }): Promise<boolean>;
  /** Forgets a former certificate: it has been retired. */
  retired(agent: AgentId, certificateId: string): Promise<void>;
}

export function openCertificateStore(table: Table): CertificateStore {
  return {
    async find(agent) {
      const { certificates, revokedAt } = rowOf(await table.get(agentKey(agent), { consistent: true }));
      return revokedAt === null ? certificates : null;
    },

    renewed: (agent, before, next, provedAt) =>
      changeRow(
        table,
        agent,
        { certificates: before, revokedAt: null },
        {
          update: 'SET #next = :next, #provedAt = :provedAt',
          names: { '#provedAt': 'provedAt' },
          values: { ':next': JSON.stringify(next), ':provedAt': provedAt },
          sealed: sealedCertificates({ ...before, next }),
        },
      ),

    confirmed: (agent, before) =>
      changeRow(
        table,
        agent,
        { certificates: before, revokedAt: null },
        {
          update: 'SET #certificate = :certificate, #key = :key, #former = :former REMOVE #next',
          names: { '#key': 'key' },
          values: {
            ':certificate': before.next.certificateId,
            ':key': before.next.key,
            ':former': before.certificateId,
          },
          sealed: sealedCertificates({ ...before.next, next: null }),
        },
      ),

    async retired(agent, certificateId) {
      await table.update(agentKey(agent), {
        update: 'REMOVE #former',
        condition: '#former = :former',
        names: { '#former': 'former' },
        values: { ':former': certificateId },
      });
    },
  };
}
