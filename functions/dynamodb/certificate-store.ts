/** The certificates of an agent, as its row has them: the one in use, and those on their way in and out. */
import * as z from 'zod';
import { type AgentId, siteOfAgent } from '../../shared/identity.ts';
import type { Expression, Item, Key, Table } from './table.ts';

/** A certificate, and what its bearer can be known by. */
export interface NotedCertificate {
  certificateId: string;
  /** The public key: SPKI, DER, base64. */
  key: string;
}

export interface AgentCertificates {
  /** In use. Rows of old have no key. */
  certificateId: string;
  key: string | null;
  /** Given to the agent, which has not confirmed yet that it uses it. */
  next: NotedCertificate | null;
  /** In use before, and not retired yet. */
  former: string | null;
  /** Time of the last proof for which a certificate was given (Unix, ms): none is good twice. */
  provedAt: number;
}

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

const Noted = z.object({ certificateId: z.string(), key: z.string() });

export const agentKey = (agent: AgentId): Key => ({ pk: `S#${siteOfAgent(agent)}`, sk: `A#${agent}` });

/** What an agent's row says; null when it has no certificate. */
export function certificatesOf(item: Item): AgentCertificates | null {
  if (typeof item.certificate !== 'string') return null;
  return {
    certificateId: item.certificate,
    key: typeof item.key === 'string' ? item.key : null,
    next: typeof item.next === 'string' ? Noted.parse(JSON.parse(item.next)) : null,
    former: typeof item.former === 'string' ? item.former : null,
    provedAt: typeof item.provedAt === 'number' ? item.provedAt : 0,
  };
}

/** Every certificate with which somebody might still connect. */
export function certificateIds(certificates: AgentCertificates | null): string[] {
  if (certificates === null) return [];
  const { certificateId, next, former } = certificates;
  return [certificateId, next?.certificateId, former].filter((id) => typeof id === 'string');
}

/** Holds as long as nobody has changed the certificates since they were read; null: as long as there are none. */
export function sameCertificates(
  before: AgentCertificates | null,
): Required<Pick<Expression, 'condition' | 'names' | 'values'>> {
  const known = {
    certificate: before?.certificateId,
    next: before?.next ? JSON.stringify(before.next) : undefined,
    former: before?.former ?? undefined,
  };
  const names = Object.keys(known).map((name) => [`#${name}`, name]);
  const values = Object.entries(known).flatMap(([name, value]) => (value ? [[`:before_${name}`, value]] : []));
  const parts = Object.entries(known).map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :before_${name}`,
  );
  return {
    condition: parts.join(' AND '),
    names: Object.fromEntries(names),
    values: Object.fromEntries(values),
  };
}

export function openCertificateStore(table: Table): CertificateStore {
  /** Changes the certificates as they were read, unless the agent has been revoked meanwhile. */
  function change(agent: AgentId, before: AgentCertificates, { update, names, values }: Expression): Promise<boolean> {
    const same = sameCertificates(before);
    return table.update(agentKey(agent), {
      update: update ?? '',
      condition: `${same.condition} AND attribute_not_exists(#revokedAt)`,
      names: { ...same.names, ...names, '#revokedAt': 'revokedAt' },
      values: { ...same.values, ...values },
    });
  }

  return {
    async find(agent) {
      const item = await table.get(agentKey(agent), { consistent: true });
      return item === null || item.revokedAt !== undefined ? null : certificatesOf(item);
    },

    renewed: (agent, before, next, provedAt) =>
      change(agent, before, {
        update: 'SET #next = :next, #provedAt = :provedAt',
        names: { '#provedAt': 'provedAt' },
        values: { ':next': JSON.stringify(next), ':provedAt': provedAt },
      }),

    confirmed: (agent, before) =>
      change(agent, before, {
        update: 'SET #certificate = :certificate, #key = :key, #former = :former REMOVE #next',
        names: { '#key': 'key' },
        values: {
          ':certificate': before.next.certificateId,
          ':key': before.next.key,
          ':former': before.certificateId,
        },
      }),

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
