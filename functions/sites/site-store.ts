/**
 * Sites and their agents.
 * @promise An agent of another protocol version counts as offline; lists say what to update:
 *   `functions/sites/site-store.test.ts`, `test/hostile-agent.test.ts`.
 */
import type { Presence } from '../../shared/agent/messages.ts';
import { type BrokerEvent, nextPresence, type PresenceEvent } from '../../shared/agent/presence.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { type Agent, DISCOVERY_OFF, type Site, USUAL_UPDATES } from '../../shared/api/records.ts';
import { type AgentId, AgentId as AgentIdSchema, type SiteId } from '../../shared/identity.ts';
import { orNull, readEach } from '../../shared/problem.ts';
import { updateStaleness } from '../devices/collection/staleness.ts';
import type { Reach } from '../http/reach.ts';
import { EXISTS, holds, IS_NEW, unchanged } from '../table/condition.ts';
import { retryOnConflict } from '../table/retry.ts';
import { ATTRIBUTES, type Key, PARTITIONS, PREFIXES, rows, sitePartition } from '../table/rows.ts';
import { listItems, type Table } from '../table/table.ts';
import {
  type AgentCertificates,
  type AgentRow,
  type CertificateRef,
  certificateIds,
  changeRow,
  connectedOf,
  connectionsUpdate,
  historyOf,
  isReadable,
  presenceOf,
  presenceUpdate,
  rowChange,
  rowOf,
  toAgent,
} from './agents/agent-row.ts';
import { holdersUpdate } from './agents/holders.ts';
import { hasKey, type Permit, type Refusal, refusalBy } from './agents/permit.ts';
import { readSitePage } from './site-pages.ts';
import { decodeSite, encodeSite, isGone } from './site-row.ts';

/**
 * The effect of a message about an agent's presence: `new` when it has changed the stored state, `repeated` when the state
 * was stored before, `ignored` when a newer one is stored, or there is no such agent.
 */
type Recorded = 'new' | 'repeated' | 'ignored';

/** In a new site, discovery is off. */
export type NewSite = Pick<Site, 'id' | 'name' | 'createdAt'> & Partial<Pick<Site, 'tags'>>;

type SiteSettings = Omit<Site, 'id' | 'createdAt' | 'revision' | 'staleSince' | 'coverage'>;

/** An enrolment removes the connections: an event that was read before it is evaluated again. */
const PRESENCE_WRITTEN = [...ATTRIBUTES.presence, ...ATTRIBUTES.connections];
const PRESENCE_READ = [...PRESENCE_WRITTEN, 'formerSession'];

export function openSiteStore(table: Table, now: () => Date) {
  async function list(): Promise<Site[]> {
    const sites: Site[] = [];
    for await (const page of table.query(PARTITIONS.siteList, PREFIXES.site))
      sites.push(...page.filter((item) => !isGone(item)).map(decodeSite));
    return sites;
  }

  async function readAgents(site: SiteId): Promise<{ agents: Agent[]; unreadable: Unreadable[] }> {
    const items = await listItems(table, sitePartition(site), PREFIXES.agent);
    const { readable, unreadable } = readEach(items, agentIdIn, (item) => toAgent(item, now()));
    return { agents: readable, unreadable };
  }

  async function readRow(agent: AgentId): Promise<AgentRow> {
    return rowOf(await table.get(rows.agent(agent), { consistent: true }));
  }

  return {
    /** Without deleted sites, which count as absent, here and in `find`. */
    list,
    /** The agents of a site, ordered by id, without revoked ones and unreadable rows. */
    agents: async (site: SiteId) => (await readAgents(site)).agents,
    /** The agents that are not revoked, and the unreadable rows. */
    listAgents: readAgents,

    /** The ids of all rows of agents, also of unreadable ones. */
    async agentIds(site: SiteId) {
      const items = await listItems(table, sitePartition(site), PREFIXES.agent);
      return items.map(agentIdIn).filter((id) => AgentIdSchema.safeParse(id).success);
    },

    /** Null when there is no such agent, or it has been revoked. Rejects when its row cannot be read. */
    async findAgent(agent: AgentId) {
      const item = await table.get(rows.agent(agent), { consistent: true });
      const found = item && toAgent(item, now());
      return found && { ...found, history: historyOf(item, now().getTime()) };
    },

    /** The connections of the agents of a site, without unreadable rows. */
    async connected(site: SiteId) {
      const items = await listItems(table, sitePartition(site), PREFIXES.agent);
      return items.flatMap((item) => orNull(() => connectedOf(item, now().getTime())) ?? []);
    },

    /**
     * The same in pages, ordered by id, with every site that was added before the call.
     * @param after the page begins after this id
     */
    page: (reach: Reach, after: SiteId | null, limit: number) => readSitePage(table, reach, after, limit),

    /** @param options.consistent sees the latest writes, at twice the cost. Default: true */
    async find(site: SiteId, { consistent }: { consistent: boolean } = { consistent: true }) {
      const item = await table.get(rows.site(site), { consistent });
      return item === null || isGone(item) ? null : decodeSite(item);
    },

    /** Whether a site, possibly a deleted one, has this id. */
    async isTaken(site: SiteId) {
      return (await table.get(rows.site(site), { consistent: true })) !== null;
    },

    /** @returns false when the id is taken */
    async add(site: NewSite) {
      const d = encodeSite({
        tags: [],
        ...site,
        discovery: DISCOVERY_OFF,
        timeZone: 'UTC',
        reachableAt: null,
        updates: USUAL_UPDATES,
        revision: Date.parse(site.createdAt),
      });
      return table.put({ ...rows.site(site.id), d }, IS_NEW);
    },

    /**
     * Changes the settings of a site, and increases the revision if they differ.
     * @param plan called again after a concurrent change
     * @returns null when there is no such site
     */
    change: (site: SiteId, plan: (before: Site) => Partial<SiteSettings>) =>
      retryOnConflict(`The settings of site "${site}" keep changing; try again`, async () => {
        const item = await table.get(rows.site(site), { consistent: true });
        if (item === null || isGone(item)) return null;
        const before = decodeSite(item);
        const same = { ...before, ...plan(before) };
        if (encodeSite(same) === encodeSite(before)) return { before, after: before };
        // Agents act on the settings with the greatest revision, which must grow even when our clock is set back.
        const after = { ...same, revision: Math.max(now().getTime(), before.revision + 1) };
        const asBefore = { equals: { d: String(item.d), gone: null } };
        const isChanged = await table.update(rows.site(site), { set: { d: encodeSite(after) } }, asBefore);
        return isChanged ? { before, after } : undefined;
      }),

    /** Stores since when the site is unmonitored, and what is monitored, as follows from its settings and agents. */
    updateStaleness: (site: SiteId) => updateStaleness(table, site, now()),

    /**
     * The certificates that an enrolment would replace, or why it would be rejected.
     * @param key of the host: with the agent's own key, it is the agent
     */
    async replacedBy(permit: Permit, key: string | null = null) {
      const row = await readRow(permit.agent);
      const refusal = refusalBy(row, permit, key);
      if (refusal !== null) return { refusal };
      return { replaced: certificateIds(row.certificates), isSameHost: hasKey(row, key) };
    },

    /**
     * Records the certificate of an enrolment and counts the use of its code, unless the permit is no longer valid.
     * @returns the agent's former certificates, which are to be revoked
     */
    recordEnrolment(permit: Permit, { certificateId, key, endsAt }: CertificateRef) {
      const { agent, use } = permit;
      let replaced: string[] = [];
      return retryOnConflict<{ replaced: string[] } | { refusal: Refusal }>(contentionOf(agent), async (attempt) => {
        const row = await readRow(agent);
        // An earlier attempt has succeeded although its response was lost.
        if (row.certificates?.certificateId === certificateId) return { replaced };
        const refusal = refusalBy(row, permit, key);
        if (refusal !== null) return { refusal };
        const uses = use === undefined || hasKey(row, key) ? [] : [use];
        for (const { update: code, condition } of attempt === 0 ? [] : uses) {
          if (!holds(condition, await table.get(code, { consistent: true }))) return { refusal: 'closed' };
        }
        replaced = certificateIds(row.certificates);
        // The last report came from the agent that is replaced.
        const former = row.session === null ? {} : { formerSession: row.session };
        const change = rowChange(agent, row, {
          set: { certificate: certificateId, key, ...former, ...(endsAt === undefined ? {} : { endsAt }) },
          remove: ['next', 'revokedAt', 'links', ...(endsAt === undefined ? ['endsAt'] : [])],
        });
        return (await table.transact([change, ...uses])) ? { replaced } : undefined;
      });
    },

    /**
     * Begins to revoke an agent: it counts as offline, and earlier enrolment codes and proofs by its keys become invalid.
     * @param isWanted checked after the agent was read: a later one of its name is left alone
     * @returns its certificates, which are to be revoked; null when there is no such agent, or `isWanted` is false
     */
    beginRevocation: (agent: AgentId, isWanted: () => Promise<boolean> = async () => true) =>
      retryOnConflict(contentionOf(agent), async () => {
        const row = await readRow(agent);
        if (row.certificates === null || !(await isWanted())) return null;
        const isRecorded = await changeRow(table, agent, row, { set: { revokedAt: now().getTime() } });
        return isRecorded ? row.certificates : undefined;
      }),

    /** Ends it, when the certificates are revoked: no list has the agent any more. It can be enrolled again. */
    async finishRevocation(agent: AgentId, { certificateId }: AgentCertificates) {
      // The row stays, to reject earlier enrolment codes; and the function that revokes has no right to delete rows here.
      await table.update(
        rows.agent(agent),
        { remove: ['certificate', 'key', 'next'] },
        { all: [{ equals: { certificate: certificateId } }, { present: ['revokedAt'] }] },
      );
    },

    /** Stores a report of an agent, or its last will. One of an older connection, or one that was superseded, has no effect. */
    recordPresence(agent: AgentId, presence: Presence) {
      const { v: protocol, version, host, programs, capabilities, networks, load, discovery, update } = presence;
      const report = { version, protocol, host, programs, capabilities, networks, load, discovery, update };
      const details = version === undefined ? null : JSON.stringify(report);
      return recordEvent(rows.agent(agent), { source: 'agent', presence }, details, host);
    },

    /**
     * Stores an event of the broker about an agent's connection. When the newest one has ended, the agent is offline, whatever
     * it reported last. Events may come late, twice and in any order. @returns whether it is new
     */
    async recordConnectionEvent(agent: AgentId, event: BrokerEvent) {
      return (await recordEvent(rows.agent(agent), { source: 'broker', event })) === 'new';
    },

    /** Records until when the agent's sightings are throttled to one message a minute. */
    async noteLimit(agent: AgentId, until: Date) {
      await table.update(rows.agent(agent), { set: { limitedUntil: until.getTime() } }, EXISTS);
    },

    /** The broker has just been started: no agent is connected, and the numbering of its events restarts. */
    async resetPresence() {
      for (const { id } of await list()) {
        for await (const page of table.query(sitePartition(id), PREFIXES.agent, { consistent: true })) {
          for (const { pk, sk } of page.filter(isReadable)) await recordEvent({ pk, sk }, { source: 'broker start' });
        }
        await updateStaleness(table, id, now());
      }
    },
  };

  /** Stores an event. If another one was stored since the row was read, the row is read again. */
  function recordEvent(
    key: Key,
    event: PresenceEvent,
    details: string | null = null,
    host?: Presence['host'],
  ): Promise<Recorded> {
    return retryOnConflict(`The presence of ${key.sk} keeps changing`, async () => {
      const item = await table.get(key, { consistent: true, attributes: PRESENCE_READ });
      if (item === null) return 'ignored';
      const before = presenceOf(item);
      const at = now().getTime();
      const after = nextPresence(before, event, at);
      if (after === null) return 'ignored';
      const recorded = after === before ? 'repeated' : 'new';
      const { set, remove } = recorded === 'new' ? presenceUpdate(after) : {};
      const links = recorded === 'new' ? connectionsUpdate(item, before, after, event, at) : {};
      const holders = holdersUpdate(item, host, at);
      const attributes = { ...set, ...links, ...holders, ...(details === null ? {} : { d: details }) };
      if (Object.keys(attributes).length === 0) return recorded;
      const isStored = await table.update(
        key,
        { set: attributes, ...(remove === undefined ? {} : { remove }) },
        { all: [EXISTS, unchanged(PRESENCE_WRITTEN, item)] },
      );
      return isStored ? recorded : undefined;
    });
  }
}

export type SiteStore = ReturnType<typeof openSiteStore>;

const contentionOf = (agent: AgentId) => `The certificates of ${agent} keep changing`;
const agentIdIn = ({ sk }: Key) => sk.slice(PREFIXES.agent.length);
