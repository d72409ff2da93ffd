/** The row of an agent: what it says of its certificates, of its right to be there, and of what was heard of it. */
import * as z from 'zod';
import { OFFLINE_AFTER_MS } from '../../shared/agent/timing.ts';
import { Agent } from '../../shared/api/records.ts';
import type { AgentId } from '../../shared/identity.ts';
import { rows } from './rows.ts';
import type { Item, SealedUpdate, Table } from './table.ts';

/** A certificate, and what its bearer can be known by. */
export interface CertificateRef {
  certificateId: string;
  /** The public key: SPKI, DER, base64. */
  key: string;
}

export interface AgentCertificates {
  /** In use. Rows of old have no key. */
  certificateId: string;
  key: string | null;
  /** Given to the agent, which has not confirmed yet that it uses it. */
  next: CertificateRef | null;
  /** In use before, and not retired yet. */
  former: string | null;
  /** Time of the last proof for which a certificate was given (Unix, ms): none is good twice. */
  provedAt: number;
}

/** What the row of an agent says of its right to be there, and of the connection that was heard of last. */
export interface AgentRow {
  certificates: AgentCertificates | null;
  /** Unix, ms. A row that has certificates still is about to be revoked. */
  revokedAt: number | null;
  session: number | null;
}

const Noted = z.object({ certificateId: z.string(), key: z.string() });
const StoredAgent = Agent.omit({ id: true, state: true, since: true });
const NO_DETAILS = { version: null, tools: {}, capabilities: [], networks: [], load: null };

export function rowOf(item: Item | null): AgentRow {
  return {
    certificates: item === null ? null : certificatesOf(item),
    revokedAt: typeof item?.revokedAt === 'number' ? item.revokedAt : null,
    session: typeof item?.session === 'number' ? item.session : null,
  };
}

function certificatesOf(item: Item): AgentCertificates | null {
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

/**
 * Changes a row, unless its certificates are others than when it was read, or it has been revoked or enrolled anew
 * meanwhile: a renewal that is noted in between would be forgotten, and its certificate stay in use.
 * @returns whether the row was changed
 */
export function changeRow(
  table: Table,
  agent: AgentId,
  { certificates, revokedAt }: Pick<AgentRow, 'certificates' | 'revokedAt'>,
  update: Omit<SealedUpdate, 'condition' | 'values'>,
): Promise<boolean> {
  const before = {
    certificate: certificates?.certificateId,
    next: certificates?.next ? JSON.stringify(certificates.next) : undefined,
    former: certificates?.former ?? undefined,
    revokedAt: revokedAt ?? undefined,
  };
  const known = Object.entries(before);
  const same = known.map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :before_${name}`,
  );
  const values = known.flatMap(([name, value]) => (value === undefined ? [] : [[`before_${name}`, value]]));
  return table.update(rows.agent(agent), {
    ...update,
    condition: same.join(' AND '),
    values: Object.fromEntries(values),
  });
}

/** What gives rights in a row with these certificates (see `seal.ts`). The key changes with its certificate only. */
export function sealedCertificates({
  certificateId,
  key,
  next,
}: Pick<AgentCertificates, 'certificateId' | 'key' | 'next'>): Record<string, string> {
  return {
    certificate: certificateId,
    ...(key === null ? {} : { key }),
    ...(next === null ? {} : { next: JSON.stringify(next) }),
  };
}

/** What is known of an agent. What was heard of the one before it under its name does not count. */
export function toAgent(item: Item, isRevoked: boolean, now: Date) {
  if (item.formerSession !== undefined && item.session === item.formerSession) {
    return { ...NO_DETAILS, state: 'enrolling', since: null };
  }
  const described = StoredAgent.parse({ ...NO_DETAILS, ...JSON.parse(String(item.d ?? '{}')) });
  const { state, since } = shownState(item, now);
  const shownSince = since === null ? null : new Date(since).toISOString();
  return { ...described, state: isRevoked ? 'offline' : state, since: shownSince };
}

/**
 * The broker's word that the newest connection has ended goes before what the agent said; else the agent's counts. An
 * agent that changes its connection, to use another certificate, is between two of them for a moment: so the end of a
 * connection counts only after five seconds. An agent that was cut off is offline by its last will.
 */
export function shownState(
  { presence, since, linkEnded, linkAt }: Item,
  now: Date,
): { state: unknown; since: number | null } {
  const isOver = linkEnded === 1 && now.getTime() - Number(linkAt) >= OFFLINE_AFTER_MS;
  const isCut = isOver && presence !== 'offline';
  const from = isCut ? linkAt : since;
  return { state: isCut ? 'offline' : (presence ?? 'enrolling'), since: typeof from === 'number' ? from : null };
}
