/** The row of an agent: its certificates, its revocation, and its reports. */
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
import { orNull } from '../../../shared/problem.ts';
import type { Reason } from '../../../shared/reasons.ts';
import { MINUTE_MS } from '../../../shared/time.ts';
import { type Scalar, unchanged } from '../../table/condition.ts';
import { type ATTRIBUTES, PREFIXES, rows } from '../../table/rows.ts';
import { type Item, setOrRemove, type Table, type Update } from '../../table/table.ts';
import { doubledBy } from './holders.ts';

export interface CertificateRef {
  certificateId: string;
  /** The public key: SPKI, DER, base64. */
  key: string;
  /** Its expiry (Unix, ms), if known. */
  endsAt?: number;
}

export interface AgentCertificates {
  /** In use, or the one before `next`. */
  certificateId: string;
  key: string;
  /** Issued to the agent, and in use from the agent's first connection with it. */
  next: CertificateRef | null;
  /** The last retired certificate, which may be the one before `next`. */
  retired: string | null;
  /** Time of the last proof for which a certificate was issued (Unix, ms): none is accepted twice. */
  provedAt: number;
  /** The expiry of the newest certificate (Unix, ms), if known. */
  endsAt: number | null;
}

export interface AgentRow {
  certificates: AgentCertificates | null;
  /** Unix, ms. A row that still has certificates is being revoked. */
  revokedAt: number | null;
  /** Of the last report. */
  session: number | null;
}

const NextCertificate = z.object({ certificateId: z.string(), key: z.string() });
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
  ...{ host: null, version: null, programs: {}, capabilities: [], networks: [] },
  ...{ load: null, discovery: null, update: null },
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
    next: typeof item.next === 'string' ? NextCertificate.parse(JSON.parse(item.next)) : null,
    retired: typeof item.retired === 'string' ? item.retired : null,
    provedAt: typeof item.provedAt === 'number' ? item.provedAt : 0,
    endsAt: typeof item.endsAt === 'number' ? item.endsAt : null,
  };
}

/** The certificates with which a connection is still possible. */
export function certificateIds(certificates: AgentCertificates | null): string[] {
  if (certificates === null) return [];
  const { certificateId, next } = certificates;
  return next === null ? [certificateId] : [certificateId, next.certificateId];
}

type Known = Pick<AgentRow, 'certificates' | 'revokedAt'>;

/**
 * Changes a row, unless its certificates have changed since it was read, or it was revoked or enrolled again: a renewal
 * recorded in between would be lost, and its certificate stay in use.
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

/** Null when the agent has been revoked. Throws when the row cannot be read. */
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

/** For the page of one agent. */
interface AgentHistory {
  /** Its connections in at least the last seven days, the newest last. */
  spans: Span[];
  /** The expiry of its newest certificate (Unix, ms). */
  certificateEndsAt: number | null;
  /** The offset of its clock from ours when it connected, in ms; null while it is not connected. */
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

/** None if they are unreadable: the rest of the row matters more. */
const spansOf = ({ links }: Item): Span[] => orNull(() => StoredSpans.parse(JSON.parse(String(links ?? '[]')))) ?? [];

function spansUpdate(spans: readonly Span[]): Partial<Record<(typeof ATTRIBUTES.connections)[number], Scalar>> {
  const inSeconds = (at: number) => Math.round(at / 1000);
  return { links: JSON.stringify(spans.map(({ from, to, end }) => [inSeconds(from), to && inSeconds(to), end])) };
}

/** The update of the connections after an event. None while the presence is that of a replaced agent, whose connections do not count. */
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

/** The time-independent content of a row. Reports of an agent's predecessor of the same name do not count. */
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

/** The agent's protocol version; null before its first report. Throws when the row cannot be read. */
const spokenBy = ({ d }: Item): number | null =>
  d === undefined ? null : Spoken.parse(JSON.parse(String(d))).protocol;

/** Why this protocol version is not supported, for a person; null if it is. */
function problemWith(protocol: number): string | null {
  if (protocol === PROTOCOL_VERSION) return null;
  return protocol < PROTOCOL_VERSION
    ? `speaks protocol ${protocol}, which is no longer understood; update it`
    : `speaks protocol ${protocol}, which is not understood yet; update the service`;
}

/** Throws when the row cannot be read. */
export function presenceOf(item: Item): StoredPresence {
  const statement = item.presence === undefined ? null : StoredStatement.parse(item);
  const connection = item.link === undefined ? null : StoredConnection.parse(item);
  return {
    statement: statement && { state: statement.presence, session: statement.session ?? null, since: statement.since },
    connection: connection && { version: connection.link, at: connection.linkAt, hasEnded: connection.linkEnded === 1 },
  };
}

/**
 * Whether an agent is connected and supports our protocol, and since when it is not (Unix, ms). The end of a connection counts
 * at once, without the debounce of the state that is shown: the event of the next connection corrects it.
 */
export function connectionOf(item: Item): { isConnected: boolean; since: number | null } {
  const { certificates, revokedAt, session } = rowOf(item);
  const isThere = certificates !== null && revokedAt === null && session !== item.formerSession;
  const { statement, connection } = presenceOf(item);
  const cutAt = connection?.hasEnded && statement?.state !== 'offline' ? connection.at : null;
  const spoken = spokenBy(item);
  const isSupported = spoken === null || problemWith(spoken) === null;
  const isUp = statement?.state === 'online' || statement?.state === 'draining';
  return {
    isConnected: isThere && isSupported && cutAt === null && isUp,
    since: cutAt ?? statement?.since ?? null,
  };
}

export interface Connected {
  agent: AgentId;
  /** Null while it may be reconnecting, because the broker has just started. */
  isConnected: boolean | null;
  /** Unix, ms. */
  since: number;
  /** Why it alternates with another host that uses its identity, and since when. */
  doubled?: { why: string; reasonCode?: Reason; at: number } | undefined;
}

/**
 * The same for alerts: the end of a connection is debounced. Null for an agent that was never connected, or is being revoked.
 * Throws when the row cannot be read.
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
  // After a start of the broker, agents may take three minutes to reconnect.
  const hasBrokerStarted = statement?.session === null && now - since < 3 * MINUTE_MS;
  // The last will precedes the broker's event with the reason: a connection that a new one takes over is not lost.
  const isJustCut = connection?.hasEnded === false && now - since < OFFLINE_AFTER_MS;
  return { ...about, isConnected: hasBrokerStarted || isJustCut ? null : false };
}

/** What a connected agent monitors now: its networks, and itself by its name within the site. */
export function watchedBy(item: Item): string[] {
  const discovery = orNull(() => storedAgent(item)?.details.discovery ?? null);
  if (discovery === null || !connectionOf(item).isConnected) return [];
  const byScans = [nameOfAgent(item.sk.slice(PREFIXES.agent.length)), ...(discovery.networks ?? [])];
  // Sources see devices also where no scan works.
  return [...(discovery.state === 'on' ? byScans : []), ...(discovery.bySources ?? [])];
}

/** Whether `connectionOf` can read the row. Lists of agents name the unreadable rows. */
export const isReadable = (item: Item): boolean => orNull(() => connectionOf(item)) !== null;

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
