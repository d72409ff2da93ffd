/** The row of an agent: what it says of its certificates, of its right to be there, and of what was heard of it. */
import * as z from 'zod';
import { CONNECTION_ENDS, nextSpans, type Span, shownSpans } from '../../../shared/agent/connections.ts';
import { AgentHost } from '../../../shared/agent/host.ts';
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import {
  NOTHING_KNOWN,
  type PresenceEvent,
  type StoredPresence,
  shownPresence,
} from '../../../shared/agent/presence.ts';
import { OFFLINE_AFTER_MS } from '../../../shared/agent/timing.ts';
import { Agent, type OfflineReason } from '../../../shared/api/records.ts';
import { type AgentId, nameOfAgent } from '../../../shared/identity.ts';
import type { Reason } from '../../../shared/reasons.ts';
import { type Scalar, unchanged } from '../../table/condition.ts';
import { type ATTRIBUTES, PREFIXES, rows } from '../../table/rows.ts';
import { type Item, setOrRemove, type Table, type Update } from '../../table/table.ts';
import { doubledBy } from './holders.ts';

/** A certificate, and what its bearer can be known by. */
export interface CertificateRef {
  certificateId: string;
  /** The public key: SPKI, DER, base64. */
  key: string;
  /** When it ends (Unix, ms), if that is known. */
  endsAt?: number;
}

export interface AgentCertificates {
  /** In use, or the one before `next`. */
  certificateId: string;
  key: string;
  /** Given to the agent, which uses it from its first connection with it on. */
  next: CertificateRef | null;
  /** The certificate that was retired last, which may be the one before `next`. */
  retired: string | null;
  /** Time of the last proof for which a certificate was given (Unix, ms): none is good twice. */
  provedAt: number;
  /** When the newest certificate ends (Unix, ms), if that is known. */
  endsAt: number | null;
}

/** What the row of an agent says of its right to be there, and of the connection that was heard of last. */
export interface AgentRow {
  certificates: AgentCertificates | null;
  /** Unix, ms. A row that has certificates still is about to be revoked. */
  revokedAt: number | null;
  session: number | null;
}

const Noted = z.object({ certificateId: z.string(), key: z.string() });
/** The version of the protocol that an agent speaks. */
const Spoken = z.object({ protocol: z.int() });
const StoredAgent = Agent.omit({
  ...{ state: true, since: true, offlineReason: true, limitedUntil: true, protocol: true, problem: true },
}).extend({ host: AgentHost.nullable() });
const StoredStatement = z.object({
  presence: Agent.shape.state.exclude(['enrolling']),
  session: z.number().optional(),
  since: z.number(),
});
const StoredConnection = z.object({ link: z.number(), linkAt: z.number(), linkEnded: z.literal([0, 1]) });
/** In seconds, so that the row stays small. */
const StoredSpans = z
  .array(z.tuple([z.number(), z.number().nullable(), z.enum(CONNECTION_ENDS).nullable()]))
  .transform((spans) => spans.map(([from, to, end]): Span => ({ from: from * 1000, to: to && to * 1000, end })));
const NO_DETAILS = {
  host: null,
  version: null,
  programs: {},
  capabilities: [],
  networks: [],
  load: null,
  discovery: null,
  update: null,
};

export function rowOf(item: Item | null): AgentRow {
  return {
    certificates: item === null ? null : certificatesOf(item),
    revokedAt: typeof item?.revokedAt === 'number' ? item.revokedAt : null,
    session: typeof item?.session === 'number' ? item.session : null,
  };
}

function certificatesOf(item: Item): AgentCertificates | null {
  if (typeof item.certificate !== 'string' || typeof item.key !== 'string') return null;
  return {
    certificateId: item.certificate,
    key: item.key,
    next: typeof item.next === 'string' ? Noted.parse(JSON.parse(item.next)) : null,
    retired: typeof item.retired === 'string' ? item.retired : null,
    provedAt: typeof item.provedAt === 'number' ? item.provedAt : 0,
    endsAt: typeof item.endsAt === 'number' ? item.endsAt : null,
  };
}

/** Every certificate with which somebody might still connect. */
export function certificateIds(certificates: AgentCertificates | null): string[] {
  if (certificates === null) return [];
  const { certificateId, next } = certificates;
  return next === null ? [certificateId] : [certificateId, next.certificateId];
}

type Known = Pick<AgentRow, 'certificates' | 'revokedAt'>;

/**
 * Changes a row, unless its certificates are others than when it was read, or it has been revoked or enrolled anew
 * meanwhile: a renewal that is noted in between would be forgotten, and its certificate stay in use.
 * @returns whether the row was changed
 */
export function changeRow(table: Table, agent: AgentId, row: Known, change: Update): Promise<boolean> {
  const { update, by, condition } = rowChange(agent, row, change);
  return table.update(update, by, condition);
}

/** The same, as part of a transaction. */
export function rowChange(agent: AgentId, { certificates, revokedAt }: Known, by: Update) {
  const before = {
    certificate: certificates?.certificateId,
    next: certificates?.next ? JSON.stringify(certificates.next) : undefined,
    revokedAt: revokedAt ?? undefined,
  };
  return { update: rows.agent(agent), by, condition: unchanged(Object.keys(before), before) };
}

/** What is known of the agent with this row; null when it has been revoked. Throws when the row cannot be read. */
export function toAgent(item: Item, now: Date): Agent | null {
  const stored = storedAgent(item);
  if (stored === null) return null;
  const { state, since } = shownPresence(stored.presence, now.getTime());
  const { host } = stored.details;
  const isOff = stored.isBeingRevoked || stored.problem !== null || state === 'offline';
  return {
    ...stored.details,
    host: host && { ...host, startedAt: new Date(host.startedAt).toISOString() },
    protocol: stored.protocol,
    problem: stored.problem ?? doubledBy(item, now.getTime())?.why ?? null,
    state: isOff ? 'offline' : state,
    offlineReason: isOff ? whyOffline(item, stored, now.getTime()) : null,
    since: since === null ? null : new Date(since).toISOString(),
    limitedUntil: stored.limitedUntil > now.getTime() ? new Date(stored.limitedUntil).toISOString() : null,
  };
}

/** What only the page of one agent shows of it. */
export interface AgentHistory {
  /** When it was connected, in the last seven days at least, the newest last. */
  spans: Span[];
  /** When its newest certificate ends (Unix, ms). */
  certificateEndsAt: number | null;
  /** By how much its clock was ahead of ours when it connected, in ms; null while it is not connected. */
  clockOffMs: number | null;
}

/** Throws when the row cannot be read. */
export function historyOf(item: Item, now: number): AgentHistory {
  const isOfFormer = item.formerSession !== undefined && item.session === item.formerSession;
  const presence = isOfFormer ? NOTHING_KNOWN : presenceOf(item);
  const { statement, connection } = presence;
  const isUp = shownPresence(presence, now).state !== 'offline' && connection?.hasEnded === false;
  return {
    spans: shownSpans(spansOf(item), presence, now),
    certificateEndsAt: rowOf(item).certificates?.endsAt ?? null,
    clockOffMs: isUp && statement?.session ? statement.session - connection.at : null,
  };
}

/** None for a row that has none that can be read: they are worth less than the rest of it. */
function spansOf({ links }: Item): Span[] {
  try {
    return StoredSpans.parse(JSON.parse(String(links ?? '[]')));
  } catch {
    return [];
  }
}

/** The update that stores them. */
function spansUpdate(spans: readonly Span[]): Partial<Record<(typeof ATTRIBUTES.connections)[number], Scalar>> {
  const inSeconds = (at: number) => Math.round(at / 1000);
  return { links: JSON.stringify(spans.map(({ from, to, end }) => [inSeconds(from), to && inSeconds(to), end])) };
}

/**
 * The update that stores what an event changes of them. None as long as what is known is of the agent that was replaced: its
 * connections are not those of its successor.
 */
export function connectionsUpdate(
  item: Item,
  before: StoredPresence,
  after: StoredPresence,
  event: PresenceEvent,
  now: number,
): Update['set'] {
  const isOfFormer = ({ statement }: StoredPresence) =>
    item.formerSession !== undefined && statement?.session === item.formerSession;
  if (isOfFormer(after)) return {};
  const own = isOfFormer(before) ? NOTHING_KNOWN : before;
  return spansUpdate(nextSpans(spansOf(item), own, after, event, now));
}

function whyOffline(
  item: Item,
  { isBeingRevoked, problem, details }: NonNullable<ReturnType<typeof storedAgent>>,
  now: number,
): OfflineReason {
  if (isBeingRevoked) return 'revoked';
  if (problem !== null) return 'incompatible';
  const endsAt = rowOf(item).certificates?.endsAt ?? null;
  if (endsAt !== null && endsAt <= now) return 'certificate_ended';
  const end = spansOf(item).at(-1)?.end ?? null;
  if (end === 'stopped' && details.update?.last?.state === 'installing') return 'updating';
  return end ?? 'unknown';
}

/** What a row says whatever the time is. What was heard of an agent's predecessor of the same name does not count. */
function storedAgent(item: Item) {
  const { certificates, revokedAt } = rowOf(item);
  if (revokedAt !== null && certificates === null) return null;
  const isOfFormer = item.formerSession !== undefined && item.session === item.formerSession;
  const details = isOfFormer ? {} : JSON.parse(String(item.d ?? '{}'));
  const protocol = isOfFormer ? null : spokenBy(item);
  return {
    details: StoredAgent.parse({ ...NO_DETAILS, ...details, id: item.sk.slice(PREFIXES.agent.length) }),
    protocol,
    problem: protocol === null ? null : problemWith(protocol),
    presence: isOfFormer ? NOTHING_KNOWN : presenceOf(item),
    isBeingRevoked: revokedAt !== null,
    limitedUntil: Number(item.limitedUntil ?? 0),
  };
}

/** Null for an agent that has said nothing of itself yet. Throws when the row cannot be read. */
function spokenBy({ d }: Item): number | null {
  return d === undefined ? null : Spoken.parse(JSON.parse(String(d))).protocol;
}

/** Why an agent that speaks this version is of no use, for a person; null when it is. */
function problemWith(protocol: number): string | null {
  if (protocol === PROTOCOL_VERSION) return null;
  return protocol < PROTOCOL_VERSION
    ? `speaks protocol ${protocol}, which is no longer understood; update it`
    : `speaks protocol ${protocol}, which is not understood yet; update the service`;
}

/** What is stored of an agent's presence. Throws when the row cannot be read. */
export function presenceOf(item: Item): StoredPresence {
  const statement = item.presence === undefined ? null : StoredStatement.parse(item);
  const connection = item.link === undefined ? null : StoredConnection.parse(item);
  return {
    statement: statement && { state: statement.presence, session: statement.session ?? null, since: statement.since },
    connection: connection && {
      version: connection.link,
      at: connection.linkAt,
      hasEnded: connection.linkEnded === 1,
    },
  };
}

/**
 * Whether an agent is connected, and can be spoken to, and since when it is not (Unix, ms). The end of a connection counts at once, and not after
 * a pause as in the state that is shown: when the next connection begins, its event corrects the answer.
 */
export function connectionOf(item: Item): { isConnected: boolean; since: number | null } {
  const { certificates, revokedAt, session } = rowOf(item);
  const isThere = certificates !== null && revokedAt === null && session !== item.formerSession;
  const { statement, connection } = presenceOf(item);
  const cutAt = connection?.hasEnded && statement?.state !== 'offline' ? connection.at : null;
  const spoken = spokenBy(item);
  const isUnderstood = spoken === null || problemWith(spoken) === null;
  return {
    isConnected:
      isThere && isUnderstood && cutAt === null && (statement?.state === 'online' || statement?.state === 'draining'),
    since: cutAt ?? statement?.since ?? null,
  };
}

/** How long after the broker was started an agent may still be on its way back. */
const BACK_WITHIN_MS = 3 * 60_000;

/** Whether an agent is connected. */
export interface Connected {
  agent: AgentId;
  /** Null while it may be on its way back, because the broker was just started. */
  isConnected: boolean | null;
  /** Since when (Unix, ms). */
  since: number;
  /** Why it is connected in turns with another host that uses its identity, and since when. */
  doubled?: { why: string; reasonCode?: Reason; at: number } | undefined;
}

/**
 * The same for those who tell people of it: the end of a connection counts after a pause. Null for an agent that never was
 * connected, or is being revoked. Throws when the row cannot be read.
 */
export function connectedOf(item: Item, now: number): Connected | null {
  const stored = storedAgent(item);
  if (stored === null || stored.isBeingRevoked) return null;
  const { state, since } = shownPresence(stored.presence, now);
  if (state === 'enrolling' || since === null) return null;
  const agent = item.sk.slice(PREFIXES.agent.length);
  if (stored.problem !== null) return { agent, isConnected: false, since };
  const about = { agent, since, doubled: doubledBy(item, now) ?? undefined };
  if (state !== 'offline') return { ...about, isConnected: true };
  const { statement, connection } = stored.presence;
  const hasBrokerStarted = statement?.session === null && now - since < BACK_WITHIN_MS;
  // Its last will comes before the broker says why the connection has ended: when another takes it over, that is no loss.
  const isJustCut = connection?.hasEnded === false && now - since < OFFLINE_AFTER_MS;
  return { ...about, isConnected: hasBrokerStarted || isJustCut ? null : false };
}

/** What a connected agent watches at the moment: its networks, and itself by its name within the site. */
export function watchedBy(item: Item): string[] {
  const discovery = discoveryOf(item);
  if (discovery?.state !== 'on' || !connectionOf(item).isConnected) return [];
  return [nameOfAgent(item.sk.slice(PREFIXES.agent.length)), ...(discovery.networks ?? [])];
}

/** Null for an agent that has said nothing of it, or nothing that can be read. */
function discoveryOf(item: Item): Agent['discovery'] {
  try {
    return storedAgent(item)?.details.discovery ?? null;
  } catch {
    return null;
  }
}

/** Whether `connectionOf` can read the row. Lists of agents name the rows that cannot be read. */
export function isReadable(item: Item): boolean {
  try {
    connectionOf(item);
    return true;
  } catch {
    return false;
  }
}

/** The update that stores it. */
export function presenceUpdate({ statement, connection }: StoredPresence): Pick<Update, 'set' | 'remove'> {
  return setOrRemove({
    presence: statement?.state ?? null,
    session: statement?.session ?? null,
    since: statement?.since ?? null,
    link: connection?.version ?? null,
    linkAt: connection?.at ?? null,
    linkEnded: connection && Number(connection.hasEnded),
  } satisfies Record<(typeof ATTRIBUTES.presence)[number], Scalar | null>);
}
