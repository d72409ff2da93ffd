/**
 * Sites, and the agents that stand in them.
 * @promise An agent of another protocol version counts as offline; lists say what to update:
 *   `functions/sites/site-store.test.ts`, `test/hostile-agent.test.ts`.
 */
import type { Presence } from '../../shared/agent/messages.ts';
import { type BrokerEvent, nextPresence, type PresenceEvent } from '../../shared/agent/presence.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import { type Agent, DISCOVERY_OFF, type Site, USUAL_UPDATES } from '../../shared/api/records.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, AgentId as AgentIdSchema, type SiteId } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { updateStaleness } from '../devices/collection/staleness.ts';
import type { Reach } from '../http/reach.ts';
import { backOff } from '../table/back-off.ts';
import { EXISTS, holds, IS_NEW, unchanged } from '../table/condition.ts';
import { ATTRIBUTES, type Key, PARTITIONS, PREFIXES, rows, sitePartition } from '../table/rows.ts';
import { listItems, type Table } from '../table/table.ts';
import {
  type AgentCertificates,
  type AgentHistory,
  type AgentRow,
  type CertificateRef,
  type Connected,
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
import { readSitePage, type SitePage } from './site-pages.ts';
import { decodeSite, encodeSite, isGone } from './site-row.ts';

/**
 * What a message about an agent's presence was: `new` when the stored state is another one since, `repeated` when the
 * state was stored before, `ignored` when a newer one is stored, or there is no such agent.
 */
type Recorded = 'new' | 'repeated' | 'ignored';

/** What is said of a site when it is made. Discovery is off in a new one. */
export type NewSite = Pick<Site, 'id' | 'name' | 'createdAt'> & Partial<Pick<Site, 'tags'>>;

/** What can be changed of a site. */
type SiteSettings = Pick<
  Site,
  'name' | 'tags' | 'discovery' | 'timeZone' | 'reachableAt' | 'updates' | 'policy' | 'templates'
>;

export interface SiteStore {
  /** Not those that are deleted: these count as absent, here and in `find`. */
  list(): Promise<Site[]>;
  /**
   * The same in pages, ordered by id, with every site that was added before the call.
   * @param reach only those
   * @param after the page begins behind this id
   */
  page(reach: Reach, after: SiteId | null, limit: number): Promise<SitePage>;
  /** @param options.consistent whether a change of a second ago has to be in it; it costs twice as much. Default: true */
  find(site: SiteId, options?: { consistent: boolean }): Promise<Site | null>;
  /** Whether a site has this id, also a deleted one. */
  isTaken(site: SiteId): Promise<boolean>;
  /** @returns false when there is such a site already, or a deleted one */
  add(site: NewSite): Promise<boolean>;
  /**
   * Changes the settings of a site, and moves its revision on if they are others then. `plan` may be called again, when
   * somebody else has made a change at the same time. @returns the site before and after; null when there is none
   */
  change(site: SiteId, plan: (before: Site) => Partial<SiteSettings>): Promise<{ before: Site; after: Site } | null>;
  /** Notes since when nobody watches the site, and what is watched of it, as it follows from its settings and its agents. */
  updateStaleness(site: SiteId): Promise<void>;
  /** The agents of a site, in the order of their ids; not those that have been revoked, or whose row cannot be read. */
  agents(site: SiteId): Promise<Agent[]>;
  /** The ids of all of which there is a row, also when it cannot be read. */
  agentIds(site: SiteId): Promise<AgentId[]>;
  /** The agents that are not revoked, and the rows that cannot be read. */
  listAgents(site: SiteId): Promise<{ agents: Agent[]; unreadable: Unreadable[] }>;
  /** One agent; null when there is none, or it has been revoked. Rejects when its row cannot be read. */
  findAgent(agent: AgentId): Promise<(Agent & { history: AgentHistory }) | null>;
  /** Which agents of a site are connected, and which were. Those whose row cannot be read are missing. */
  connected(site: SiteId): Promise<Connected[]>;
  /**
   * Which certificates an enrolment would replace, or why it would be refused.
   * @param key that of the host: who has that of the agent is the agent
   */
  replacedBy(
    permit: Permit,
    key?: string | null,
  ): Promise<{ replaced: string[]; isSameHost: boolean } | { refusal: Refusal }>;
  /**
   * Notes the certificate of an enrolment and counts the use of its code, unless the permit does not hold any more.
   * @returns the certificates that the agent had before, which are to be revoked
   */
  recordEnrolment(permit: Permit, certificate: CertificateRef): Promise<{ replaced: string[] } | { refusal: Refusal }>;
  /**
   * Begins to revoke an agent: it counts as offline, and neither enrolment codes from before nor proofs by its keys hold
   * any more.
   * @param isWanted asked after the agent was read: another one of its name is left alone
   * @returns its certificates, which are to be revoked; null when there is no such agent, or it is not wanted
   */
  beginRevocation(agent: AgentId, isWanted?: () => Promise<boolean>): Promise<AgentCertificates | null>;
  /** Ends it, when those are worthless: the agent is in no list any more. It can be enrolled again. */
  finishRevocation(agent: AgentId, certificates: AgentCertificates): Promise<void>;
  /**
   * Notes what an agent, or its last will, says of itself. A message of an older connection than the one that is
   * known changes nothing, nor does one that has been overtaken.
   */
  recordPresence(agent: AgentId, presence: Presence): Promise<Recorded>;
  /**
   * Notes what the broker says of an agent's connection. When the newest one has ended, the agent is offline, whatever
   * it said last. Events may come late, twice and in any order. @returns whether it is news
   */
  recordConnectionEvent(agent: AgentId, event: BrokerEvent): Promise<boolean>;
  /** Notes until when ingest takes one message of sightings a minute from the agent. */
  noteLimit(agent: AgentId, until: Date): Promise<void>;
  /**
   * The broker says that nobody is connected: so a broker that has just been started. Its events begin anew.
   */
  resetPresence(): Promise<void>;
}

/** What an event changes. An enrolment removes the connections, so an event that was read before it is judged again. */
const PRESENCE_WRITTEN = [...ATTRIBUTES.presence, ...ATTRIBUTES.connections];
const PRESENCE_READ = [...PRESENCE_WRITTEN, 'formerSession'];
/** Tries for a row that others change at the same time. */
const ATTEMPTS = 8;

export function openSiteStore(table: Table, now: () => Date): SiteStore {
  async function list(): Promise<Site[]> {
    const sites: Site[] = [];
    for await (const page of table.query(PARTITIONS.siteList, PREFIXES.site)) {
      sites.push(...page.filter((item) => !isGone(item)).map(decodeSite));
    }
    return sites;
  }

  async function readAgents(site: SiteId): Promise<{ agents: Agent[]; unreadable: Unreadable[] }> {
    const agents: Agent[] = [];
    const unreadable: Unreadable[] = [];
    for (const item of await listItems(table, sitePartition(site), PREFIXES.agent)) {
      try {
        const agent = toAgent(item, now());
        if (agent !== null) agents.push(agent);
      } catch (error) {
        unreadable.push({ id: item.sk.slice(PREFIXES.agent.length), problem: problemOf(error) });
      }
    }
    return { agents, unreadable };
  }

  async function readRow(agent: AgentId): Promise<AgentRow> {
    return rowOf(await table.get(rows.agent(agent), { consistent: true }));
  }

  return {
    list,
    agents: async (site) => (await readAgents(site)).agents,
    listAgents: readAgents,

    async agentIds(site) {
      const items = await listItems(table, sitePartition(site), PREFIXES.agent);
      const ids = items.map(({ sk }) => sk.slice(PREFIXES.agent.length));
      return ids.filter((id) => AgentIdSchema.safeParse(id).success);
    },

    async findAgent(agent) {
      const item = await table.get(rows.agent(agent), { consistent: true });
      const found = item && toAgent(item, now());
      return found && { ...found, history: historyOf(item, now().getTime()) };
    },

    async connected(site) {
      const items = await listItems(table, sitePartition(site), PREFIXES.agent);
      return items.flatMap((item) => {
        try {
          return connectedOf(item, now().getTime()) ?? [];
        } catch {
          return []; // Lists of agents name it.
        }
      });
    },

    page: (reach, after, limit) => readSitePage(table, reach, after, limit),

    async find(site, { consistent } = { consistent: true }) {
      const item = await table.get(rows.site(site), { consistent });
      return item === null || isGone(item) ? null : decodeSite(item);
    },

    async isTaken(site) {
      return (await table.get(rows.site(site), { consistent: true })) !== null;
    },

    async add(site) {
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

    async change(site, plan) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const item = await table.get(rows.site(site), { consistent: true });
        if (item === null || isGone(item)) return null;
        const before = decodeSite(item);
        const same = { ...before, ...plan(before) };
        if (encodeSite(same) === encodeSite(before)) return { before, after: before };
        // Agents act on the settings with the greatest revision, so that it must grow also when our clock is put back.
        const after = { ...same, revision: Math.max(now().getTime(), before.revision + 1) };
        const asBefore = { equals: { d: String(item.d), gone: null } };
        const isChanged = await table.update(rows.site(site), { set: { d: encodeSite(after) } }, asBefore);
        if (isChanged) return { before, after };
        await backOff(attempt);
      }
      throw new ServiceError('conflict', `The settings of site "${site}" keep changing; try again`, { retryAfter: 1 });
    },

    updateStaleness: (site) => updateStaleness(table, site, now()),

    async replacedBy(permit, key = null) {
      const row = await readRow(permit.agent);
      const refusal = refusalBy(row, permit, key);
      if (refusal !== null) return { refusal };
      return { replaced: certificateIds(row.certificates), isSameHost: hasKey(row, key) };
    },

    async recordEnrolment(permit, { certificateId, key, endsAt }) {
      const { agent, use } = permit;
      let replaced: string[] = [];
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const row = await readRow(agent);
        // An earlier try that was carried out although its answer was lost.
        if (row.certificates?.certificateId === certificateId) return { replaced };
        const refusal = refusalBy(row, permit, key);
        if (refusal !== null) return { refusal };
        const uses = use === undefined || hasKey(row, key) ? [] : [use];
        for (const { update: code, condition } of attempt === 0 ? [] : uses) {
          if (!holds(condition, await table.get(code, { consistent: true }))) return { refusal: 'closed' };
        }
        replaced = certificateIds(row.certificates);
        // What was heard last came from the agent that is replaced.
        const former = row.session === null ? {} : { formerSession: row.session };
        const change = rowChange(agent, row, {
          set: { certificate: certificateId, key, ...former, ...(endsAt === undefined ? {} : { endsAt }) },
          remove: ['next', 'revokedAt', 'links', ...(endsAt === undefined ? ['endsAt'] : [])],
        });
        if (await table.transact([change, ...uses])) return { replaced };
      }
      throw contentionError(agent);
    },

    async beginRevocation(agent, isWanted = async () => true) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const row = await readRow(agent);
        if (row.certificates === null || !(await isWanted())) return null;
        const isNoted = await changeRow(table, agent, row, { set: { revokedAt: now().getTime() } });
        if (isNoted) return row.certificates;
      }
      throw contentionError(agent);
    },

    async finishRevocation(agent, { certificateId }) {
      // The row stays, to tell enrolment codes from before; whoever may revoke agents has no right to delete rows here.
      await table.update(
        rows.agent(agent),
        { remove: ['certificate', 'key', 'next'] },
        { all: [{ equals: { certificate: certificateId } }, { present: ['revokedAt'] }] },
      );
    },

    recordPresence(agent, presence) {
      const { v: protocol, version, host, programs, capabilities, networks, load, discovery, update } = presence;
      const said = { version, protocol, host, programs, capabilities, networks, load, discovery, update };
      const details = version === undefined ? null : JSON.stringify(said);
      return recordEvent(rows.agent(agent), { source: 'agent', presence }, details, host);
    },

    async recordConnectionEvent(agent, event) {
      return (await recordEvent(rows.agent(agent), { source: 'broker', event })) === 'new';
    },

    async noteLimit(agent, until) {
      await table.update(rows.agent(agent), { set: { limitedUntil: until.getTime() } }, EXISTS);
    },

    async resetPresence() {
      for (const { id } of await list()) {
        for await (const page of table.query(sitePartition(id), PREFIXES.agent, { consistent: true })) {
          for (const { pk, sk } of page.filter(isReadable)) await recordEvent({ pk, sk }, { source: 'broker start' });
        }
        await updateStaleness(table, id, now());
      }
    },
  };

  /**
   * Stores what an event changes of an agent's presence, unless another event was stored since the row was read: then the
   * row is read again.
   */
  async function recordEvent(
    key: Key,
    event: PresenceEvent,
    details: string | null = null,
    host?: Presence['host'],
  ): Promise<Recorded> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await backOff(attempt - 1);
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
      if (isStored) return recorded;
    }
    throw new ServiceError('conflict', `The presence of ${key.sk} keeps changing`, { retryAfter: 1 });
  }
}

function contentionError(agent: AgentId): ServiceError {
  return new ServiceError('conflict', `The certificates of ${agent} keep changing`, { retryAfter: 1 });
}
